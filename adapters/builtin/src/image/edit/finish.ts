import type { Bitmap, Size } from './bitmap.ts';
import type { EditJob } from './jobs.ts';
import { flatten, premultiply, unpremultiply } from './ops/alpha.ts';
import { onCanvas } from './ops/geometry.ts';
import { resize } from './ops/scale.ts';

/** Brings a picture to the final size and background of its job. */
export function finish(picture: Bitmap, { finish: size, background }: EditJob): Bitmap {
	const sized = size ? contained(picture, size, background) : picture;
	if (background === 'opaque') flatten(sized, [255, 255, 255]);
	return sized;
}

/** The whole picture inside a size; the room around it has the colour of the picture's border, or is transparent. */
function contained(picture: Bitmap, size: Size, background: EditJob['background']): Bitmap {
	if (picture.width === size.width && picture.height === size.height) return picture;
	const scale = Math.min(size.width / picture.width, size.height / picture.height);
	premultiply(picture);
	const small = resize(
		picture,
		Math.min(size.width, Math.max(1, Math.round(picture.width * scale))),
		Math.min(size.height, Math.max(1, Math.round(picture.height * scale))),
	);
	unpremultiply(small);
	return onCanvas(small, size, background === 'transparent' ? undefined : borderColor(small));
}

/** The mean colour of the border; undefined when some of it is transparent. */
function borderColor({ width, height, data }: Bitmap): readonly number[] | undefined {
	const sums = [0, 0, 0];
	let count = 0;
	for (let y = 0; y < height; y++) {
		const step = y === 0 || y === height - 1 ? 1 : Math.max(1, width - 1);
		for (let x = 0; x < width; x += step) {
			const at = (y * width + x) * 4;
			if (data[at + 3] !== 255) return undefined;
			for (let c = 0; c < 3; c++) sums[c] = (sums[c] as number) + (data[at + c] as number);
			count++;
		}
	}
	return sums.map((sum) => Math.round(sum / count));
}
