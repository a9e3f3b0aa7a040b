import { adjust, hex, mix, type Rgb } from '../color.ts';
import { type Canvas, n, onLayer, type SceneItem } from './canvas.ts';
import { groundItem, type Ridge, rollingRidge } from './ground.ts';
import { floating, shapeOf, standing } from './subjects.ts';

/** Light from above, reefs, weed, and fish. */
export function underwater(canvas: Canvas): SceneItem[] {
	const { height, unit, plan, shapes, period, drift } = canvas;
	const { sky, land, accent } = plan.palette;
	const reef = (base: number, rise: number, color: Rgb, speed: number, plants: number): SceneItem => {
		const tall = unit * rise;
		const dx = drift * speed;
		return groundItem(canvas, {
			ridge: rollingRidge(shapes, period, tall, 3),
			rise: tall,
			base: height * base,
			depth: height * 0.3,
			headroom: unit * 0.36,
			fill: [color, mix(color, sky[3], 0.6)],
			dx,
			behind: (line) => {
				const x = onLayer(canvas, plan.stage * canvas.width, dx);
				const own = speed === 1 ? standing(canvas, x, line(x) + 4) : '';
				return own + weed(canvas, line, color, plants, speed);
			},
			before: (line) => (speed > 0.8 ? corals(canvas, line, [accent, adjust(accent, 40)]) : ''),
		});
	};
	return [
		shafts(canvas, 0.3),
		reef(0.7, 0.2, mix(land, sky[2], 0.65), 0.4, 14),
		school(canvas, 0.3, mix(land, sky[1], 0.5), 0.6),
		...floating(canvas, height * 0.46),
		shafts(canvas, -0.2),
		reef(0.84, 0.14, mix(land, sky[3], 0.4), 1, 18),
		school(canvas, 0.52, mix(accent, sky[2], 0.35), 1),
		reef(1, 0.1, mix(land, sky[3], 0.72), 1.7, 12),
	];
}

function shafts(canvas: Canvas, speed: number): SceneItem {
	const { height, unit, plan, shapes, period } = canvas;
	const tall = Math.round(height * 0.4) * 2;
	let body = '';
	for (let i = 0; i < 6; i++) {
		const x = period * ((i + shapes.range(0.2, 0.8)) / 6);
		const [a, b] = [unit * shapes.range(0.02, 0.05), unit * shapes.range(0.08, 0.16)];
		const lean = unit * 0.1;
		const y = tall * shapes.range(0.6, 1);
		if (x + b + lean > period || x - b < 0) continue;
		body += `<path d="M${n(x - a)} 0H${n(x + a)}L${n(x + b + lean * 0.5)} ${n(y)}H${n(x - b + lean * 0.5)}Z" fill="url(#l)"/>`;
	}
	const color = hex(plan.palette.light);
	const defs = `<defs><linearGradient id="l" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${color}" stop-opacity="0.3"/><stop offset="1" stop-color="${color}" stop-opacity="0"/></linearGradient></defs>`;
	return {
		kind: 'svg',
		drawing: { width: period, height: tall, body: defs + body },
		wraps: true,
		travel: { x: 0, y: 0, dx: unit * 0.0008 * speed },
	};
}

function weed(canvas: Canvas, line: Ridge, color: Rgb, count: number, near: number): string {
	const { unit, shapes, period } = canvas;
	let path = '';
	for (let i = 0; i < count * 3; i++) {
		const x = shapes.range(unit * 0.05, period - unit * 0.05);
		const tall = unit * shapes.range(0.06, 0.2) * (0.6 + near * 0.5);
		const wide = unit * 0.007 * (0.6 + near);
		const y = line(x) + 6;
		const bend = tall * shapes.range(0.12, 0.24) * (shapes.chance(0.5) ? 1 : -1);
		path += `M${n(x - wide)} ${n(y)}C${n(x - wide + bend)} ${n(y - tall * 0.35)} ${n(x - bend)} ${n(y - tall * 0.65)} ${n(x)} ${n(y - tall)}C${n(x - bend + wide * 1.6)} ${n(y - tall * 0.65)} ${n(x + wide + bend)} ${n(y - tall * 0.35)} ${n(x + wide)} ${n(y)}Z`;
	}
	return `<path d="${path}" fill="${hex(adjust(color, -30, 1.2))}"/>`;
}

function corals(canvas: Canvas, line: Ridge, colors: readonly [Rgb, Rgb]): string {
	const { unit, shapes, period } = canvas;
	let svg = '';
	for (let i = 0; i < 9; i++) {
		const x = shapes.range(unit * 0.06, period - unit * 0.06);
		const y = line(x) + unit * 0.012;
		const color = hex(mix(shapes.pick(colors), canvas.plan.palette.sky[3], 0.42));
		let branches = '';
		for (let k = -2; k <= 2; k++) {
			const tall = unit * shapes.range(0.035, 0.075);
			branches += `M${n(x)} ${n(y)}Q${n(x + k * tall * 0.16)} ${n(y - tall * 0.5)} ${n(x + k * tall * 0.36)} ${n(y - tall)}`;
		}
		svg += `<path d="${branches}" stroke="${color}" stroke-width="${n(unit * 0.011)}" stroke-linecap="round" fill="none"/>`;
	}
	return svg;
}

/** A shoal that crosses the picture again and again. */
function school(canvas: Canvas, at: number, color: Rgb, near: number): SceneItem {
	const { height, unit, shapes, period, plan } = canvas;
	const tall = Math.round(height * 0.09) * 2;
	const way = plan.pan > 0 ? -1 : 1;
	let body = '';
	for (let i = 0; i < 13; i++) {
		const size = unit * shapes.range(0.028, 0.05) * (0.6 + near * 0.5);
		const x = shapes.range(size, period * 0.55);
		body += shapeOf(
			'fish',
			x,
			shapes.range(size, tall - 2),
			size,
			{ ink: color, light: mix(color, plan.palette.light, 0.3), accent: color },
			way < 0,
		);
	}
	return {
		kind: 'svg',
		drawing: { width: period, height: tall, body },
		wraps: true,
		travel: {
			x: shapes.range(0, period),
			y: Math.round(height * at),
			dx: way * unit * 0.0019 * (0.6 + near * 0.6),
			bob: { height: unit * 0.008, period: 70, phase: at },
		},
	};
}
