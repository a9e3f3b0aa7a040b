import { mix, type Rgb } from '../color.ts';
import { type Canvas, onLayer, type SceneItem } from './canvas.ts';
import { cloudItem } from './clouds.ts';
import { groundItem, type Ridge, rollingRidge } from './ground.ts';
import { standing } from './subjects.ts';

/** A colour seen through air: 0 is near, 1 as far as the horizon. */
export function distant(canvas: Canvas, color: Rgb, distance: number): Rgb {
	return mix(color, canvas.plan.palette.sky[3], distance);
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

/** Haze that lies between two strips of ground; thicker in bad weather. */
export function mist(canvas: Canvas, at: number): SceneItem {
	const { height, plan, drift, details } = canvas;
	const thick = plan.weather === 'fog' ? 0.85 : plan.weather === 'rain' || plan.weather === 'snow' ? 0.5 : 0.32;
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
