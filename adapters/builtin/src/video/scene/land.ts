import { adjust, mix, type Rgb, rgb } from '../color.ts';
import { type Canvas, onLayer, type SceneItem } from './canvas.ts';
import { cloudItem } from './clouds.ts';
import {
	duneRidge,
	flankShadows,
	groundItem,
	type Ridge,
	rockyRidge,
	rollingRidge,
	snowCaps,
} from './ground.ts';
import { conifers, flowers, grass, roundTrees, trunks } from './plants.ts';
import { standing } from './subjects.ts';

/** A colour seen through air: 0 is near, 1 as far as the horizon. */
export function distant(canvas: Canvas, color: Rgb, distance: number): Rgb {
	return mix(color, canvas.plan.palette.sky[3], distance);
}

/** Mountain ranges behind a wooded foreground. */
export function mountains(canvas: Canvas): SceneItem[] {
	return [...ranges(canvas, 0.1), mist(canvas, 0.66), ...woodedHills(canvas, false)];
}

/** The same ranges, behind whatever the caller puts before them. `lower` moves them up, as a share of the height. */
export function ranges(canvas: Canvas, lower: number): SceneItem[] {
	const { height, plan, shapes, period, drift } = canvas;
	const { land } = plan.palette;
	const horizon = plan.horizon * height;
	const snow = mix(
		mix(rgb('#f6faff'), plan.palette.light, 0.25),
		land,
		plan.time === 'night' ? 0.55 : 0.08,
	);
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
			before: (line) =>
				flankShadows(line, period, near, shapes) +
				snowCaps(line, period, near * 0.52, shapes, snow),
		}),
	];
}

/** Hills with trees in three distances. */
export function forest(canvas: Canvas): SceneItem[] {
	const { height, unit, plan, shapes, period, drift, details } = canvas;
	const { ink, land, light } = plan.palette;
	const leafy = plan.elements.includes('leaves') || shapes.chance(0.35);
	const tone = plan.elements.includes('leaves') ? mix(land, rgb('#d07a28'), 0.65) : land;
	const row = (
		base: number,
		size: number,
		count: number,
		color: Rgb,
		speed: number,
		own = '',
	): SceneItem => {
		const rise = unit * 0.05;
		return groundItem(canvas, {
			ridge: rollingRidge(shapes, period, rise, 3),
			rise,
			base: height * base,
			depth: height * 0.26,
			headroom: unit * size * 1.25,
			fill: [color, mix(color, plan.palette.sky[3], 0.14)],
			dx: drift * speed,
			behind: (line) => {
				const planting = {
					period,
					count,
					size: [unit * size * 0.6, unit * size * 1.15] as const,
					color,
				};
				return (leafy ? roundTrees : conifers)(line, shapes, planting) + own;
			},
		});
	};
	const dx = drift * 1.7;
	return [
		row(plan.horizon + 0.02, 0.15, 52, distant(canvas, tone, 0.66), 0.25),
		mist(canvas, plan.horizon + 0.02),
		row(plan.horizon + 0.1, 0.24, 30, distant(canvas, tone, 0.38), 0.55),
		row(plan.horizon + 0.15, 0.34, 17, distant(canvas, mix(tone, ink, 0.4), 0.12), 1),
		...subjectHill(canvas, mix(tone, ink, 0.62), plan.horizon + 0.2),
		groundItem(canvas, {
			ridge: rollingRidge(details, period, unit * 0.03, 2),
			rise: unit * 0.03,
			base: height * 0.985,
			depth: height * 0.06,
			headroom: height * 0.96,
			fill: [ink, ink],
			dx,
			before: (line) => {
				const clearing = {
					x: onLayer(canvas, plan.stage * canvas.width, dx),
					radius: canvas.width * 0.34,
				};
				const planting = {
					period,
					count: 6,
					size: [height * 1.1, height * 1.1] as const,
					color: ink,
					clearing,
				};
				const tufts = {
					period,
					count: 240,
					size: [unit * 0.02, unit * 0.055] as const,
					color: mix(ink, light, 0.06),
				};
				return trunks(line, shapes, planting) + grass(line, details, tufts);
			},
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
	const dune = (
		base: number,
		rise: number,
		count: number,
		color: Rgb,
		speed: number,
	): SceneItem => {
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

function woodedHills(canvas: Canvas, snow: boolean): SceneItem[] {
	const { height, unit, plan, shapes, period, drift } = canvas;
	const { land, ink } = plan.palette;
	const white = mix(land, rgb('#ffffff'), plan.time === 'night' ? 0.12 : 0.35);
	const green = mix(ink, rgb('#1c4a3c'), plan.time === 'night' ? 0.2 : 0.45);
	const hill = (
		base: number,
		size: number,
		count: number,
		near: number,
		speed: number,
	): SceneItem => {
		const rise = unit * 0.09;
		const tree = distant(canvas, green, 0.42 - near * 0.4);
		const soil = snow ? distant(canvas, white, 0.3 - near * 0.3) : tree;
		return groundItem(canvas, {
			ridge: rollingRidge(shapes, period, rise, 2),
			rise,
			base: height * base,
			depth: height * 0.22,
			headroom: unit * size * 1.2,
			fill: [soil, mix(soil, snow ? plan.palette.sky[1] : ink, snow ? 0.22 : 0.4)],
			dx: drift * speed,
			behind: (line) =>
				conifers(
					line,
					shapes,
					{ period, count, size: [unit * size * 0.55, unit * size], color: tree },
					snow,
				),
		});
	};
	const ground = snow ? mix(white, ink, 0.06) : mix(green, ink, 0.3);
	return [
		hill(plan.horizon + 0.13, 0.1, 46, 0.3, 0.7),
		...subjectHill(canvas, ground, plan.horizon + 0.19),
		hill(0.97, 0.24, 9, 1, 1.6),
	];
}

/** The strip on which the subject stands; in the middle distance, so that it keeps its place in the frame. */
export function subjectHill(canvas: Canvas, color: Rgb, base: number): SceneItem[] {
	const { height, unit, plan, shapes, period, drift } = canvas;
	const rise = unit * 0.05;
	const ridge: Ridge = rollingRidge(shapes, period, rise, 2);
	const x = onLayer(canvas, plan.stage * canvas.width, drift);
	return [
		groundItem(canvas, {
			ridge,
			rise,
			base: height * base,
			depth: height * 0.32,
			headroom: unit * 0.36,
			fill: [color, mix(color, plan.palette.ink, 0.3)],
			dx: drift,
			behind: (line) => standing(canvas, x, line(x) + unit * 0.006),
		}),
	];
}

function mist(canvas: Canvas, at: number): SceneItem {
	const { height, plan, drift, details } = canvas;
	const thick =
		plan.weather === 'fog' ? 0.85 : plan.weather === 'rain' || plan.weather === 'snow' ? 0.5 : 0.32;
	return cloudItem(canvas, {
		y: height * (at - 0.1),
		height: height * 0.26,
		cover: 0.75,
		softness: 0.4,
		grain: 3,
		stretch: 2.4,
		opacity: thick,
		light: plan.palette.sky[3],
		shade: mix(plan.palette.sky[3], plan.palette.sky[2], 0.4),
		dx: drift * 0.35 + canvas.unit * 0.0004,
		seed: details.int(0, 1e9),
		profile: 'band',
	});
}
