import { type Bitmap, blank, copy, luma } from '../bitmap.ts';
import { boxColumns, boxRows } from './blur.ts';

/**
 * Brush strokes (a Kuwahara filter): every pixel takes the mean of the evenest of the four squares around it. Running sums make the cost
 * independent of the radius.
 */
export function paint(picture: Bitmap, radius: number, check: () => void): void {
	const { width, height, data } = picture;
	const half = Math.max(1, Math.round(radius / 2));
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
function unevenness(
	{ width, height, data }: Bitmap,
	radius: number,
	check: () => void,
): Float32Array {
	const [light, square] = [new Float32Array(width * height), new Float32Array(width * height)];
	for (let i = 0, k = 0; i < data.length; i += 4, k++) {
		const value = luma(data[i] as number, data[i + 1] as number, data[i + 2] as number);
		light[k] = value;
		square[k] = value * value;
	}
	for (const plane of [light, square]) boxPlane(plane, width, height, radius, check);
	for (let k = 0; k < square.length; k++) {
		square[k] = (square[k] as number) - (light[k] as number) ** 2;
	}
	return square;
}

function boxPlane(
	plane: Float32Array,
	width: number,
	height: number,
	radius: number,
	check: () => void,
): void {
	const part = 1 / (radius * 2 + 1);
	const row = new Float32Array(width);
	for (let base = 0; base < plane.length; base += width) {
		row.set(plane.subarray(base, base + width));
		let sum = 0;
		for (let k = -radius; k <= radius; k++) sum += row[clip(k, width)] as number;
		for (let x = 0; x < width; x++) {
			plane[base + x] = sum * part;
			sum +=
				(row[clip(x + radius + 1, width)] as number) - (row[clip(x - radius, width)] as number);
		}
	}
	check();
	const before = plane.slice();
	const sums = new Float64Array(width);
	for (let k = -radius; k <= radius; k++) {
		const base = clip(k, height) * width;
		for (let x = 0; x < width; x++) sums[x] = (sums[x] as number) + (before[base + x] as number);
	}
	for (let y = 0; y < height; y++) {
		const [next, old] = [clip(y + radius + 1, height) * width, clip(y - radius, height) * width];
		for (let x = 0; x < width; x++) {
			const sum = sums[x] as number;
			plane[y * width + x] = sum * part;
			sums[x] = sum + (before[next + x] as number) - (before[old + x] as number);
		}
	}
	check();
}

function clip(at: number, length: number): number {
	return at < 0 ? 0 : at >= length ? length - 1 : at;
}
