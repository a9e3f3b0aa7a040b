import type { Bitmap, Size } from '../bitmap.ts';
import type { Region } from '../grammar/scope.ts';
import type { Box } from './geometry.ts';

/** What has to stay when only a part is to change: 255 outside it, 0 inside, and soft along its inner border where it is soft. */
export function keepAround({ width, height }: Size, region: Region): Uint8Array {
	const { left, top, right, bottom, soft, outside } = region;
	const across = ramp(width, left, right, soft * Math.min(width, height));
	const down = ramp(height, top, bottom, soft * Math.min(width, height));
	const keep = new Uint8Array(width * height);
	for (let y = 0, k = 0; y < height; y++) {
		for (let x = 0; x < width; x++, k++) {
			const share = Math.min(across[x] as number, down[y] as number);
			keep[k] = outside ? share : 255 - share;
		}
	}
	return keep;
}

/** 255 between two shares of a length, 0 elsewhere; it rises within `soft` pixels, but not at the ends of the length. */
function ramp(length: number, from: number, to: number, soft: number): Uint8Array {
	const [first, last] = [Math.round(from * length), Math.round(to * length)];
	return Uint8Array.from({ length }, (_, at) => {
		if (at < first || at >= last) return 0;
		const depth = Math.min(first > 0 ? at + 0.5 - first : length, last < length ? last - at - 0.5 : length);
		return soft < 1 ? 255 : Math.min(255, Math.round((255 * depth) / soft));
	});
}

/** The smallest box that holds all that may change; undefined where everything stays. */
export function openBox(keep: Uint8Array, { width, height }: Size): Box | undefined {
	let [left, right, top, bottom] = [width, -1, height, -1];
	for (let y = 0; y < height; y++) {
		const row = keep.subarray(y * width, (y + 1) * width);
		const first = row.findIndex((kept) => kept !== 255);
		if (first < 0) continue;
		if (top > y) top = y;
		bottom = y;
		left = Math.min(left, first);
		right = Math.max(
			right,
			row.findLastIndex((kept) => kept !== 255),
		);
	}
	if (bottom < 0) return undefined;
	return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** A box grown on all sides, as far as the picture reaches. It begins at whole steps, so that smaller copies fall on the same pixels. */
export function grown({ x, y, width, height }: Box, by: number, outer: Size): Box {
	const step = 64;
	const [left, top] = [x, y].map((at) => Math.max(0, Math.floor((at - by) / step) * step)) as [number, number];
	const right = Math.min(outer.width, x + width + by);
	const bottom = Math.min(outer.height, y + height + by);
	return { x: left, y: top, width: right - left, height: bottom - top };
}

/** A part of a mask. */
export function cutMask(keep: Uint8Array, width: number, box: Box): Uint8Array {
	const part = new Uint8Array(box.width * box.height);
	for (let row = 0; row < box.height; row++) {
		const start = (box.y + row) * width + box.x;
		part.set(keep.subarray(start, start + box.width), row * box.width);
	}
	return part;
}

/** Puts a part back where it was cut out. */
export function putBack(whole: Bitmap, part: Bitmap, { x, y }: Box): void {
	const stride = part.width * 4;
	for (let row = 0; row < part.height; row++) {
		whole.data.set(part.data.subarray(row * stride, (row + 1) * stride), ((y + row) * whole.width + x) * 4);
	}
}
