import { createRandom } from '../../../scene/random.ts';
import { type Bitmap, type Check, copy, luma, words } from '../bitmap.ts';
import { byte } from './pointwise.ts';

/** Adds grain; equal seeds add equal grain. `amount` is 0 to 1. */
export function grain({ data }: Bitmap, amount: number, seed: number): void {
	// A table of noise, read from changing places: a generator per pixel would be the slowest part.
	const random = createRandom(seed);
	const table = Int16Array.from({ length: 8191 }, () =>
		Math.round((random.next() + random.next() + random.next() - 1.5) * amount * 130),
	);
	let at = random.int(0, 8190);
	for (let i = 0, k = 0; i < data.length; i += 4, k++) {
		if (at >= 8191) at = ((k * 2_654_435_761) % 8191) >>> 0;
		const noise = table[at++] as number;
		data[i] = byte((data[i] as number) + noise);
		data[i + 1] = byte((data[i + 1] as number) + noise);
		data[i + 2] = byte((data[i + 2] as number) + noise);
	}
}

/** The median of each pixel and its eight neighbours, per channel: single wrong pixels go, edges stay. */
export function median(picture: Bitmap, check: Check): void {
	const { width, height, data } = picture;
	const from = copy(picture).data;
	const stride = width * 4;
	const [low, mid, high] = [new Uint8Array(stride), new Uint8Array(stride), new Uint8Array(stride)];
	for (let y = 0; y < height; y++) {
		if ((y & 31) === 0) check();
		sortColumns(from, Math.max(0, y - 1) * stride, y * stride, Math.min(height - 1, y + 1) * stride);
		for (let i = 0; i < stride; i++) {
			if ((i & 3) === 3) continue;
			const l = i >= 4 ? i - 4 : i;
			const r = i + 4 < stride ? i + 4 : i;
			// The median of nine is the middle one of: the greatest low, the middle mid, the least high.
			const a = Math.max(low[l] as number, low[i] as number, low[r] as number);
			const b = middle(mid[l] as number, mid[i] as number, mid[r] as number);
			const c = Math.min(high[l] as number, high[i] as number, high[r] as number);
			data[y * stride + i] = middle(a, b, c);
		}
	}

	function sortColumns(source: Uint8Array, up: number, row: number, down: number): void {
		for (let i = 0; i < stride; i++) {
			const a = source[up + i] as number;
			const b = source[row + i] as number;
			const c = source[down + i] as number;
			low[i] = Math.min(a, b, c);
			high[i] = Math.max(a, b, c);
			mid[i] = middle(a, b, c);
		}
	}
}

function middle(a: number, b: number, c: number): number {
	return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/** Dots on a turned grid whose size follows the brightness; `colored` keeps the hues. */
export function halftone(picture: Bitmap, cell: number, colored: boolean, check: Check): void {
	const { width, height, data } = picture;
	const from = copy(picture).data;
	const [c, s] = [Math.cos(0.5), Math.sin(0.5)];
	for (let y = 0; y < height; y++) {
		if ((y & 63) === 0) check();
		for (let x = 0; x < width; x++) {
			const [u, v] = [(x * c + y * s) / cell, (y * c - x * s) / cell];
			const [du, dv] = [u - Math.floor(u) - 0.5, v - Math.floor(v) - 0.5];
			// The dot takes its tone from its own middle, so that it stays round.
			const [mx, my] = [x - (du * c - dv * s) * cell, y - (du * s + dv * c) * cell];
			const px = Math.min(width - 1, Math.max(0, Math.round(mx)));
			const py = Math.min(height - 1, Math.max(0, Math.round(my)));
			const i = (py * width + px) * 4;
			const [r, g, b] = [from[i] as number, from[i + 1] as number, from[i + 2] as number];
			const radius = Math.sqrt(1 - luma(r, g, b) / 255) * 0.74;
			const ink = Math.min(1, Math.max(0, (radius - Math.sqrt(du * du + dv * dv)) * cell + 0.5));
			const at = (y * width + x) * 4;
			const tone = colored ? [r * 0.7, g * 0.7, b * 0.7] : [20, 20, 24];
			for (let k = 0; k < 3; k++) data[at + k] = 252 + ((tone[k] as number) - 252) * ink;
		}
	}
}

/** Moves red to one side and blue to the other, in pixels. */
export function splitChannels(picture: Bitmap, shift: number): void {
	const { width, height, data } = picture;
	const from = copy(picture).data;
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const at = (y * width + x) * 4;
			data[at] = from[(y * width + Math.max(0, x - shift)) * 4] as number;
			data[at + 2] = from[(y * width + Math.min(width - 1, x + shift)) * 4 + 2] as number;
		}
	}
}

/** A damaged tape: bands of rows slip sideways, channels part, every third row is darker. */
export function glitch(picture: Bitmap, amount: number, seed: number): void {
	const { width, height, data } = picture;
	const random = createRandom(seed);
	splitChannels(picture, Math.max(1, Math.round(width * 0.008 * (0.5 + amount))));
	const all = words(picture);
	for (let y = 0; y < height; ) {
		const band = Math.max(1, Math.round(height * random.range(0.01, 0.09)));
		const slip = random.chance(0.45) ? Math.round(width * amount * random.range(-0.12, 0.12)) : 0;
		for (let row = y; row < Math.min(height, y + band) && slip !== 0; row++) {
			const line = all.slice(row * width, (row + 1) * width);
			for (let x = 0; x < width; x++) all[row * width + x] = line[(x - slip + width) % width] as number;
		}
		y += band;
	}
	for (let y = 0; y < height; y += 3) {
		for (let i = y * width * 4; i < (y + 1) * width * 4; i += 4) {
			for (let c = i; c < i + 3; c++) data[c] = (data[c] as number) * 0.82;
		}
	}
}
