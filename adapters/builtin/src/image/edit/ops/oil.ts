import { type Bitmap, blank, type Check, copy, luma } from '../bitmap.ts';
import { inBands } from './bands.ts';
import { boxColumns, boxRows } from './blur.ts';
import { boxPlaneColumns, boxPlaneRows } from './plane.ts';

/**
 * Brush strokes (a Kuwahara filter): every pixel takes the mean of the evenest of the four squares around it. Running sums make the cost
 * independent of the radius.
 */
export function paint(picture: Bitmap, radius: number, check: Check): void {
	const half = Math.max(1, Math.round(radius / 2));
	inBands(picture, half * 2 + 1, (band) => paintBand(band, half, check));
}

function paintBand(picture: Bitmap, half: number, check: Check): void {
	const { width, height, data } = picture;
	const mean = copy(picture);
	const other = blank(width, height);
	boxRows(mean, other, half, check);
	boxColumns(other, mean, half, check);
	const spread = unevenness(picture, half, check);
	for (let y = 0; y < height; y++) {
		if ((y & 63) === 0) check();
		const [up, down] = [Math.max(0, y - half) * width, Math.min(height - 1, y + half) * width];
		for (let x = 0; x < width; x++) {
			const [l, r] = [x > half ? x - half : 0, x + half < width ? x + half : width - 1];
			let best = up + l;
			if ((spread[up + r] as number) < (spread[best] as number)) best = up + r;
			if ((spread[down + l] as number) < (spread[best] as number)) best = down + l;
			if ((spread[down + r] as number) < (spread[best] as number)) best = down + r;
			const [at, from] = [(y * width + x) * 4, best * 4];
			data[at] = mean.data[from] as number;
			data[at + 1] = mean.data[from + 1] as number;
			data[at + 2] = mean.data[from + 2] as number;
		}
	}
}

/** The variance of the brightness in the square around each pixel. */
function unevenness({ width, height, data }: Bitmap, radius: number, check: Check): Float32Array {
	const [light, square] = [new Float32Array(width * height), new Float32Array(width * height)];
	for (let i = 0, k = 0; i < data.length; i += 4, k++) {
		const value = luma(data[i] as number, data[i + 1] as number, data[i + 2] as number);
		light[k] = value;
		square[k] = value * value;
	}
	const other = new Float32Array(width * height);
	for (const plane of [light, square]) {
		boxPlaneRows(plane, other, width, radius, check);
		boxPlaneColumns(other, plane, width, radius, check);
	}
	for (let k = 0; k < square.length; k++) {
		square[k] = (square[k] as number) - (light[k] as number) ** 2;
	}
	return square;
}
