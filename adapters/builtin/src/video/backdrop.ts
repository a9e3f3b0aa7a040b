import { createBackdrop } from '../scene/parts/backdrop.ts';
import type { ScenePlan } from '../scene/plan.ts';
import { sharedBytes } from './layer.ts';

/**
 * Paints sky, light, glow, stars, nebula and rainbow into the upper part of a frame of `frameRows` rows, all even.
 * The rest stays empty: the caller covers it. The result is I420, shared between threads.
 */
export function paintBackdrop(
	plan: ScenePlan,
	{ width, height }: { readonly width: number; readonly height: number },
	frameRows: number,
): Uint8Array {
	const { rows, paints } = createBackdrop(plan, { width, height });
	const buffer = sharedBytes((width * frameRows * 3) / 2);
	const luma = width * frameRows;
	const color = new Float32Array(3);
	const sums = new Float32Array(width);
	for (let y = 0; y < height; y++) {
		if ((y & 1) === 0) sums.fill(0);
		for (let x = 0; x < width; x++) {
			color[0] = rows[y * 3] as number;
			color[1] = rows[y * 3 + 1] as number;
			color[2] = rows[y * 3 + 2] as number;
			for (const paint of paints) paint(x, y, color);
			const r = limit(color[0] as number);
			const g = limit(color[1] as number);
			const b = limit(color[2] as number);
			// Dither: without it, wide gradients show as bands.
			const noise = fraction(52.9829189 * fraction(0.06711056 * x + 0.00583715 * y));
			buffer[y * width + x] = 16 + 0.1826 * r + 0.6142 * g + 0.062 * b + noise;
			const c = x & ~1;
			sums[c] = (sums[c] as number) - 0.1006 * r - 0.3386 * g + 0.4392 * b;
			sums[c + 1] = (sums[c + 1] as number) + 0.4392 * r - 0.3989 * g - 0.0403 * b;
			if ((y & 1) === 1 && (x & 1) === 1) {
				const at = luma + (y >> 1) * (width >> 1) + (x >> 1);
				buffer[at] = 128 + (sums[c] as number) / 4 + noise;
				buffer[at + luma / 4] = 128 + (sums[c + 1] as number) / 4 + noise;
			}
		}
	}
	return buffer;
}

function fraction(value: number): number {
	return value - Math.floor(value);
}

function limit(value: number): number {
	return value < 0 ? 0 : value > 255 ? 255 : value;
}
