import { createBackdrop } from '../scene/parts/backdrop.ts';
import type { ScenePlan } from '../scene/plan.ts';
import type { Surface } from './surface.ts';

/** Rows between two looks at whether the job is to stop. */
const CHECK_ROWS = 64;

/** Paints what lies behind everything on the whole surface. */
export function paintSky({ width, height, data }: Surface, plan: ScenePlan, check: () => void): void {
	const { rows, paints } = createBackdrop(plan, { width, height });
	const color = new Float32Array(3);
	for (let y = 0, at = 0; y < height; y++) {
		if (y % CHECK_ROWS === 0) check();
		for (let x = 0; x < width; x++, at += 4) {
			color[0] = rows[y * 3] as number;
			color[1] = rows[y * 3 + 1] as number;
			color[2] = rows[y * 3 + 2] as number;
			for (const paint of paints) paint(x, y, color);
			// Dither: without it, wide gradients show as bands.
			const noise = fraction(52.9829189 * fraction(0.06711056 * x + 0.00583715 * y)) - 0.5;
			data[at] = (color[0] as number) + noise;
			data[at + 1] = (color[1] as number) + noise;
			data[at + 2] = (color[2] as number) + noise;
			data[at + 3] = 255;
		}
	}
}

function fraction(value: number): number {
	return value - Math.floor(value);
}
