import { type Bitmap, copy } from '../bitmap.ts';
import { premultiply } from './alpha.ts';
import { boxColumns, boxRows } from './blur.ts';
import { double, halve } from './scale.ts';

/** Fills a hole with the colours around it, smoothly, over ever smaller copies. `keep` is one byte a pixel, 255 outside the hole. */
export function heal(picture: Bitmap, keep: Uint8Array, check: () => void): void {
	const known = copy(picture);
	for (let k = 0; k < keep.length; k++) {
		// Half-known pixels would bring the border of the hole back.
		if (keep[k] !== 255) known.data[k * 4 + 3] = 0;
	}
	premultiply(known);
	fill(known, check);
	for (let i = 0, k = 0; k < keep.length; i += 4, k++) {
		if (keep[k] === 255) continue;
		for (let c = i; c < i + 3; c++) picture.data[c] = known.data[c] as number;
		picture.data[i + 3] = 255;
	}
}

/** Puts behind every premultiplied pixel what its smaller copy knows there. */
function fill(level: Bitmap, check: () => void): void {
	const { width, height, data } = level;
	check();
	if (width === 1 && height === 1) {
		const a = data[3] as number;
		for (let c = 0; c < 3 && a > 0; c++) data[c] = Math.min(255, ((data[c] as number) * 255) / a);
		data[3] = 255;
		return;
	}
	const small = halve(level, check);
	saturate(small);
	fill(small, check);
	// Softened, because every step down leaves squares.
	const soft = copy(small);
	boxRows(small, soft, 1, check);
	boxColumns(soft, small, 1, check);
	const behind = copy(level);
	double(small, behind, check);
	for (let i = 0; i < data.length; i += 4) {
		const rest = 255 - (data[i + 3] as number);
		if (rest === 0) continue;
		for (let c = i; c < i + 4; c++) {
			data[c] = Math.min(255, (data[c] as number) + ((behind.data[c] as number) * rest + 127) / 255);
		}
	}
}

/** Makes what is known in part wholly known, so that the border of the hole goes on into it. */
function saturate({ data }: Bitmap): void {
	for (let i = 0; i < data.length; i += 4) {
		const a = data[i + 3] as number;
		if (a === 0 || a === 255) continue;
		for (let c = i; c < i + 3; c++) data[c] = Math.min(255, ((data[c] as number) * 255) / a + 0.5);
		data[i + 3] = 255;
	}
}
