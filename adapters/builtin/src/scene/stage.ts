import type { ScenePlan } from './plan.ts';
import { createRandom, type Random } from './random.ts';

/** The size of a drawing, whose area is a million. Sizes are multiples of `unit`, which is nearly the shorter side. */
export type Surface = ReturnType<typeof surfaceOf>;
/** A plan on a surface: shares of the frame become rows and columns. */
export type Stage = ReturnType<typeof createStage>;
export type Point = readonly [number, number];

/** The surface for a picture of a size in pixels. */
export function surfaceOf(size: { readonly width: number; readonly height: number }) {
	const shape = Math.sqrt(size.width / size.height);
	const [width, height] = [1000 * shape, 1000 / shape];
	return { width, height, unit: Math.min(width, height, 0.85 * Math.max(width, height)) };
}

export function createStage(plan: ScenePlan, surface: Surface) {
	const { width, height, unit } = surface;
	const horizon = plan.horizon * height;
	const r = unit * { dawn: 0.062, day: 0.05, dusk: 0.062, night: 0.045 }[plan.time];
	return {
		...plan,
		...surface,
		horizon,
		/** The row at a share of the distance from the horizon to the lower border. */
		row: (share: number): number => horizon + (height - horizon) * share,
		light: { x: plan.light.x * width, y: plan.light.y * height, r },
		stand: plan.stand * width,
		/** Creates the random numbers of one part. They do not depend on the other parts. */
		random: (part: string): Random => createRandom(`${plan.seed} ${part}`),
	};
}

/** Defines a gradient. Its stops are `offset colour` or `offset colour opacity`, separated by commas. */
export function gradient(kind: 'linear' | 'radial', id: string, stops: string, span = ''): string {
	const tags = stops.split(', ').map((stop) => {
		const [at, color, opacity = 1] = stop.split(' ');
		return `<stop offset="${at}" stop-color="${color}" stop-opacity="${opacity}"/>`;
	});
	return `<${kind}Gradient id="${id}" ${span}>${tags.join('')}</${kind}Gradient>`;
}

/** Defines a gradient between two rows. */
export function ramp(id: string, from: number, to: number, stops: string): string {
	return gradient('linear', id, stops, `gradientUnits="userSpaceOnUse" x1="0" x2="0" y1="${from}" y2="${to}"`);
}

/** Draws a gradient over the whole width, and over a margin on both sides. */
export function veil({ width }: Surface, id: string, from: number, to: number, stops: string, margin = 0): string {
	const box = `x="${-margin}" y="${from}" width="${width + 2 * margin}" height="${to - from}"`;
	return `${ramp(id, from, to, stops)}<rect ${box} fill="url(#${id})"/>`;
}

/** Writes the closed path of points. */
export function pathOf(points: readonly Point[]): string {
	return `M${points.map((point) => point.join(' ')).join('L')}Z`;
}

/** A list of points; their shares go from 0 to 1. */
export function along(count: number, point: (share: number, index: number) => Point): Point[] {
	return Array.from({ length: count + 1 }, (_, i) => point(i / count, i));
}

/** Draws something a number of times. */
export function repeat(count: number, draw: (index: number) => string): string {
	return Array.from({ length: Math.round(count) }, (_, i) => draw(i)).join('');
}
