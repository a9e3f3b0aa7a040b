import type { RawImage } from '@plinth/toolkit';

/** How a layer moves. */
export interface Motion {
	/** The share of the camera's motion that it follows: 0 stays, 1 is nearest. */
	readonly depth: number;
	/** Its own motion in pixels per frame. */
	readonly drift?: { readonly x: number; readonly y: number };
	/** Whether it continues at its opposite borders. Such a layer is as large as the frame. */
	readonly isEndless?: boolean;
	/** The height of the horizon of its water, as a share of its picture from the top. */
	readonly waterline?: number;
}

/** A part of a picture, of premultiplied RGBA pixels. Empty rows are left out. */
export interface Layer extends Motion {
	/** The size of the whole picture. */
	readonly width: number;
	readonly height: number;
	/** The first row of `data`. */
	readonly top: number;
	/** All rows from this one on are opaque. */
	readonly solidFrom: number;
	readonly data: Int32Array;
}

/** Copies premultiplied pixels into a layer. */
export function createLayer({ width, height, data }: RawImage, motion: Motion): Layer {
	const pixels = new Int32Array(data.buffer, data.byteOffset, width * height);
	const rowAt = (row: number): Int32Array => pixels.subarray(row * width, (row + 1) * width);
	const isEmpty = (row: number): boolean => rowAt(row).every((pixel) => pixel === 0);
	let [top, end, solidFrom] = [0, height, height];
	while (top < height && isEmpty(top)) top++;
	while (end > top && isEmpty(end - 1)) end--;
	while (solidFrom > 0 && rowAt(solidFrom - 1).every((pixel) => pixel >>> 24 === 255)) solidFrom--;
	return { ...motion, width, height, top, solidFrom, data: pixels.slice(top * width, end * width) };
}

/** Copies a picture into a layer that the camera moves over. Transparency becomes white. */
export function layerOf({ width, height, data }: RawImage): Layer {
	const flat = new Uint8Array(data.length);
	for (let at = 0; at < data.length; at++) {
		const alpha = (data[at | 3] as number) / 255;
		flat[at] = (at & 3) === 3 ? 255 : 255.5 + ((data[at] as number) - 255) * alpha;
	}
	return createLayer({ width, height, data: flat }, { depth: 1 });
}

/** Mask of red and blue of a pixel, or of alpha and green after a shift; and half a unit of both, for rounding. */
const pair = 0xff00ff;
const half = 0x800080;

/** The place of a layer: the position of the frame's first pixel in it, and its pixels per pixel of the frame. */
export interface Place {
	readonly left: number;
	readonly top: number;
	readonly scale: number;
}

/**
 * Draws a layer over the rows of a frame above `bottom`. Bilinear filtering in whole numbers gives the same bytes on
 * every machine. `sway` is the horizontal shift of a row of the layer.
 */
export function drawLayer(
	to: Int32Array,
	width: number,
	bottom: number,
	layer: Layer,
	{ left, top, scale }: Place,
	sway: (row: number) => number = () => 0,
): void {
	const { data, width: columns } = layer;
	const rows = data.length / columns;
	const step = Math.round(scale * 65_536);
	for (let y = 0; y < bottom; y++) {
		const row = top + (y + 0.5) * scale - 0.5 - layer.top;
		if (row <= -1 || row >= rows) continue;
		const whole = Math.floor(row);
		const [upper, lower] = [Math.max(0, whole) * columns, Math.min(rows - 1, whole + 1) * columns];
		const fy = Math.floor((row - whole) * 256);
		const start = Math.round((left + sway(row + layer.top) + 0.5 * scale - 0.5) * 65_536);
		const first = Math.max(0, Math.ceil((-32_768 - start) / step));
		const last = y * width + Math.min(width, Math.ceil(((columns - 0.5) * 65_536 - start) / step));
		// Whole numbers for the compiler: doubles are slower.
		for (let at = (y * width + first) | 0, sx = (start + first * step) | 0; at < last; at++, sx = (sx + step) | 0) {
			const column = sx < 0 ? 0 : sx >> 16;
			const next = column < columns - 1 ? column + 1 : column;
			const fx = sx < 0 ? 0 : (sx >> 8) & 255;
			const above = mix(data[upper + column] as number, data[upper + next] as number, fx);
			const below = mix(data[lower + column] as number, data[lower + next] as number, fx);
			const pixel = mix(above, below, fy);
			const transparency = 255 - (pixel >>> 24);
			if (transparency === 0) to[at] = pixel;
			else if (pixel !== 0) to[at] = pixel + mix(0, to[at] as number, transparency + (transparency >> 7));
		}
	}
}

/** Mixes two pixels; `share` of 256 is the share of the second. */
function mix(a: number, b: number, share: number): number {
	if (a === b) return a;
	const rest = 256 - share;
	const rb = ((Math.imul(a & pair, rest) + Math.imul(b & pair, share) + half) | 0) >>> 8;
	const ga = (Math.imul((a >>> 8) & pair, rest) + Math.imul((b >>> 8) & pair, share) + half) | 0;
	return (rb & pair) | (ga & ~pair);
}
