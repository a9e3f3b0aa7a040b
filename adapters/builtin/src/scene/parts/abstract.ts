import { adjust, hex, mix, type Rgb } from '../color.ts';
import { type Canvas, n, type SceneItem } from './canvas.ts';
import { cloudItem } from './clouds.ts';

/** Large soft colour fields and shapes that pass each other: for prompts that name no place. */
export function abstract(canvas: Canvas): SceneItem[] {
	const { height, plan, shapes, unit } = canvas;
	const { sky, accent, land } = plan.palette;
	const still = plan.pan === 0 ? 0 : 1;
	const colors = [accent, land, adjust(accent, 70), adjust(sky[2], -50, 1.3), mix(accent, sky[3], 0.5)];
	const veils = [0, 1].map((i) =>
		cloudItem(canvas, {
			y: 0,
			height,
			cover: 0.7,
			softness: 0.34,
			grain: 3,
			stretch: 1,
			opacity: 0.62,
			light: colors[i * 2] as Rgb,
			shade: colors[i * 2 + 1] as Rgb,
			dx: still * unit * (i === 0 ? 0.0011 : -0.0008),
			seed: plan.shapeSeed ^ (i + 11),
			profile: 'floor',
		}),
	);
	const motif = shapes.pick([rings, polygons, ribbons, bubbles]);
	return [
		veils[0] as SceneItem,
		motif(canvas, colors, 0.8, still),
		veils[1] as SceneItem,
		motif(canvas, colors, 1.7, -still),
	];
}

type Motif = (canvas: Canvas, colors: readonly Rgb[], near: number, way: number) => SceneItem;

const rings: Motif = (canvas, colors, near, way) =>
	scattered(canvas, 9, near, way, (x, y, r) => {
		const { shapes } = canvas;
		const color = hex(shapes.pick(colors));
		return [1, 0.72, 0.44]
			.map(
				(k) =>
					`<circle cx="${n(x)}" cy="${n(y)}" r="${n(r * k)}" fill="none" stroke="${color}" stroke-width="${n(r * 0.09)}" stroke-opacity="${n(0.3 + k * 0.4)}"/>`,
			)
			.join('');
	});

const polygons: Motif = (canvas, colors, near, way) =>
	scattered(canvas, 13, near, way, (x, y, r) => {
		const { shapes } = canvas;
		const sides = shapes.int(3, 6);
		const turn = shapes.next() * Math.PI;
		const points = Array.from({ length: sides }, (_, i) => {
			const angle = turn + (i / sides) * Math.PI * 2;
			return `${n(x + Math.cos(angle) * r)},${n(y + Math.sin(angle) * r)}`;
		}).join(' ');
		const color = hex(shapes.pick(colors));
		return shapes.chance(0.35)
			? `<polygon points="${points}" fill="none" stroke="${color}" stroke-width="${n(r * 0.07)}"/>`
			: `<polygon points="${points}" fill="${color}" fill-opacity="0.72"/>`;
	});

const bubbles: Motif = (canvas, colors, near, way) =>
	scattered(canvas, 15, near, way, (x, y, r) => {
		const color = canvas.shapes.pick(colors);
		const shine = hex(mix(color, [255, 255, 255], 0.55));
		return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${hex(color)}" fill-opacity="0.75"/><circle cx="${n(x - r * 0.32)}" cy="${n(y - r * 0.36)}" r="${n(r * 0.26)}" fill="${shine}" fill-opacity="0.6"/>`;
	});

const ribbons: Motif = ({ height, period, unit, shapes }, colors, near, way) => {
	let body = '';
	for (let i = 0; i < 4; i++) {
		const middle = height * shapes.range(0.12, 0.88);
		const swing = unit * shapes.range(0.05, 0.16);
		const cycles = shapes.int(1, 3);
		const phase = shapes.next() * 7;
		const wide = unit * shapes.range(0.02, 0.07) * near;
		let [upper, lower] = ['', ''];
		for (let k = 0; k <= 96; k++) {
			const x = (k / 96) * period;
			const angle = (k / 96) * Math.PI * 2 * cycles + phase;
			const y = middle + Math.sin(angle) * swing;
			const half = wide * (0.6 + 0.4 * Math.sin(angle * 2 + 1));
			upper += `${k === 0 ? 'M' : 'L'}${n(x)} ${n(y - half)}`;
			lower = `L${n(x)} ${n(y + half)}${lower}`;
		}
		body += `<path d="${upper}${lower}Z" fill="${hex(shapes.pick(colors))}" fill-opacity="0.7"/>`;
	}
	const travel = { x: 0, y: 0, dx: way * unit * 0.0014 * near };
	return { kind: 'svg', drawing: { width: period, height, body }, wraps: true, travel };
};

function scattered(
	{ height, period, unit, shapes }: Canvas,
	count: number,
	near: number,
	way: number,
	draw: (x: number, y: number, r: number) => string,
): SceneItem {
	let body = '';
	for (let i = 0; i < count; i++) {
		const r = unit * shapes.range(0.025, 0.1) * near;
		const x = ((i + shapes.range(0.2, 0.8)) / count) * (period - r * 2.4) + r * 1.2;
		body += draw(x, height * shapes.range(0.04, 0.96), r);
	}
	const travel = { x: 0, y: 0, dx: way * unit * 0.0012 * near };
	return { kind: 'svg', drawing: { width: period, height, body }, wraps: true, travel };
}
