import { adjust, hex, mix, type Rgb, rgb } from '../color.ts';
import { discStamp } from '../particles.ts';
import { type Canvas, n, type SceneItem } from './canvas.ts';
import { distant, subjectHill } from './distance.ts';
import { groundItem, type Ridge, ridgeLine, rollingRidge } from './ground.ts';
import { ranges } from './land.ts';
import { grass } from './plants.ts';
import { floating, stands } from './subjects.ts';

/** Open sea with waves; a subject that swims floats between them, one that stands has an island. */
export function sea(canvas: Canvas): SceneItem[] {
	const { height, unit, plan, shapes } = canvas;
	const horizon = plan.horizon * height;
	// In a low frame a boat rides higher, or the waves before it would hide its hull.
	const afloat = Math.min((height - horizon) * 0.2, (height - horizon) * 0.42 - unit * 0.11);
	const ashore = stands(canvas);
	const islands = shapes.chance(0.55) || ashore ? [island(canvas, horizon)] : [];
	return [
		...islands,
		glitter(canvas, horizon),
		...streaks(canvas, horizon),
		wave(canvas, 0.1, 0.012, 9, 0.35, 0.22),
		wave(canvas, 0.22, 0.02, 6, -0.55, 0.34),
		...floating(canvas, horizon + afloat),
		...(ashore ? subjectHill(canvas, mix(plan.palette.ink, rgb('#5a4a3a'), 0.35), plan.horizon + 0.16) : []),
		wave(canvas, 0.42, 0.03, 4, 0.9, 0.55),
		wave(canvas, 0.8, 0.042, 3, -1.3, 0.85, unit * 0.01),
	];
}

/** Mountains around calm water. */
export function lake(canvas: Canvas): SceneItem[] {
	const { height, unit, plan, shapes, period, drift } = canvas;
	const horizon = plan.horizon * height;
	const { ink, land } = plan.palette;
	const shore = unit * 0.03;
	const bank = mix(ink, land, 0.2);
	return [
		...ranges(canvas, 0),
		groundItem(canvas, {
			ridge: rollingRidge(shapes, period, shore, 5),
			rise: shore,
			base: horizon,
			depth: unit * 0.014,
			headroom: 0,
			fill: [distant(canvas, mix(land, ink, 0.4), 0.2), distant(canvas, ink, 0.2)],
			dx: drift * 0.6,
		}),
		glitter(canvas, horizon),
		...streaks(canvas, horizon),
		...floating(canvas, horizon + (height - horizon) * 0.2),
		...(stands(canvas) ? subjectHill(canvas, mix(ink, land, 0.3), plan.horizon + 0.2) : []),
		groundItem(canvas, {
			ridge: rollingRidge(shapes, period, unit * 0.07, 2),
			rise: unit * 0.07,
			base: height * 0.985,
			depth: height * 0.05,
			headroom: unit * 0.16,
			fill: [bank, ink],
			dx: drift * 1.6,
			behind: (line) => grass(line, shapes, { period, count: 340, size: [unit * 0.03, unit * 0.13], color: bank }),
		}),
	];
}

/** Soft bright and dark lines on the water, drifting against each other. */
function streaks(canvas: Canvas, horizon: number): SceneItem[] {
	const { height, period, plan, shapes, unit, drift } = canvas;
	const depth = Math.round((height - horizon) / 2) * 2;
	return [plan.palette.sky[3], plan.palette.sky[0]].map((color, i): SceneItem => {
		let body = '';
		for (let k = 0; k < 46; k++) {
			const t = shapes.next() ** 1.6;
			const long = unit * (0.03 + 0.16 * t) * shapes.range(0.6, 1.3);
			const [x, y] = [shapes.next() * (period - long * 2) + long, t * depth];
			body += `<ellipse cx="${n(x)}" cy="${n(y + 2)}" rx="${n(long)}" ry="${n(0.7 + unit * 0.0034 * (0.3 + t))}" fill="${hex(color)}" fill-opacity="${n(shapes.range(0.1, 0.4))}"/>`;
		}
		return {
			kind: 'svg',
			drawing: { width: period, height: depth, body },
			wraps: true,
			travel: {
				x: 0,
				y: Math.round(horizon),
				dx: drift * 0.5 + unit * (i === 0 ? 0.0005 : -0.0005),
			},
		};
	});
}

