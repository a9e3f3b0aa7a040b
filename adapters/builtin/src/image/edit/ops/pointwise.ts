import { type Bitmap, luma } from '../bitmap.ts';

/** Replaces every channel by its entry in a table of 256; alpha stays. */
export function mapChannels({ data }: Bitmap, table: ArrayLike<number>): void {
	mapEach(data, table, table, table);
}

/** Replaces red, green and blue by entries of tables of their own. */
export function mapEach(
	data: Uint8Array,
	red: ArrayLike<number>,
	green: ArrayLike<number>,
	blue: ArrayLike<number>,
): void {
	for (let i = 0; i < data.length; i += 4) {
		data[i] = red[data[i] as number] as number;
		data[i + 1] = green[data[i + 1] as number] as number;
		data[i + 2] = blue[data[i + 2] as number] as number;
	}
}

/** A table of 256 from a curve over 0 to 1. */
export function curve(shape: (value: number) => number): Uint8ClampedArray {
	return Uint8ClampedArray.from({ length: 256 }, (_, value) => shape(value / 255) * 255);
}

/** Multiplies red, green and blue by a 3x3 matrix, row by row. */
export function multiply({ data }: Bitmap, matrix: readonly number[]): void {
	const m = matrix.map((factor) => Math.round(factor * 4096));
	const [rr = 0, rg = 0, rb = 0, gr = 0, gg = 0, gb = 0, br = 0, bg = 0, bb = 0] = m;
	for (let i = 0; i < data.length; i += 4) {
		const [r, g, b] = [data[i] as number, data[i + 1] as number, data[i + 2] as number];
		data[i] = byte((rr * r + rg * g + rb * b + 2048) >> 12);
		data[i + 1] = byte((gr * r + gg * g + gb * b + 2048) >> 12);
		data[i + 2] = byte((br * r + bg * g + bb * b + 2048) >> 12);
	}
}

/** Replaces every pixel by the colour that a table of 256 gives for its brightness, `share` of it. */
export function mapBrightness({ data }: Bitmap, table: Uint8Array, share = 1): void {
	const part = Math.round(share * 256);
	for (let i = 0; i < data.length; i += 4) {
		const [r, g, b] = [data[i] as number, data[i + 1] as number, data[i + 2] as number];
		const at = luma(r, g, b) * 3;
		data[i] = r + ((((table[at] as number) - r) * part) >> 8);
		data[i + 1] = g + ((((table[at + 1] as number) - g) * part) >> 8);
		data[i + 2] = b + ((((table[at + 2] as number) - b) * part) >> 8);
	}
}

/** A table of 256 colours that runs evenly through the given ones. */
export function gradient(stops: readonly (readonly number[])[]): Uint8Array {
	const table = new Uint8Array(768);
	const last = stops.length - 1;
	for (let value = 0; value < 256; value++) {
		const at = (value / 255) * last;
		const [from, to] = [stops[Math.floor(at)] ?? [], stops[Math.min(last, Math.floor(at) + 1)] ?? []];
		for (let c = 0; c < 3; c++) {
			const [a, b] = [from[c] ?? 0, to[c] ?? 0];
			table[value * 3 + c] = Math.round(a + (b - a) * (at % 1));
		}
	}
	return table;
}

/** How often each brightness occurs among pixels that can be seen. */
export function histogram({ data }: Bitmap): Uint32Array {
	const counts = new Uint32Array(256);
	for (let i = 0; i < data.length; i += 4) {
		if (data[i + 3] === 0) continue;
		const value = luma(data[i] as number, data[i + 1] as number, data[i + 2] as number);
		counts[value] = (counts[value] as number) + 1;
	}
	return counts;
}

/** Cuts a whole number to 0 to 255. */
export function byte(value: number): number {
	return value < 0 ? 0 : value > 255 ? 255 : value;
}
