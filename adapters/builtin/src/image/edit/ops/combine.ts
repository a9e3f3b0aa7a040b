import {
	type Bitmap,
	type BoundedSize,
	blank,
	type Check,
	clampSize,
	copy,
	isOpaque,
	type Size,
	solid,
	unchecked,
} from '../bitmap.ts';
import { lay, premultiply, unpremultiply } from './alpha.ts';
import { type Box, boxAt, cut, ratioBox } from './geometry.ts';
import { resize } from './scale.ts';

/** How two pictures are mixed. */
export type BlendMode = 'normal' | 'multiply' | 'screen' | 'overlay' | 'difference';

const modes: Readonly<Record<BlendMode, (below: number, above: number) => number>> = {
	normal: (_, above) => above,
	multiply: (below, above) => (below * above) / 255,
	screen: (below, above) => 255 - ((255 - below) * (255 - above)) / 255,
	overlay: (below, above) => (below < 128 ? (below * above) / 127.5 : 255 - ((255 - below) * (255 - above)) / 127.5),
	difference: (below, above) => Math.abs(below - above),
};

/** Mixes a second picture of any size into a first one, in place; `share` is 0 to 1. */
export function blend(base: Bitmap, second: Bitmap, share: number, mode: BlendMode, check: Check = unchecked): void {
	const top = fitted(second, base, check);
	const mixed = modes[mode];
	const { data } = base;
	for (let i = 0; i < data.length; i += 4) {
		if ((i & 0xf_ffff) === 0) check();
		const part = share * ((top.data[i + 3] as number) / 255);
		for (let c = i; c < i + 3; c++) {
			const below = data[c] as number;
			data[c] = Math.round(below + (mixed(below, top.data[c] as number) - below) * part);
		}
		const alpha = data[i + 3] as number;
		data[i + 3] = Math.round(alpha + (255 - alpha) * part);
	}
}

/** A second picture in the size of the first: as it is when it has that already. */
export function fitted(picture: Bitmap, { width, height }: Size, check: Check = unchecked): Bitmap {
	if (picture.width === width && picture.height === height) return picture;
	const isSolid = isOpaque(picture);
	const source = isSolid ? picture : copy(picture);
	if (!isSolid) premultiply(source);
	const made = resize(source, width, height, check);
	if (!isSolid) unpremultiply(made);
	return made;
}

/** A picture in another size and shape: what does not have the shape is cropped around the middle. */
export function covering(picture: Bitmap, size: Size, check: Check = unchecked): Bitmap {
	const part = ratioBox(picture, size.width / size.height);
	const whole = part.width === picture.width && part.height === picture.height;
	return fitted(whole ? picture : cut(picture, boxAt(picture, part, { x: 0, y: 0 })), size, check);
}

/** How the pictures of a collage are arranged. */
export type Arrangement = 'row' | 'column' | 'grid';

/** Where each picture of a collage goes, all of them in the shape of the first. */
export interface Layout extends BoundedSize {
	readonly boxes: readonly Box[];
}

/** Arranges `number` pictures with gaps; the whole stays within the bounds of size. */
export function arrange(number: number, first: Size, arrangement: Arrangement, gap: number): Layout {
	const across = arrangement === 'row' ? number : arrangement === 'column' ? 1 : Math.ceil(Math.sqrt(number));
	const down = Math.ceil(number / across);
	const whole = {
		width: across * first.width + (across + 1) * gap,
		height: down * first.height + (down + 1) * gap,
	};
	const size = clampSize(whole);
	const scale = size.width / whole.width;
	const boxes = Array.from({ length: number }, (_, index) => {
		const row = Math.floor(index / across);
		const inRow = Math.min(across, number - row * across);
		const [column, indent] = [index % across, ((across - inRow) * (first.width + gap)) / 2];
		const left = (column * (first.width + gap) + gap + indent) * scale;
		const top = (row * (first.height + gap) + gap) * scale;
		return {
			x: Math.round(left),
			y: Math.round(top),
			width: Math.max(1, Math.round(left + first.width * scale) - Math.round(left)),
			height: Math.max(1, Math.round(top + first.height * scale) - Math.round(top)),
		};
	});
	return { ...size, boxes };
}

/** Puts pictures into the boxes of a layout. */
export function collage(
	pictures: readonly Bitmap[],
	{ width, height, boxes }: Layout,
	behind: readonly number[] | undefined,
	check: Check = unchecked,
): Bitmap {
	const made = behind ? solid(width, height, behind) : blank(width, height);
	boxes.forEach((box, index) => {
		const picture = pictures[index];
		if (picture) lay(made, fitted(picture, box, check), box.x, box.y, 1, check);
	});
	return made;
}
