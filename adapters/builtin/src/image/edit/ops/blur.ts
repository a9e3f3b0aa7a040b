import { type Bitmap, blank, type Check, isOpaque } from '../bitmap.ts';
import { premultiply, unpremultiply } from './alpha.ts';
import { double, halve } from './scale.ts';

/**
 * Gaussian blur of a standard deviation in pixels, in place. Wide blurs work on a smaller copy; the cost a pixel does not grow with the
 * width. `passes` box filters stand for the Gaussian: 3 are close, 2 are quick.
 */
export function blur(picture: Bitmap, sigma: number, check: Check, passes = 3): void {
	if (sigma < 0.3) return;
	const opaque = isOpaque(picture);
	if (!opaque) premultiply(picture);
	blurPlain(picture, sigma, check, passes, opaque);
	if (!opaque) unpremultiply(picture);
}

function blurPlain(picture: Bitmap, sigma: number, check: Check, passes: number, opaque: boolean): void {
	const { width, height } = picture;
	if (sigma >= 2.6 && width >= 16 && height >= 16) {
		const small = halve(picture, check);
		blurPlain(small, Math.sqrt(sigma * sigma - 1) / 2, check, passes, opaque);
		double(small, picture, check);
		return;
	}
	const other = blank(width, height);
	for (const radius of boxes(sigma, passes)) {
		if (radius === 0) continue;
		boxRows(picture, other, radius, check);
		boxColumns(other, picture, radius, check);
	}
	if (opaque) for (let i = 3; i < picture.data.length; i += 4) picture.data[i] = 255;
}

/** Radii of boxes whose succession has this standard deviation. */
function boxes(sigma: number, passes: number): readonly number[] {
	const ideal = Math.sqrt((12 * sigma * sigma) / passes + 1);
	const low = Math.floor((ideal - 1) / 2);
	const width = low * 2 + 1;
	const small = Math.round((12 * sigma * sigma - passes * (width * width + 4 * width + 3)) / (-4 * width - 4));
	return Array.from({ length: passes }, (_, i) => (i < small ? low : low + 1));
}

/** Means are reckoned in fractions of so many bits: fewer would round a white of hundreds of neighbours up to 256. */
const BITS = 20;
const ONE = 2 ** BITS;
const HALF = ONE / 2;

/** The mean of `2 * radius + 1` neighbours in each row; the border repeats. */
export function boxRows(from: Bitmap, to: Bitmap, radius: number, check: Check): void {
	const { width, height, data } = from;
	const scale = Math.round(ONE / (radius * 2 + 1));
	const last = (width - 1) * 4;
	const reach = radius * 4;
	for (let row = 0; row < height; row++) {
		if ((row & 127) === 0) check();
		const base = row * width * 4;
		let [r, g, b, a] = [HALF / scale, HALF / scale, HALF / scale, HALF / scale].map(Math.floor) as [
			number,
			number,
			number,
			number,
		];
		for (let k = -radius; k <= radius; k++) {
			const i = base + Math.min(last, Math.max(0, k * 4));
			r += data[i] as number;
			g += data[i + 1] as number;
			b += data[i + 2] as number;
			a += data[i + 3] as number;
		}
		const out = to.data;
		for (let x = 0, at = base; x <= last; x += 4, at += 4) {
			out[at] = (r * scale) >> BITS;
			out[at + 1] = (g * scale) >> BITS;
			out[at + 2] = (b * scale) >> BITS;
			out[at + 3] = (a * scale) >> BITS;
			const next = base + (x + reach + 4 > last ? last : x + reach + 4);
			const old = base + (x - reach < 0 ? 0 : x - reach);
			r += (data[next] as number) - (data[old] as number);
			g += (data[next + 1] as number) - (data[old + 1] as number);
			b += (data[next + 2] as number) - (data[old + 2] as number);
			a += (data[next + 3] as number) - (data[old + 3] as number);
		}
	}
}

/** The mean of `2 * radius + 1` neighbours in each column. All columns go down together, so that memory is read in order. */
export function boxColumns(from: Bitmap, to: Bitmap, radius: number, check: Check): void {
	const { width, height, data } = from;
	const stride = width * 4;
	const scale = Math.round(ONE / (radius * 2 + 1));
	const sums = new Int32Array(stride).fill(Math.floor(HALF / scale));
	const rowAt = (row: number): number => Math.min(height - 1, Math.max(0, row)) * stride;
	for (let k = -radius; k <= radius; k++) {
		const base = rowAt(k);
		for (let i = 0; i < stride; i++) sums[i] = (sums[i] as number) + (data[base + i] as number);
	}
	const out = to.data;
	for (let row = 0; row < height; row++) {
		if ((row & 127) === 0) check();
		const [base, next, old] = [row * stride, rowAt(row + radius + 1), rowAt(row - radius)];
		for (let i = 0; i < stride; i++) {
			const sum = sums[i] as number;
			out[base + i] = (sum * scale) >> BITS;
			sums[i] = sum + (data[next + i] as number) - (data[old + i] as number);
		}
	}
}
