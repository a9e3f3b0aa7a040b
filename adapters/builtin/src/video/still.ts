import type { Frame } from './compose.ts';

/** Converts a frame to opaque RGBA. BT.709, limited range. */
export function frameToRgba({ width, height, y, u, v }: Frame): Uint8Array {
	const data = new Uint8ClampedArray(width * height * 4);
	const half = width >> 1;
	for (let row = 0; row < height; row++) {
		for (let x = 0; x < width; x++) {
			const c = (row >> 1) * half + (x >> 1);
			const luma = ((y[row * width + x] as number) - 16) * 1.1644;
			const [cb, cr] = [(u[c] as number) - 128, (v[c] as number) - 128];
			const i = (row * width + x) * 4;
			data[i] = luma + 1.7927 * cr;
			data[i + 1] = luma - 0.2132 * cb - 0.5329 * cr;
			data[i + 2] = luma + 2.1124 * cb;
			data[i + 3] = 255;
		}
	}
	return new Uint8Array(data.buffer);
}