/** Sparkles under sun or moon. */
function glitter(canvas: Canvas, horizon: number): SceneItem {
	const { width, height, plan, unit } = canvas;
	const spread = width * 0.22;
	return {
		kind: 'swarm',
		swarm: {
			count: 90,
			stamps: [discStamp(unit * 0.003), discStamp(unit * 0.0045)],
			color: plan.palette.light,
			area: {
				x: plan.light.x * width - spread / 2,
				y: horizon + unit * 0.004,
				width: spread,
				height: (height - horizon) * 0.5,
			},
			speed: { x: unit * 0.00012, y: 0 },
			spread: 0.8,
			opacity: plan.weather === 'clear' || plan.weather === 'clouds' ? 0.9 : 0.3,
			pulse: { depth: 1, period: 30 },
			seed: plan.detailSeed ^ 0x611,
		},
	};
}

function island(canvas: Canvas, horizon: number): SceneItem {
	const { unit, plan, shapes, period, drift } = canvas;
	const hills = rollingRidge(shapes, period, unit * 0.14, 2);
	const color = distant(canvas, plan.palette.land, 0.5);
	return groundItem(canvas, {
		ridge: (x) => Math.max(0, hills(x) - unit * 0.06),
		rise: unit * 0.08,
		base: horizon,
		depth: 2,
		headroom: 0,
		fill: [color, distant(canvas, plan.palette.land, 0.7)],
		dx: drift * 0.2,
	});
}

/** One row of waves with foam on its crests; `at` is the share of the way from the horizon to the lower border. */
function wave(
	canvas: Canvas,
	at: number,
	rise: number,
	count: number,
	speed: number,
	near: number,
	thick = canvas.unit * 0.004,
): SceneItem {
	const { height, unit, plan, shapes, period, drift } = canvas;
	const { water, sky } = plan.palette;
	// Moving foam may be thicker than foam that stands still.
	const foam = canvas.frames > 1 ? thick : thick * 0.45;
	const horizon = plan.horizon * height;
	const tall = unit * rise * (plan.weather === 'storm' ? 2.4 : plan.weather === 'rain' ? 1.5 : 1);
	const base = horizon + (height - horizon) * at;
	const swell = rollingRidge(shapes, period, tall * 0.5, count);
	const cycles = count * 2;
	const ridge: Ridge = (x) => {
		const s = Math.abs(Math.sin((x / period) * Math.PI * cycles + near * 5));
		return swell(x) + tall * 0.5 * (1 - s);
	};
	const color: Rgb = mix(mix(water, sky[3], 0.34 * (1 - near)), rgb('#03101c'), 0.3 * near);
	const crest = mix(color, sky[3], 0.3);
	const item = groundItem(canvas, {
		ridge,
		rise: tall,
		base,
		// A still has no title band that would hide where a high wave lifts the foot of the last one.
		depth: Math.min(height - base, (height - horizon) * 0.42) + (canvas.frames > 1 ? 8 : 8 + tall),
		headroom: foam + 2,
		fill: [crest, adjust(color, 0, 1.05)],
		dx: drift * near + unit * 0.0009 * speed,
		before: (line) =>
			`<path d="${ridgeLine((x) => line(x) + foam * 0.4, period)}" fill="none" stroke="${hex(mix(crest, rgb('#ffffff'), plan.time === 'night' ? 0.2 : 0.5))}" stroke-opacity="0.65" stroke-width="${n(foam)}"/>`,
	});
	if (item.kind === 'swarm') return item;
	const bob = { height: tall * 0.3, period: 60 + 22 * near, phase: near };
	return { ...item, travel: { ...item.travel, bob } };
}
