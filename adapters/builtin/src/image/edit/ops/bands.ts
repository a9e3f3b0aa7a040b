import type { Bitmap } from '../bitmap.ts';

/** Rows of a band, so that what is needed besides the picture stays small. */
const ROWS = 256;

/**
 * Changes a picture in place, a band of rows at a time. `work` gets each band with `margin` more rows on both sides, as they were before;
 * what it makes of those is not used. It must need no pixel that is further away.
 */
export function inBands(picture: Bitmap, margin: number, work: (band: Bitmap) => void): void {
	const { width, height, data } = picture;
	const stride = width * 4;
	const rows = Math.max(ROWS, margin * 4);
	let above = data.slice(0, 0);
	for (let top = 0; top < height; top += rows) {
		const bottom = Math.min(height, top + rows);
		const end = Math.min(height, bottom + margin);
		const band = new Uint8Array(above.length + (end - top) * stride);
		band.set(above);
		band.set(data.subarray(top * stride, end * stride), above.length);
		const start = above.length;
		above = data.slice((bottom - margin) * stride, bottom * stride);
		work({ width, height: band.length / stride, data: band });
		data.set(band.subarray(start, start + (bottom - top) * stride), top * stride);
	}
}
