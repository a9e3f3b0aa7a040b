import { hex, mix, type Rgb, rgb } from '../color.ts';
import type { Random } from '../random.ts';
import { type Canvas, n, onLayer, type SceneItem } from './canvas.ts';
import { distant } from './distance.ts';
import { standing } from './subjects.ts';

/** Three rows of buildings, with lit windows when it is dark, above a street. */
export function city(canvas: Canvas): SceneItem[] {
	const { height, unit, plan } = canvas;
	const { ink, land } = plan.palette;
	// In a low frame the street moves up, so that there is room for a subject on it.
	const base = Math.min(height * (plan.horizon + 0.16), height - unit * 0.19);
	return [
		skyline(canvas, {
			base,
			tall: height * 0.42,
			width: 0.05,
			color: distant(canvas, land, 0.6),
			speed: 0.25,
			lit: 0.14,
		}),
		skyline(canvas, {
			base: base + unit * 0.03,
			tall: height * 0.33,
			width: 0.075,
			color: distant(canvas, mix(land, ink, 0.45), 0.3),
			speed: 0.55,
			lit: 0.34,
		}),
		skyline(canvas, {
			base: base + unit * 0.06,
			tall: height * 0.25,
			width: 0.11,
			color: mix(ink, land, 0.16),
			speed: 0.8,
			lit: 0.42,
		}),
		street(canvas, base + unit * 0.05),
	];
}

interface Skyline {
	readonly base: number;
	readonly tall: number;
	/** Usual width of a building in units. */
	readonly width: number;
	readonly color: Rgb;
	readonly speed: number;
	/** Share of windows with light at night. */
	readonly lit: number;
}

function skyline(canvas: Canvas, row: Skyline): SceneItem {
	const { unit, plan, shapes, period, drift } = canvas;
	const height = Math.round(row.tall / 2) * 2;
	const lights = [rgb('#ffd98a'), rgb('#ffe9bd'), plan.palette.accent].map(hex);
	const dark = plan.time === 'night' ? 1 : plan.time === 'dusk' ? 0.7 : plan.time === 'dawn' ? 0.35 : 0;
	const paths = lights.map(() => '');
	let walls = '';
	let panes = '';
	for (let x = 0; x < period; ) {
		const wide = Math.min(unit * row.width * shapes.range(0.7, 1.5), period - x);
		const tall = row.tall * shapes.range(0.3, 0.94);
		walls += building(x, height, wide, tall, shapes, unit);
		const grid = unit * row.width * 0.16;
		for (let wy = height - tall + grid; wy < height - grid; wy += grid * 1.35) {
			for (let wx = x + grid * 0.8; wx < x + wide - grid; wx += grid * 1.2) {
				const pane = `M${n(wx)} ${n(wy)}h${n(grid * 0.6)}v${n(grid * 0.75)}h${n(-grid * 0.6)}Z`;
				if (shapes.chance(row.lit * dark)) paths[shapes.chance(0.12) ? 2 : shapes.int(0, 1)] += pane;
				else if (row.speed > 0.4) panes += pane;
			}
		}
		x += wide + (shapes.chance(0.25) ? unit * 0.008 : 0);
	}
	const glass = mix(row.color, plan.palette.sky[dark > 0 ? 0 : 3], dark > 0 ? 0.3 : 0.4);
	const body = `
		<defs><linearGradient id="g" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${hex(row.color)}"/>
		<stop offset="1" stop-color="${hex(distant(canvas, row.color, 0.22))}"/></linearGradient></defs>
		<path d="${walls}" fill="url(#g)"/><path d="${panes}" fill="${hex(glass)}" fill-opacity="0.5"/>
		${paths.map((path, i) => `<path d="${path}" fill="${lights[i]}" fill-opacity="0.92"/>`).join('')}`;
	return {
		kind: 'svg',
		drawing: { width: period, height, body },
		wraps: true,
		travel: { x: 0, y: Math.round(row.base) - height, dx: drift * row.speed },
	};
}

/** The outline of one building, standing on the lower border of its layer. */
function building(x: number, ground: number, wide: number, tall: number, random: Random, unit: number): string {
	const top = ground - tall;
	const box = `M${n(x)} ${ground}V${n(top)}h${n(wide)}V${ground}Z`;
	const middle = x + wide / 2;
	switch (random.int(0, 5)) {
		case 0:
			return `${box}M${n(middle - unit * 0.003)} ${n(top)}v${n(-tall * 0.16)}h${n(unit * 0.006)}v${n(tall * 0.16)}Z`;
		case 1:
			return `${box}M${n(x + wide * 0.2)} ${n(top)}v${n(-unit * 0.022)}h${n(wide * 0.6)}v${n(unit * 0.022)}Z`;
		case 2:
			return `M${n(x)} ${ground}V${n(top + wide * 0.35)}L${n(middle)} ${n(top)}L${n(x + wide)} ${n(top + wide * 0.35)}V${ground}Z`;
		default:
			return box;
	}
}

function street(canvas: Canvas, y: number): SceneItem {
	const { height, unit, plan, period, drift } = canvas;
	const { ink, land } = plan.palette;
	const room = Math.ceil(unit * 0.36);
	const depth = Math.ceil((height - y + room) / 2) * 2;
	const asphalt = mix(ink, land, 0.22);
	const mark = unit * 0.007;
	const far = room + unit * 0.035;
	const lines = Array.from({ length: 12 }, (_, i) => {
		const x = (i / 12) * period;
		return `M${n(x)} ${n(far + unit * 0.1)}h${n(period / 26)}v${n(mark)}h${n(-period / 26)}Z`;
	}).join('');
	const x = onLayer(canvas, plan.stage * canvas.width, drift);
	const body = `
		<rect y="${room}" width="${period}" height="${depth - room}" fill="${hex(mix(asphalt, plan.palette.sky[3], 0.16))}"/>
		<rect y="${n(far)}" width="${period}" height="${depth}" fill="${hex(asphalt)}"/>
		<rect y="${n(far)}" width="${period}" height="${n(mark * 0.7)}" fill="${hex(mix(asphalt, plan.palette.light, 0.3))}"/>
		<path d="${lines}" fill="${hex(mix(asphalt, plan.palette.light, 0.62))}"/>
		${standing(canvas, x, far + unit * 0.03)}`;
	return {
		kind: 'svg',
		drawing: { width: period, height: depth, body },
		wraps: true,
		travel: { x: 0, y: Math.round(y - room), dx: drift },
	};
}
