import type { Rgb } from './color.ts';
import type { Frame } from './compose.ts';
import { createRandom, type Random } from './random.ts';

/** A small drawing in one colour: coverage per pixel, twice, for luma and for chroma. */
export interface Stamp {
	readonly size: number;
	readonly full: Uint8Array;
	readonly half: Uint8Array;
}

/** A swarm of equal things. All speeds are in pixels per frame. */
export interface Swarm {
	readonly count: number;
	/** One is chosen per particle; with `flap` they alternate, like the wings of a bird. */
	readonly stamps: readonly Stamp[];
	readonly flap?: number;
	readonly color: Rgb;
	/** The region that particles leave at one side and enter at the other. */
	readonly area: {
		readonly x: number;
		readonly y: number;
		readonly width: number;
		readonly height: number;
	};
	readonly speed: { readonly x: number; readonly y: number };
	/** Particles differ in speed by this share: nearer ones are faster. */
	readonly spread: number;
	/** Sideways swing in pixels and its length in frames. */
	readonly sway?: { readonly x: number; readonly y: number; readonly period: number };
	/** 0 to 1. */
	readonly opacity: number;
	/** How deep the brightness pulses, 0 to 1, and over how many frames. */
	readonly pulse?: { readonly depth: number; readonly period: number };
	/** Particles start together from `count` points, fly apart to a distance in pixels, sink and go out, again and again. */
	readonly burst?: { readonly count: number; readonly reach: number; readonly period: number };
	readonly seed: number;
}

/** Draws a soft disc of a radius in pixels; `hardness` 1 has a crisp border. */
export function discStamp(radius: number, hardness = 0.3): Stamp {
	return createStamp(radius * 2 + 3, (x, y) => {
		const distance = Math.hypot(x, y) / radius;
		return clamp((1 - distance) / Math.max(1 - hardness, 0.6 / radius)) ** (2 - hardness);
	});
}

/** Draws a ring, such as a bubble. */
export function ringStamp(radius: number): Stamp {
	return createStamp(radius * 2 + 4, (x, y) => {
		const distance = Math.hypot(x, y);
		const shine = Math.hypot(x + radius * 0.35, y + radius * 0.4) / (radius * 0.28);
		const rim = clamp(1.3 - Math.abs(distance - radius) * (1.6 / Math.max(1, radius * 0.16)));
		return Math.max(rim * 0.85, clamp(1 - shine) * 0.9, distance < radius ? 0.14 : 0);
	});
}

/** Draws a thin line of a length, leaning by `lean` pixels sideways per pixel down. */
export function streakStamp(length: number, width: number, lean: number): Stamp {
	return createStamp(length + 2, (x, y) => {
		const off = Math.abs(x - y * lean) / Math.hypot(1, lean);
		const along = clamp(1 - Math.abs(y) / (length / 2));
		return clamp(width / 2 + 0.5 - off) * along ** 0.6;
	});
}

/** Draws a leaf or petal at an angle. */
export function leafStamp(length: number, angle: number): Stamp {
	const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
	return createStamp(length + 3, (x, y) => {
		const [p, q] = [(x * cos + y * sin) / (length / 2), (y * cos - x * sin) / (length / 2)];
		return clamp((0.5 * (1 - p * p) - Math.abs(q)) * length * 0.5);
	});
}

/** Draws a bird far away; `lift` -1 to 1 moves its wings. */
export function wingStamp(span: number, lift: number): Stamp {
	return createStamp(span + 2, (x, y) => {
		const t = Math.abs(x) / (span / 2);
		if (t > 1) return 0;
		const curve = -lift * span * 0.26 * Math.sin(t * 2.2) + span * 0.05 * t * t;
		return clamp(span * 0.055 * (1.15 - t) + 0.6 - Math.abs(y - curve));
	});
}

/** A swarm whose particles have their places. Made once, drawn for every frame. */
export interface Particles {
	readonly swarm: Swarm;
	readonly dots: readonly Dot[];
}

interface Dot {
	readonly x: number;
	readonly y: number;
	readonly pace: number;
	readonly phase: number;
	readonly stamp: number;
}

