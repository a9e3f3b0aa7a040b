import { eachParticle, type Particles, type Stamp } from '../scene/particles.ts';
import type { Surface } from './surface.ts';

/** Draws all particles as they are at the first moment. */
export function drawParticles(surface: Surface, particles: Particles): void {
	const { color } = particles.swarm;
	eachParticle(particles, 0, (stamp, x, y, opacity) => drawStamp(surface, stamp, x, y, color, opacity));
}

function drawStamp(
	{ width, height, data }: Surface,
	{ size, full }: Stamp,
	x: number,
	y: number,
	[r, g, b]: readonly [number, number, number],
	opacity: number,
): void {
	const [left, top] = [Math.floor(x - size / 2), Math.floor(y - size / 2)];
	const [fx, fy] = [x - size / 2 - left, y - size / 2 - top];
	const share = opacity / 255;
	// Stamps have an empty border, so that reading one pixel to the left and above stays inside.
	for (let row = Math.max(1, -top); row < size && top + row < height; row++) {
		for (let column = Math.max(1, -left); column < size && left + column < width; column++) {
			const i = row * size + column;
			const upper = (full[i - size - 1] as number) * fx + (full[i - size] as number) * (1 - fx);
			const lower = (full[i - 1] as number) * fx + (full[i] as number) * (1 - fx);
			const a = (upper * fy + lower * (1 - fy)) * share;
			if (a < 0.004) continue;
			const at = ((top + row) * width + left + column) * 4;
			data[at] = (data[at] as number) * (1 - a) + r * a;
			data[at + 1] = (data[at + 1] as number) * (1 - a) + g * a;
			data[at + 2] = (data[at + 2] as number) * (1 - a) + b * a;
			data[at + 3] = (data[at + 3] as number) * (1 - a) + 255 * a;
		}
	}
}
