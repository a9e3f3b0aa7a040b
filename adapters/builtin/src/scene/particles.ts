import type { Rgb } from './color.ts';
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

/** Tells where each particle is at a frame, and how bright it is there, 0 to 1. */
export function eachParticle(
	{ swarm, dots }: Particles,
	time: number,
	draw: (stamp: Stamp, x: number, y: number, opacity: number) => void,
): void {
	const { area, speed, sway, pulse, flap, stamps, burst } = swarm;
	for (const [i, dot] of dots.entries()) {
		if (burst) {
			const spark = sparkAt(swarm, burst, dots, i, time);
			draw(stamps[dot.stamp] as Stamp, spark.x, spark.y, spark.light);
			continue;
		}
		const turn = sway ? (time / sway.period + dot.phase) * Math.PI * 2 : 0;
		const px = area.x + modulo(dot.x + speed.x * dot.pace * time, area.width);
		const py = area.y + modulo(dot.y + speed.y * dot.pace * time, area.height);
		const beat = pulse ? Math.sin((time / pulse.period + dot.phase) * Math.PI * 2) : 1;
		const opacity = swarm.opacity * (pulse ? 1 - pulse.depth * (0.5 - 0.5 * beat) : 1);
		const step = flap ? Math.floor(time / flap + dot.phase * stamps.length) % stamps.length : dot.stamp;
		const x = px + (sway ? Math.sin(turn) * sway.x : 0);
		const y = py + (sway ? Math.cos(turn * 0.7) * sway.y : 0);
		draw(stamps[step] as Stamp, x, y, opacity);
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