/** Scatters a swarm over its area. */
export function scatter(swarm: Swarm): Particles {
	const random: Random = createRandom(swarm.seed);
	const dots = Array.from({ length: swarm.count }, () => ({
		x: random.next() * swarm.area.width,
		y: random.next() * swarm.area.height,
		pace: 1 + (random.next() - 0.5) * 2 * swarm.spread,
		phase: random.next(),
		stamp: random.int(0, swarm.stamps.length - 1),
	}));
	return { swarm, dots };
}

/** Draws all particles as they are at a frame. */
export function drawParticles(frame: Frame, { swarm, dots }: Particles, time: number): void {
	const { area, speed, sway, pulse, flap, stamps, burst } = swarm;
	const [r, g, b] = swarm.color;
	const y = 16 + 0.1826 * r + 0.6142 * g + 0.062 * b;
	const u = 128 - 0.1006 * r - 0.3386 * g + 0.4392 * b;
	const v = 128 + 0.4392 * r - 0.3989 * g - 0.0403 * b;
	for (const [i, dot] of dots.entries()) {
		if (burst) {
			const spark = sparkAt(swarm, burst, dots, i, time);
			drawStamp(frame, stamps[dot.stamp] as Stamp, spark.x, spark.y, [y, u, v], spark.light);
			continue;
		}
		const turn = sway ? (time / sway.period + dot.phase) * Math.PI * 2 : 0;
		const px = area.x + modulo(dot.x + speed.x * dot.pace * time, area.width);
		const py = area.y + modulo(dot.y + speed.y * dot.pace * time, area.height);
		const beat = pulse ? Math.sin((time / pulse.period + dot.phase) * Math.PI * 2) : 1;
		const opacity = swarm.opacity * (pulse ? 1 - pulse.depth * (0.5 - 0.5 * beat) : 1);
		const step = flap
			? Math.floor(time / flap + dot.phase * stamps.length) % stamps.length
			: dot.stamp;
		const stamp = stamps[step] as Stamp;
		const x = px + (sway ? Math.sin(turn) * sway.x : 0);
		const top = py + (sway ? Math.cos(turn * 0.7) * sway.y : 0);
		drawStamp(frame, stamp, x, top, [y, u, v], opacity);
	}
}

/** Where a spark of a firework is, and how bright. Sparks of one burst share the place and the time of its first dot. */
function sparkAt(
	{ area, opacity }: Swarm,
	burst: NonNullable<Swarm['burst']>,
	dots: readonly Dot[],
	index: number,
	time: number,
): { x: number; y: number; light: number } {
	const [center, dot] = [dots[index % burst.count] as Dot, dots[index] as Dot];
	const age = modulo(time / burst.period + center.phase, 1);
	const away = burst.reach * dot.pace * (1 - (1 - age) ** 3);
	const angle = (index / dots.length) * Math.PI * 2 * burst.count + dot.phase * 0.5;
	return {
		x: area.x + center.x + Math.cos(angle) * away,
		y: area.y + center.y + Math.sin(angle) * away + burst.reach * 0.35 * age * age,
		light: opacity * Math.min(1, age * 12) * (1 - age) ** 1.4,
	};
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
		stampPlane(
			plane,
			width >> 1,
			height >> 1,
			stamp.half,
			small,
			left / 2,
			top / 2,
			value,
			strength,
		);
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

function createStamp(extent: number, cover: (x: number, y: number) => number): Stamp {
	const size = (Math.ceil(extent / 2) + 1) * 2;
	const [full, half] = [new Uint8Array(size * size), new Uint8Array((size * size) / 4)];
	const small = size / 2;
	for (let y = 1; y < size - 1; y++) {
		for (let x = 1; x < size - 1; x++) {
			full[y * size + x] = clamp(cover(x + 0.5 - small, y + 0.5 - small)) * 255;
		}
	}
	for (let y = 0; y < small; y++) {
		for (let x = 0; x < small; x++) {
			const i = y * 2 * size + x * 2;
			const sum = (full[i] as number) + (full[i + 1] as number);
			half[y * small + x] = (sum + (full[i + size] as number) + (full[i + size + 1] as number)) / 4;
		}
	}
	return { size, full, half };
}

function clamp(value: number): number {
	return value < 0 ? 0 : value > 1 ? 1 : value;
}

function modulo(value: number, length: number): number {
	return ((value % length) + length) % length;
}
