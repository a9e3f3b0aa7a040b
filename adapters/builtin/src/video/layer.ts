import type { Pixels } from '../scene/raster.ts';

/** Bytes that worker threads share instead of copying. */
export function sharedBytes(length: number): Uint8Array {
	return new Uint8Array(new SharedArrayBuffer(length));
}

/** Whole numbers that worker threads share. */
function sharedInts(values: readonly number[]): Int32Array {
	const ints = new Int32Array(new SharedArrayBuffer(values.length * 4));
	ints.set(values);
	return ints;
}

/**
 * Coverage of a layer at one resolution.
 *
 * Rows are `width + 2` long: one more pixel at both ends, so that a shift by a part of a pixel never leaves the row.
 * `runs` holds `start, end, kind` per stretch of pixels that is not empty, row by row; kind 1 is opaque, 2 needs
 * blending. `rows[y]` is the index of the first run of row y.
 */
export interface Mask {
	readonly width: number;
	readonly height: number;
	readonly alpha: Uint8Array;
	readonly runs: Int32Array;
	readonly rows: Int32Array;
}

/** A picture part in the form that frames are put together from: premultiplied YUV 4:2:0 with alpha. */
export interface Layer {
	readonly width: number;
	readonly height: number;
	/** Rows that were cut off at the top because they were empty. */
	readonly top: number;
	/** True when the right border continues at the left one. */
	readonly wraps: boolean;
	readonly full: Mask;
	readonly half: Mask;
	readonly y: Uint8Array;
	readonly u: Uint8Array;
	readonly v: Uint8Array;
}

/** Turns premultiplied RGBA of an even width and height into a layer. BT.709, limited range. */
export function createLayer(image: Pixels, wraps: boolean): Layer {
	const { width } = image;
	const { top, bottom } = usedRows(image);
	const height = bottom - top;
	const [cw, ch] = [width >> 1, height >> 1];
	const [luma, chroma] = [(width + 2) * height, (cw + 2) * ch];
	const [y, alpha] = [sharedBytes(luma), sharedBytes(luma)];
	const [u, v, half] = [sharedBytes(chroma), sharedBytes(chroma), sharedBytes(chroma)];
	for (let row = 0; row < height; row++) {
		lumaRow(image, top + row, y, alpha, row * (width + 2) + 1);
	}
	for (let row = 0; row < ch; row++) {
		chromaRow(image, top + row * 2, u, v, half, row * (cw + 2) + 1);
	}
	if (wraps) {
		for (const plane of [y, alpha]) closeRows(plane, width, height);
		for (const plane of [u, v, half]) closeRows(plane, cw, ch);
	}
	return {
		width,
		height,
		top,
		wraps,
		full: createMask(alpha, width, height, wraps),
		half: createMask(half, cw, ch, wraps),
		y,
		u,
		v,
	};
}

/** The first row from which on a layer that repeats hides everything behind it; its height when there is none. */
export function solidFrom({ height, wraps, full }: Layer): number {
	if (!wraps) return height;
	const { rows, runs, width } = full;
	let row = height;
	while (row > 0) {
		const run = rows[row - 1] as number;
		const single = (rows[row] as number) - run === 3;
		if (!single || runs[run] !== 0 || runs[run + 1] !== width || runs[run + 2] !== 1) break;
		row--;
	}
	return row;
}

/** Weights in 1/65536, so that every machine rounds alike. */
function lumaRow({ width, data }: Pixels, row: number, y: Uint8Array, alpha: Uint8Array, at: number): void {
	let to = at;
	for (let i = row * width * 4, end = i + width * 4; i < end; i += 4, to++) {
		const a = data[i + 3] as number;
		if (a === 0) continue;
		const [r, g, b] = [data[i] as number, data[i + 1] as number, data[i + 2] as number];
		alpha[to] = a;
		y[to] = (4112 * a + 11_967 * r + 40_252 * g + 4063 * b + 32_768) >> 16;
	}
}

function chromaRow(
	{ width, data }: Pixels,
	row: number,
	u: Uint8Array,
	v: Uint8Array,
	alpha: Uint8Array,
	at: number,
): void {
	let to = at;
	const stride = width * 4;
	for (let i = row * stride, end = i + stride; i < end; i += 8, to++) {
		const j = i + stride;
		const a = sum(data, i + 3, j + 3);
		if (a === 0) continue;
		const r = sum(data, i, j);
		const g = sum(data, i + 1, j + 1);
		const b = sum(data, i + 2, j + 2);
		alpha[to] = (a + 2) >> 2;
		u[to] = (32_897 * a - 6593 * r - 22_191 * g + 28_784 * b + 131_072) >> 18;
		v[to] = (32_897 * a + 28_784 * r - 26_143 * g - 2641 * b + 131_072) >> 18;
	}
}

/** Adds up one channel of two pixels in each of two rows. */
function sum(data: Pixels['data'], i: number, j: number): number {
	return (data[i] as number) + (data[i + 4] as number) + (data[j] as number) + (data[j + 4] as number);
}

/** Finds the stretches that have to be drawn. A pixel mixes with its left neighbour when the layer is shifted. */
function createMask(alpha: Uint8Array, width: number, height: number, wraps: boolean): Mask {
	const runs: number[] = [];
	const rows: number[] = [0];
	const stride = width + 2;
	const end = wraps ? width : width + 1;
	for (let row = 0; row < height; row++) {
		const at = row * stride + 1;
		let start = 0;
		let kind = -1;
		for (let x = 0; x <= end; x++) {
			const [a, b] = [alpha[at + x - 1] as number, alpha[at + x] as number];
			const here = x === end ? 0 : (a & b) === 255 ? 1 : a + b === 0 ? 0 : 2;
			if (here === kind && x < end) continue;
			if (kind > 0) runs.push(start, x, kind);
			start = x;
			kind = here;
		}
		rows.push(runs.length);
	}
	return { width, height, alpha, runs: sharedInts(runs), rows: sharedInts(rows) };
}

function closeRows(plane: Uint8Array, width: number, height: number): void {
	for (let at = 0; at < height * (width + 2); at += width + 2) {
		plane[at] = plane[at + width] as number;
		plane[at + width + 1] = plane[at + 1] as number;
	}
}

/** The rows between the first and the last one that show anything, on even borders. */
function usedRows({ width, height, data }: Pixels): { top: number; bottom: number } {
	const empty = (row: number): boolean => {
		for (let i = row * width * 4 + 3; i < (row + 1) * width * 4; i += 4) {
			if (data[i] !== 0) return false;
		}
		return true;
	};
	let top = 0;
	let bottom = height;
	while (top < height && empty(top)) top++;
	while (bottom > top && empty(bottom - 1)) bottom--;
	return { top: top & ~1, bottom: Math.min(height, (bottom + 1) & ~1) };
}
