import type { RawImage } from '@plinth/toolkit';
import type { Pixels } from '../scene/raster.ts';

/** A picture under work: premultiplied RGBA, at first transparent. */
export interface Surface {
	readonly width: number;
	readonly height: number;
	readonly data: Uint8ClampedArray;
}

/** Makes an empty surface. */
export function createSurface(width: number, height: number): Surface {
	return { width, height, data: new Uint8ClampedArray(width * height * 4) };
}

/** Lays premultiplied pixels over the surface, their top left corner at whole coordinates; with `wraps` they repeat sideways. */
export function lay(to: Surface, from: Pixels, left: number, top: number, wraps: boolean): void {
	const first = Math.max(0, -top);
	const last = Math.min(from.height, to.height - top);
	const source = wordsOf(from.data);
	const target = wordsOf(to.data);
	const start = wraps ? (((left % from.width) + from.width) % from.width) - from.width : left;
	for (let x = start; x < to.width; x += from.width) {
		const [a, b] = [Math.max(0, -x), Math.min(from.width, to.width - x)];
		for (let row = first; row < last && a < b; row++) {
			const at = row * from.width + a;
			layRow(target, to.data, (top + row) * to.width + x + a, source, from.data, at, b - a);
		}
		if (!wraps) break;
	}
}

/** Both pictures are read as whole pixels where these are empty or opaque, which most are. */
function layRow(
	target: Uint32Array,
	to: Uint8ClampedArray,
	at: number,
	source: Uint32Array,
	from: Pixels['data'],
	start: number,
	count: number,
): void {
	for (let i = start, o = at, end = start + count; i < end; i++, o++) {
		const pixel = source[i] as number;
		if (pixel === 0) continue;
		const alpha = pixel >>> 24;
		if (alpha === 255) {
			target[o] = pixel;
			continue;
		}
		const [p, q, open] = [i * 4, o * 4, 255 - alpha];
		to[q] = (from[p] as number) + div255((to[q] as number) * open);
		to[q + 1] = (from[p + 1] as number) + div255((to[q + 1] as number) * open);
		to[q + 2] = (from[p + 2] as number) + div255((to[q + 2] as number) * open);
		to[q + 3] = alpha + div255((to[q + 3] as number) * open);
	}
}

/** Fills a surface with a smaller one, smoothly. */
export function enlarge(from: Surface, to: Surface): void {
	const [stepX, stepY] = [from.width / to.width, from.height / to.height];
	for (let y = 0, at = 0; y < to.height; y++) {
		const v = clamp((y + 0.5) * stepY - 0.5, from.height - 1);
		const top = Math.floor(v) * from.width;
		const fy = v - Math.floor(v);
		const low = Math.min(top + from.width, (from.height - 1) * from.width);
		for (let x = 0; x < to.width; x++) {
			const u = clamp((x + 0.5) * stepX - 0.5, from.width - 1);
			const left = Math.floor(u);
			const right = Math.min(left + 1, from.width - 1);
			const fx = u - left;
			for (let k = 0; k < 4; k++, at++) {
				const a = from.data[(top + left) * 4 + k] as number;
				const b = from.data[(top + right) * 4 + k] as number;
				const c = from.data[(low + left) * 4 + k] as number;
				const d = from.data[(low + right) * 4 + k] as number;
				const upper = a + (b - a) * fx;
				to.data[at] = upper + (c + (d - c) * fx - upper) * fy;
			}
		}
	}
}

/** Keeps an ellipse that fills the picture, and fades what lies outside of it: the corners become transparent. */
export function fadeBorders({ width, height, data }: Surface): void {
	for (let y = 0, at = 0; y < height; y++) {
		const v = ((y + 0.5) / height) * 2 - 1;
		for (let x = 0; x < width; x++, at += 4) {
			const u = ((x + 0.5) / width) * 2 - 1;
			const t = (1 - (u * u + v * v)) * 4;
			if (t >= 1) continue;
			const share = t <= 0 ? 0 : t * t * (3 - 2 * t);
			for (let k = at; k < at + 4; k++) data[k] = (data[k] as number) * share;
		}
	}
}

/** Copies the surface as a picture whose colours are not premultiplied. */
export function toImage({ width, height, data }: Surface): RawImage {
	const pixels = new Uint8Array(data);
	for (let i = 3; i < pixels.length; i += 4) {
		const alpha = pixels[i] as number;
		if (alpha === 255 || alpha === 0) continue;
		for (let k = i - 3; k < i; k++) {
			pixels[k] = Math.min(255, Math.round(((pixels[k] as number) * 255) / alpha));
		}
	}
	return { width, height, data: pixels };
}

function clamp(value: number, most: number): number {
	return Math.min(most, Math.max(0, value));
}

/** Divides by 255 and rounds, for products of two bytes. */
function div255(value: number): number {
	const half = value + 128;
	return (half + (half >> 8)) >> 8;
}

/** The same memory, one number a pixel; the alpha is the highest byte on every machine that Node runs on. */
function wordsOf(data: Pixels['data']): Uint32Array {
	if (data.byteOffset % 4 !== 0) return wordsOf(data.slice());
	return new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);
}
