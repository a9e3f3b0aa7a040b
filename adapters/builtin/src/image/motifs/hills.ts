import { adjust, hex, mix, type Rgb, rgb } from '../../scene/color.ts';
import { type Canvas, n, type SceneItem } from '../../scene/parts/canvas.ts';
import { distant, mist, subjectHill } from '../../scene/parts/distance.ts';
import { groundItem, type Ridge, ridgeLine, rollingRidge } from '../../scene/parts/ground.ts';
import { flowers, grass, roundTrees } from '../../scene/parts/plants.ts';

/** How many hills lie behind each other. */
const HILLS = 6;

/** Hills behind hills, with furrows, trees and cypresses. The sky is somebody else's. */
export function hills(canvas: Canvas): SceneItem[] {
	const { height, unit, plan, shapes, details, period } = canvas;
	const { land, ink, accent } = plan.palette;
	const items: SceneItem[] = [];
	for (let i = 0; i < HILLS; i++) {
		const near = i / (HILLS - 1);
		const turned = adjust(land, shapes.range(-14, 22), 1.05, shapes.range(-0.03, 0.04));
		const color = distant(canvas, mix(turned, ink, near * 0.12), 0.72 * (1 - near) ** 1.25);
		items.push(hill(canvas, i, near, color));
		if (i === 1) items.push(mist(canvas, plan.horizon + 0.03));
		if (i === HILLS - 2) items.push(...subjectHill(canvas, mix(color, ink, 0.06), plan.horizon + 0.22));
	}
	const front = adjust(mix(land, ink, 0.42), 0, 1.1);
	const line = { period, count: 420, size: [unit * 0.02, unit * 0.07] as const, color: front };
	const bloom = { period, count: 40, size: [unit * 0.03, unit * 0.08] as const, color: accent };
	items.push(
		groundItem(canvas, {
			ridge: rollingRidge(shapes, period, unit * 0.05, 2),
			rise: unit * 0.05,
			base: height * 0.95,
			depth: height * 0.06,
			headroom: unit * 0.14,
			fill: [front, mix(front, ink, 0.5)],
			dx: 0,
			behind: (y) => grass(y, details, line) + flowers(y, details, bloom, mix(front, ink, 0.3)),
		}),
	);
	return items;
}

function hill(canvas: Canvas, index: number, near: number, color: Rgb): SceneItem {
	const { height, unit, plan, shapes, period } = canvas;
	const base = plan.horizon + 0.005 + (0.93 - plan.horizon) * near ** 1.2 * 0.8;
	const rise = height * (0.07 + 0.05 * shapes.next());
	const trees = {
		period,
		count: index < 2 ? 26 : 9 - index,
		size: [unit * (0.018 + 0.05 * near), unit * (0.03 + 0.09 * near)] as const,
		color: mix(color, plan.palette.ink, 0.4),
	};
	const leafy = shapes.chance(0.5);
	return groundItem(canvas, {
		ridge: rollingRidge(shapes, period, rise, 1 + (index % 3)),
		rise,
		base: height * base,
		depth: height * 0.24,
		headroom: unit * 0.18,
		fill: [mix(color, plan.palette.light, 0.12), mix(color, plan.palette.ink, 0.2)],
		dx: 0,
		behind: (y) => (leafy ? roundTrees(y, shapes, trees) : cypresses(canvas, y, trees)),
		before: (y) => furrows(canvas, y, color, near),
	});
}

/** Rows of a field: lines that follow the crest and spread out below it. */
function furrows(canvas: Canvas, line: Ridge, color: Rgb, near: number): string {
	const { unit, period, shapes, plan } = canvas;
	if (shapes.chance(0.4)) return '';
	const tone = hex(mix(color, shapes.chance(0.5) ? plan.palette.ink : rgb('#fff4c8'), 0.22));
	const gap = unit * (0.008 + 0.014 * near);
	let svg = '';
	for (let i = 1; i < 9; i++) {
		const low = gap * i * (1 + i * 0.12);
		svg += `<path d="${ridgeLine((x) => line(x) + low, period)}" fill="none" stroke="${tone}" stroke-width="${n(unit * 0.0016 * (1 + near * 2))}" stroke-opacity="${n(0.75 - i * 0.07)}"/>`;
	}
	return svg;
}

function cypresses(
	{ shapes }: Canvas,
	line: Ridge,
	{ period, count, size, color }: { period: number; count: number; size: readonly [number, number]; color: Rgb },
): string {
	let path = '';
	for (let i = 0; i < count; i++) {
		const x = shapes.next() * period;
		const tall = shapes.range(...size) * 1.25;
		const wide = tall * 0.13;
		const y = line(x) + 3;
		path += `M${n(x)} ${n(y - tall)}C${n(x + wide * 1.3)} ${n(y - tall * 0.6)} ${n(x + wide)} ${n(y - tall * 0.1)} ${n(x)} ${n(y)}C${n(x - wide)} ${n(y - tall * 0.1)} ${n(x - wide * 1.3)} ${n(y - tall * 0.6)} ${n(x)} ${n(y - tall)}Z`;
	}
	return `<path d="${path}" fill="${hex(color)}"/>`;
}
