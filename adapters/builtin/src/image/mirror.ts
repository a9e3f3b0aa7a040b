import { createRandom } from '../scene/random.ts';
import type { Surface } from './surface.ts';

/** How a surface mirrors. */
export interface Reflection {
	/** The row at which the water begins. */
	readonly horizon: number;
	/** How much of what is mirrored can be seen at the horizon, 0 to 1. */
	readonly strength: number;
	/** 0 is a mirror, 1 an open sea. */
	readonly rough: number;
	readonly seed: number;
}

/** Mirrors what stands above a row in the water below it, broken by waves that grow towards the lower border. */
export function mirror({ width, height, data }: Surface, { horizon, strength, rough, seed }: Reflection): void {
	const depth = height - horizon;
	const random = createRandom(seed);
	const phases = [0, 1, 2].map(() => random.next() * Math.PI * 2);
	for (let row = 1; row < depth; row++) {
		const t = row / depth;
		const share = strength * (1 - t) ** 1.4;
		if (share < 0.01) break;
		const wave = Math.sin(t * 90 + (phases[0] as number)) * Math.sin(t * 37 + (phases[1] as number));
		// Waves squeeze what is mirrored, up and down, and push it aside a little.
		const lift = Math.round(wave * rough * depth * 0.03 * (0.2 + t));
		const from = horizon - Math.round(row * 0.92) - 1 + lift;
		if (from < 0 || from >= horizon) continue;
		const push = Math.round(Math.sin(t * 140 + (phases[2] as number)) * rough * depth * 0.012 * (0.3 + t));
		blendRow(data, from * width, (horizon + row) * width, width, push, share);
	}
}

function blendRow(data: Uint8ClampedArray, from: number, to: number, width: number, push: number, share: number): void {
	for (let x = 0; x < width; x++) {
		const source = Math.min(width - 1, Math.max(0, x + push));
		const [i, o] = [(from + source) * 4, (to + x) * 4];
		const a = ((data[i + 3] as number) / 255) * share;
		for (let k = 0; k < 4; k++) {
			data[o + k] = (data[o + k] as number) * (1 - a) + (data[i + k] as number) * share;
		}
	}
}
