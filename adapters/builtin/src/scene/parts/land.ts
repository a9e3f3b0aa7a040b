import { adjust, mix, type Rgb, rgb } from '../color.ts';
import type { Canvas, SceneItem } from './canvas.ts';
import { distant, mist, subjectHill } from './distance.ts';
import { duneRidge, flankShadows, groundItem, rockyRidge, rollingRidge, snowCaps } from './ground.ts';
import { flowers, grass, roundTrees } from './plants.ts';
import { woodedHills } from './woods.ts';

/** Mountain ranges behind a wooded foreground. */
export function mountains(canvas: Canvas): SceneItem[] {
	return [...ranges(canvas, 0.1), mist(canvas, 0.66), ...woodedHills(canvas, false)];
}

/** The same ranges, behind whatever the caller puts before them. `lower` moves them up, as a share of the height. */
export function ranges(canvas: Canvas, lower: number): SceneItem[] {
	const { height, plan, shapes, period, drift } = canvas;
	const { land } = plan.palette;
	const horizon = plan.horizon * height;
	const snow = mix(mix(rgb('#f6faff'), plan.palette.light, 0.25), land, plan.time === 'night' ? 0.55 : 0.08);
	const far = height * 0.2;
	const near = height * 0.27;
	const farColor = distant(canvas, land, 0.62);
	const nearColor = distant(canvas, mix(land, plan.palette.ink, 0.25), 0.22);
	const nearRidge = rockyRidge(shapes, period, near, 5);
	return [
		groundItem(canvas, {
			ridge: rockyRidge(shapes, period, far, 8),
			rise: far,
			base: horizon,
			depth: height * (0.04 + lower),
			headroom: 0,
			fill: [farColor, distant(canvas, land, 0.85)],
			dx: drift * 0.22,
			before: (line) => flankShadows(line, period, far, shapes),
		}),
		groundItem(canvas, {
			ridge: nearRidge,
			rise: near,
			base: horizon + height * lower * 0.9,
			depth: height * (0.05 + lower * 1.4),
			headroom: 0,
			fill: [nearColor, distant(canvas, land, 0.6)],
			dx: drift * 0.5,
			before: (line) => flankShadows(line, period, near, shapes) + snowCaps(line, period, near * 0.52, shapes, snow),
		}),
	];
}

/** Rolling fields, trees here and there, flowers and grass in front. */
export function meadow(canvas: Canvas): SceneItem[] {
	const { height, unit, plan, shapes, details, period, drift } = canvas;
	const { land, ink, accent } = plan.palette;
	const field = (base: number, rise: number, color: Rgb, speed: number, trees: number): SceneItem =>
		groundItem(canvas, {
			ridge: rollingRidge(shapes, period, height * rise, 2),
			rise: height * rise,
			base: height * base,
			depth: height * 0.22,
			headroom: unit * 0.2,
			fill: [color, mix(color, ink, 0.16)],
			dx: drift * speed,
			behind: (line) =>
				roundTrees(line, shapes, {
					period,
					count: trees,
					size: [unit * 0.05, unit * 0.05 + unit * 0.08 * speed],
					color: mix(color, ink, 0.34),
				}),
		});
	const rich = plan.elements.includes('flowers') || plan.elements.includes('petals') ? 90 : 30;
	const front = adjust(mix(land, ink, 0.3), 0, 1.1);
	return [
		field(plan.horizon + 0.03, 0.11, distant(canvas, land, 0.58), 0.25, 16),
		field(plan.horizon + 0.1, 0.1, distant(canvas, adjust(land, 10), 0.3), 0.55, 9),
		...subjectHill(canvas, distant(canvas, adjust(land, -6), 0.06), plan.horizon + 0.18),
		groundItem(canvas, {
			ridge: rollingRidge(shapes, period, unit * 0.05, 3),
			rise: unit * 0.05,
			base: height * 0.93,
			depth: height * 0.08,
			headroom: unit * 0.16,
			fill: [front, mix(front, ink, 0.5)],
			dx: drift * 1.7,
			behind: (line) => {
				const blades = {
					period,
					count: 420,
					size: [unit * 0.02, unit * 0.07] as const,
					color: front,
				};
				const blooms = {
					period,
					count: rich,
					size: [unit * 0.04, unit * 0.11] as const,
					color: accent,
				};
				return grass(line, details, blades) + flowers(line, details, blooms, mix(front, ink, 0.3));
			},
			before: (line) => {
				const blooms = {
					period,
					count: rich,
					size: [unit * 0.03, unit * 0.07] as const,
					color: accent,
				};
				return flowers((x) => line(x) + unit * 0.05, details, blooms, mix(front, ink, 0.6));
			},
		}),
	];
}

/** Dunes, light on one side and shadow on the other. */
export function desert(canvas: Canvas): SceneItem[] {
	const { height, plan, shapes, period, drift } = canvas;
	const { land, ink } = plan.palette;
	const dune = (base: number, rise: number, count: number, color: Rgb, speed: number): SceneItem => {
		const size = height * rise;
		const ridge = duneRidge(shapes, period, size, count);
		return groundItem(canvas, {
			ridge,
			rise: size,
			base: height * base,
			depth: height * 0.3,
			headroom: 4,
			fill: [mix(color, plan.palette.light, 0.16), mix(color, ink, 0.2)],
			dx: drift * speed,
			before: (line) => flankShadows(line, period, size * 1.5, shapes),
		});
	};
	return [
		dune(plan.horizon + 0.02, 0.09, 5, distant(canvas, land, 0.5), 0.25),
		dune(plan.horizon + 0.12, 0.13, 4, distant(canvas, land, 0.24), 0.6),
		...subjectHill(canvas, distant(canvas, land, 0.06), plan.horizon + 0.19),
		dune(0.99, 0.13, 3, mix(land, ink, 0.3), 1.6),
	];
}

/** Snowy hills with firs. */
export function winter(canvas: Canvas): SceneItem[] {
	return [...ranges(canvas, 0.03), mist(canvas, canvas.plan.horizon), ...woodedHills(canvas, true)];
}
