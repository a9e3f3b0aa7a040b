import { eachParticle, type Particles, type Stamp } from '../scene/particles.ts';
import type { Frame } from './compose.ts';

/** Draws all particles as they are at a frame. */
export function drawParticles(frame: Frame, particles: Particles, time: number): void {
	const [r, g, b] = particles.swarm.color;
	const y = 16 + 0.1826 * r + 0.6142 * g + 0.062 * b;
	const u = 128 - 0.1006 * r - 0.3386 * g + 0.4392 * b;
	const v = 128 + 0.4392 * r - 0.3989 * g - 0.0403 * b;
	eachParticle(particles, time, (stamp, x, top, opacity) => drawStamp(frame, stamp, x, top, [y, u, v], opacity));
}

/** Draws one stamp around a point, in a YUV colour. */
function drawStamp(
	frame: Frame,
	stamp: Stamp,
	x: number,
	y: number,
	color: readonly [number, number, number],
	opacity: number,
): void {
	const { width, height } = frame;
	const strength = Math.round(opacity * 256);
	const { size } = stamp;
	const left = x - size / 2;
	const top = y - size / 2;
	stampPlane(frame.y, width, height, stamp.full, size, left, top, color[0], strength);
	const small = size >> 1;
	for (const [plane, value] of [
		[frame.u, color[1]],
		[frame.v, color[2]],
	] as const) {
		stampPlane(plane, width >> 1, height >> 1, stamp.half, small, left / 2, top / 2, value, strength);
	}
}

function stampPlane(
	plane: Uint8Array,
	width: number,
	height: number,
	cover: Uint8Array,
	size: number,
	left: number,
	top: number,
	value: number,
	strength: number,
): void {
	const [x0, y0] = [Math.floor(left), Math.floor(top)];
	const [fx, fy] = [left - x0, top - y0];
	const [w11, w01] = [fx * fy, (1 - fx) * fy];
	const [w10, w00] = [fx * (1 - fy), (1 - fx) * (1 - fy)];
	// Stamps have an empty border, so that reading one pixel to the left and above stays inside.
	for (let row = Math.max(1, -y0); row < size && y0 + row < height; row++) {
		const from = row * size;
		const line = (y0 + row) * width + x0;
		const end = Math.min(size, width - x0);
		for (let x = Math.max(1, -x0); x < end; x++) {
			const i = from + x;
			const a =
				(cover[i] as number) * w00 +
				(cover[i - 1] as number) * w10 +
				(cover[i - size] as number) * w01 +
				(cover[i - size - 1] as number) * w11;
			if (a < 1) continue;
			const old = plane[line + x] as number;
			plane[line + x] = old + ((value - old) * a * strength) / 65_280 + 0.5;
		}
	}
}
