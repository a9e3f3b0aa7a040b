import { type Bitmap, type Check, signedWords, unchecked } from '../bitmap.ts';

/** Multiplies colour by alpha, in place: what can be done with neighbours, sums and scales is right only then. */
export function premultiply({ data }: Bitmap): void {
	for (let i = 0; i < data.length; i += 4) {
		const a = data[i + 3] as number;
		if (a === 255) continue;
		data[i] = ((data[i] as number) * a + 127) / 255;
		data[i + 1] = ((data[i + 1] as number) * a + 127) / 255;
		data[i + 2] = ((data[i + 2] as number) * a + 127) / 255;
	}
}

/** Takes {@link premultiply} back. */
export function unpremultiply({ data }: Bitmap): void {
	for (let i = 0; i < data.length; i += 4) {
		const a = data[i + 3] as number;
		if (a === 255 || a === 0) continue;
		data[i] = Math.min(255, ((data[i] as number) * 255) / a + 0.5);
		data[i + 1] = Math.min(255, ((data[i + 1] as number) * 255) / a + 0.5);
		data[i + 2] = Math.min(255, ((data[i + 2] as number) * 255) / a + 0.5);
	}
}

/** Puts a colour behind everything that is transparent, in place. */
export function flatten({ data }: Bitmap, color: readonly number[]): void {
	const [r = 255, g = 255, b = 255] = color;
	for (let i = 0; i < data.length; i += 4) {
		const a = data[i + 3] as number;
		if (a === 255) continue;
		data[i] = r + (((data[i] as number) - r) * a) / 255 + 0.5;
		data[i + 1] = g + (((data[i + 1] as number) - g) * a) / 255 + 0.5;
		data[i + 2] = b + (((data[i + 2] as number) - b) * a) / 255 + 0.5;
		data[i + 3] = 255;
	}
}

/** Lays straight pixels over others at a place; what sticks out is left out. `opacity` is 0 to 1. */
export function lay(base: Bitmap, top: Bitmap, x: number, y: number, opacity = 1, check: Check = unchecked): void {
	const [left, right] = [Math.max(0, x), Math.min(base.width, x + top.width)];
	const part = Math.round(opacity * 256);
	const [to, from] = [base.data, top.data];
	for (let row = Math.max(0, y); row < Math.min(base.height, y + top.height); row++) {
		if ((row & 63) === 0) check();
		let i = (row * base.width + left) * 4;
		let j = ((row - y) * top.width + left - x) * 4;
		for (let column = left; column < right; column++, i += 4, j += 4) {
			const a = ((from[j + 3] as number) * part) >> 8;
			if (a === 0) continue;
			if (a === 255) {
				to[i] = from[j] as number;
				to[i + 1] = from[j + 1] as number;
				to[i + 2] = from[j + 2] as number;
				to[i + 3] = 255;
				continue;
			}
			const below = to[i + 3] as number;
			const rest = below * (255 - a);
			const sum = a * 255 + rest;
			for (let c = 0; c < 3; c++) {
				to[i + c] = ((from[j + c] as number) * a * 255 + (to[i + c] as number) * rest + (sum >> 1)) / sum;
			}
			to[i + 3] = (sum + 127) / 255;
		}
	}
}

/** Mixes an edited picture into the one before it, in place: `keep` is one byte a pixel, 255 leaves the pixel as it was. */
export function keepWhere(edited: Bitmap, before: Uint8Array, keep: Uint8Array): void {
	const { data } = edited;
	const [to, from] = [signedWords(edited), signedWords({ ...edited, data: before })];
	for (let k = 0; k < keep.length; k++) {
		const kept = keep[k] as number;
		if (kept === 255) to[k] = from[k] as number;
		else if (kept !== 0) mixPixel(data, before, k * 4, kept);
	}
}

/** Colours count by their alpha, so that what is invisible brings no fringe. */
function mixPixel(data: Uint8Array, before: Uint8Array, i: number, kept: number): void {
	const [a, b] = [(data[i + 3] as number) * (255 - kept), (before[i + 3] as number) * kept];
	const sum = a + b;
	if (sum === 0) return;
	for (let c = i; c < i + 3; c++) {
		data[c] = ((data[c] as number) * a + (before[c] as number) * b + (sum >> 1)) / sum;
	}
	data[i + 3] = (sum + 127) / 255;
}
