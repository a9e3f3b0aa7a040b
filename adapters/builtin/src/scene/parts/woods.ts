import { mix, type Rgb, rgb } from '../color.ts';
import { type Canvas, onLayer, type SceneItem } from './canvas.ts';
import { distant, mist, subjectHill } from './distance.ts';
import { groundItem, rollingRidge } from './ground.ts';
import { conifers, grass, roundTrees, trunks } from './plants.ts';

/** Hills with trees in three distances. */
export function forest(canvas: Canvas): SceneItem[] {
	const { height, unit, plan, shapes, period, drift, details } = canvas;
	const { ink, land, light } = plan.palette;
	const leafy = plan.elements.includes('leaves') || shapes.chance(0.35);
	const tone = plan.elements.includes('leaves') ? mix(land, rgb('#d07a28'), 0.65) : land;
	const row = (base: number, size: number, count: number, color: Rgb, speed: number, own = ''): SceneItem => {
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
					// In a still, a bare trunk in front looks like a bar.
					count: canvas.frames > 1 ? 6 : 0,
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

/** Two hills with firs and the subject's hill between them; with `snow`, the ground and the firs are white. */
export function woodedHills(canvas: Canvas, snow: boolean): SceneItem[] {
	const { height, unit, plan, shapes, period, drift } = canvas;
	const { land, ink } = plan.palette;
	const white = mix(land, rgb('#ffffff'), plan.time === 'night' ? 0.12 : 0.35);
	const green = mix(ink, rgb('#1c4a3c'), plan.time === 'night' ? 0.2 : 0.45);
	const hill = (base: number, size: number, count: number, near: number, speed: number): SceneItem => {
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
					snow ? (plan.time === 'night' ? 0.5 : 0.88) : 0,
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
