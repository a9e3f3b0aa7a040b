import type { Layer, Mask } from './layer.ts';

/** One frame in I420: the planes Y, U and V of one buffer, in the form the encoder takes. */
export interface Frame {
	readonly width: number;
	readonly height: number;
	readonly buffer: Uint8Array;
	readonly y: Uint8Array;
	readonly u: Uint8Array;
	readonly v: Uint8Array;
}

/** Makes a frame to draw into again and again. */
export function createFrame(width: number, height: number): Frame {
	const buffer = new Uint8Array((width * height * 3) / 2);
	const luma = width * height;
	return {
		width,
		height,
		buffer,
		y: buffer.subarray(0, luma),
		u: buffer.subarray(luma, luma + luma / 4),
		v: buffer.subarray(luma + luma / 4),
	};
}

/**
 * Draws a layer with its left border at `x`, which may lie between two pixels, and its top at `y`.
 * Rows from `bottom` on are left out: the caller knows that something else will cover them.
 */
export function drawLayer(frame: Frame, layer: Layer, x: number, y: number, bottom = frame.height): void {
	const top = Math.round(y) + layer.top;
	const { width } = frame;
	const half = (bottom + 1) >> 1;
	drawPlane(frame.y, width, bottom, layer.y, layer.full, layer.wraps, x, top);
	drawPlane(frame.u, width >> 1, half, layer.u, layer.half, layer.wraps, x / 2, top >> 1);
	drawPlane(frame.v, width >> 1, half, layer.v, layer.half, layer.wraps, x / 2, top >> 1);
}

/** Darkens the whole frame; `light` 1 leaves it, 0 is black. */
export function fadeFrame(frame: Frame, light: number): void {
	const share = Math.round(Math.min(1, Math.max(0, light)) * 256);
	if (share === 256) return;
	scalePlane(frame.y, share, 16);
	scalePlane(frame.u, share, 128);
	scalePlane(frame.v, share, 128);
}

function scalePlane(plane: Uint8Array, share: number, zero: number): void {
	for (let i = 0; i < plane.length; i++) {
		plane[i] = zero + ((((plane[i] as number) - zero) * share) >> 8);
	}
}

function drawPlane(
	to: Uint8Array,
	width: number,
	height: number,
	color: Uint8Array,
	mask: Mask,
	wraps: boolean,
	x: number,
	top: number,
): void {
	const period = mask.width;
	const start = wraps ? x - Math.ceil(x / period) * period : x;
	// `| 0` keeps the loops in whole numbers: with the doubles that `Math` returns they are a third slower.
	const shift = Math.floor(start) | 0;
	const part = Math.round((start - shift) * 256) | 0;
	const { runs, rows, alpha } = mask;
	const first = Math.max(0, -top);
	const last = Math.min(mask.height, height - top);
	for (let row = first; row < last; row++) {
		const from = row * (period + 2) + 1;
		const line = (top + row) * width;
		const end = rows[row + 1] as number;
		for (let run = rows[row] as number; run < end; run += 3) {
			const opaque = runs[run + 2] === 1;
			for (let move = shift; move < width; move += period) {
				const a = Math.max(0, (runs[run] as number) + move);
				const b = Math.min(width, (runs[run + 1] as number) + move);
				if (a < b) {
					const source = from - move;
					if (!opaque) blend(to, color, alpha, line, a, b, source, part);
					else if (part === 0) to.set(color.subarray(source + a, source + b), line + a);
					else shiftCopy(to, color, line, a, b, source, part);
				}
				if (!wraps) break;
			}
		}
	}
}

function shiftCopy(
	to: Uint8Array,
	color: Uint8Array,
	line: number,
	a: number,
	b: number,
	source: number,
	part: number,
): void {
	let left = color[source + a - 1] as number;
	for (let x = a; x < b; x++) {
		const here = color[source + x] as number;
		to[line + x] = ((here << 8) + (left - here) * part + 128) >> 8;
		left = here;
	}
}

function blend(
	to: Uint8Array,
	color: Uint8Array,
	alpha: Uint8Array,
	line: number,
	a: number,
	b: number,
	source: number,
	part: number,
): void {
	let leftCover = alpha[source + a - 1] as number;
	let leftColor = color[source + a - 1] as number;
	for (let x = a; x < b; x++) {
		const cover = alpha[source + x] as number;
		const here = color[source + x] as number;
		// Both in 1/256; `open` is what remains of the pixel below, 0 to 65280, then spread to 0 to 65535.
		const open = 65_280 - (cover << 8) - (leftCover - cover) * part;
		const value = (here << 8) + (leftColor - here) * part;
		const share = open + ((open + 128) >> 8);
		to[line + x] = ((value << 8) + (to[line + x] as number) * share + 32_768) >> 16;
		leftCover = cover;
		leftColor = here;
	}
}
