import { adjust, hex, mix, type Rgb, rgb } from '../../scene/color.ts';
import { type Canvas, n } from '../../scene/parts/canvas.ts';
import type { Random } from '../../scene/random.ts';
import { type MotifPainter, sheet } from './motif.ts';

/** A vase of flowers on a table, in the light of a window. */
export const bouquet: MotifPainter = (canvas, { room: free }) => {
	const { width } = canvas;
	const size = Math.min(width, free * 0.92);
	// Everything is drawn around the foot of the vase.
	const foot = { x: width / 2, y: free / 2 + size * 0.4 };
	return {
		back: [sheet(canvas, room(canvas, foot.y, size))],
		main: [sheet(canvas, vase(canvas, foot, size))],
	};
};

function room(canvas: Canvas, table: number, size: number): string {
	const { width, height, plan, shapes } = canvas;
	const { sky, accent } = plan.palette;
	const dark = plan.time === 'night' || plan.time === 'dusk';
	const wall = mix(mix(sky[1], adjust(accent, 180), 0.25), rgb(dark ? '#2b2433' : '#f3e7d4'), dark ? 0.5 : 0.62);
	const wood = mix(rgb('#7a4a2c'), wall, 0.2);
	const top = table - size * 0.07;
	const lean = width * shapes.range(0.1, 0.25);
	const pane = (x: number): string =>
		`<path d="M${n(x)} 0L${n(x + width * 0.16)} 0L${n(x + width * 0.16 - lean)} ${n(top)}L${n(x - lean)} ${n(top)}Z" fill="${hex(plan.palette.light)}" fill-opacity="${dark ? 0.1 : 0.3}"/>`;
	const start = width * shapes.range(0.3, 0.6);
	return `
		<defs><linearGradient id="w" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${hex(adjust(wall, 0, 1, 0.05))}"/><stop offset="1" stop-color="${hex(adjust(wall, 0, 1, -0.12))}"/></linearGradient>
		<linearGradient id="t" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${hex(adjust(wood, 0, 1, 0.1))}"/><stop offset="1" stop-color="${hex(adjust(wood, 0, 1, -0.12))}"/></linearGradient></defs>
		<rect width="${width}" height="${height}" fill="url(#w)"/>${pane(start)}${pane(start + width * 0.19)}
		<rect y="${n(top)}" width="${width}" height="${n(height - top)}" fill="url(#t)"/>
		<rect y="${n(top)}" width="${width}" height="${n(size * 0.008)}" fill="#fff" fill-opacity="0.25"/>`;
}

function vase(canvas: Canvas, foot: { x: number; y: number }, size: number): string {
	const { plan, shapes } = canvas;
	const { accent, ink, sky } = plan.palette;
	const glaze = mix(shapes.pick([rgb('#3a6f8f'), rgb('#e9dcc4'), rgb('#a8503c'), adjust(accent, 160)]), sky[1], 0.12);
	const { x, y } = foot;
	const s = size * 0.01;
	const p = (dx: number, dy: number): string => `${n(x + dx * s)} ${n(y + dy * s)}`;
	const body = `M${p(-6, -31)}C${p(-6, -26)} ${p(-14, -24)} ${p(-14, -13)}C${p(-14, -5)} ${p(-8, 0)} ${p(-7, 0)}L${p(7, 0)}C${p(8, 0)} ${p(14, -5)} ${p(14, -13)}C${p(14, -24)} ${p(6, -26)} ${p(6, -31)}Z`;
	const shadow = `<ellipse cx="${n(x + 7 * s)}" cy="${n(y - 0.5 * s)}" rx="${n(23 * s)}" ry="${n(3 * s)}" fill="${hex(ink)}" fill-opacity="0.32"/>`;
	return `
		<defs><linearGradient id="v" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="${hex(adjust(glaze, 0, 1, -0.08))}"/><stop offset="0.3" stop-color="${hex(adjust(glaze, 0, 1, 0.14))}"/><stop offset="1" stop-color="${hex(adjust(glaze, 0, 1, -0.2))}"/></linearGradient></defs>
		${shadow}${fruit(shapes, x, y, s)}${stems(shapes, x, y, s)}
		<path d="${body}" fill="url(#v)"/>
		<path d="M${p(-13.4, -16)}Q${p(0, -12.5)} ${p(13.4, -16)}L${p(13.9, -12)}Q${p(0, -8.5)} ${p(-13.9, -12)}Z" fill="${hex(accent)}" fill-opacity="0.55"/>
		<path d="M${p(-10, -19)}C${p(-11.5, -15)} ${p(-11, -8)} ${p(-8.5, -5)}C${p(-9.5, -10)} ${p(-9.5, -15)} ${p(-8, -20)}Z" fill="#fff" fill-opacity="0.4"/>
		<ellipse cx="${n(x)}" cy="${n(y - 31 * s)}" rx="${n(6.6 * s)}" ry="${n(1.5 * s)}" fill="${hex(adjust(glaze, 0, 1, -0.16))}"/>
		${blooms(canvas, x, y - 55 * s, s)}`;
}

function stems(random: Random, x: number, y: number, s: number): string {
	let svg = '';
	for (let i = 0; i < 15; i++) {
		const [dx, dy] = [random.range(-28, 28), random.range(-76, -40)];
		svg += `<path d="M${n(x)} ${n(y - 30 * s)}Q${n(x + dx * 0.3 * s)} ${n(y - 44 * s)} ${n(x + dx * s)} ${n(y + dy * s)}" fill="none" stroke="#4a7a48" stroke-width="${n(0.7 * s)}"/>`;
	}
	for (let i = 0; i < 34; i++) {
		const angle = random.range(-1.5, 1.5);
		const [away, long] = [random.range(8, 26), random.range(8, 15)];
		const tone = hex(adjust(rgb('#4f8a52'), random.range(-20, 20), 1, random.range(-0.14, 0.06)));
		const at = `translate(${n(x + Math.sin(angle) * away * s)} ${n(y - 46 * s - Math.cos(angle) * away * s)}) rotate(${n((angle * 180) / Math.PI + random.range(-25, 25))}) scale(${(s * long).toFixed(3)})`;
		svg += `<g transform="${at}"><path d="M0 0Q0.42 -0.5 0 -1.2Q-0.42 -0.5 0 0Z" fill="${tone}"/><path d="M0 0V-1" stroke="#000" stroke-opacity="0.15" stroke-width="0.04"/></g>`;
	}
	return svg;
}

/** Flowers in a dome, those in the middle last and largest. */
function blooms({ plan, shapes }: Canvas, x: number, y: number, s: number): string {
	const { accent, light } = plan.palette;
	const tones = [
		accent,
		adjust(accent, 26, 1, 0.06),
		adjust(accent, -30),
		mix(accent, light, 0.55),
		mix(accent, rgb('#fffaf0'), 0.8),
	];
	const flowers = Array.from({ length: 23 }, (_, i) => {
		const ring = i < 13 ? 1 : i < 20 ? 0.6 : 0.22;
		const angle = (i / (i < 13 ? 13 : i < 20 ? 7 : 3)) * Math.PI * 2 + shapes.range(-0.2, 0.2);
		const size = shapes.range(5.2, 7.4) * (1.3 - ring * 0.35) * s;
		const [cx, cy] = [x + Math.cos(angle) * 26 * ring * s, y + Math.sin(angle) * 21 * ring * s];
		return shapes.pick([rose, daisy, peony, rose])(cx, cy, size, shapes.pick(tones), shapes);
	});
	return flowers.join('');
}

type Flower = (x: number, y: number, r: number, color: Rgb, random: Random) => string;

const rose: Flower = (x, y, r, color, random) => {
	let svg = '';
	for (let i = 0; i < 5; i++) {
		const k = 1 - i * 0.19;
		const turn = random.range(0, 360);
		const tone = hex(adjust(color, i * 3, 1, -0.1 + i * 0.045));
		const lobes = Array.from({ length: 5 - (i >> 1) }, (_, j) => {
			const angle = (j / (5 - (i >> 1))) * Math.PI * 2;
			return `<ellipse cx="${n(Math.cos(angle) * 46 * k)}" cy="${n(Math.sin(angle) * 46 * k)}" rx="${n(58 * k)}" ry="${n(50 * k)}" fill="${tone}" stroke="#000" stroke-opacity="0.1" stroke-width="3"/>`;
		}).join('');
		svg += `<g transform="rotate(${n(turn)})">${lobes}</g>`;
	}
	return `<g transform="translate(${n(x)} ${n(y)}) scale(${(r / 100).toFixed(4)})">${svg}</g>`;
};

const daisy: Flower = (x, y, r, color, random) => {
	const turn = random.range(0, 30);
	const [low, high] = [hex(adjust(color, 0, 1, -0.08)), hex(adjust(color, 0, 0.9, 0.08))];
	const petals = (tone: string, offset: number, reach: number): string =>
		Array.from(
			{ length: 12 },
			(_, i) =>
				`<ellipse cx="0" cy="${-62 * reach}" rx="17" ry="${42 * reach}" fill="${tone}" transform="rotate(${n(turn + offset + i * 30)})"/>`,
		).join('');
	return `<g transform="translate(${n(x)} ${n(y)}) scale(${(r / 100).toFixed(4)})">${petals(low, 15, 1.05)}${petals(high, 0, 0.95)}<circle r="26" fill="#e9b23c"/><circle cx="-6" cy="-7" r="13" fill="#f8d870"/></g>`;
};

const peony: Flower = (x, y, r, color, random) => {
	let svg = '';
	for (let i = 0; i < 26; i++) {
		const k = 1 - i / 30;
		const angle = i * 2.4 + random.range(-0.2, 0.2);
		const tone = hex(adjust(color, 0, 1, -0.12 + (i / 26) * 0.24));
		svg += `<circle cx="${n(Math.cos(angle) * 66 * k)}" cy="${n(Math.sin(angle) * 66 * k)}" r="${n(20 + 20 * k)}" fill="${tone}"/>`;
	}
	return `<g transform="translate(${n(x)} ${n(y)}) scale(${(r / 100).toFixed(4)})">${svg}</g>`;
};

/** Apples, oranges or lemons beside the vase. */
function fruit(random: Random, x: number, y: number, s: number): string {
	const side = random.chance(0.5) ? 1 : -1;
	const color = random.pick([rgb('#d8452f'), rgb('#ef9330'), rgb('#f0cd3f'), rgb('#8fae3c')]);
	return [23, 31, 26]
		.map((away, i) => {
			const [cx, cy, r] = [x + side * away * s, y + (i === 2 ? 1.2 : -2.4) * s, 4.6 * s];
			const tone = adjust(color, random.range(-8, 8), 1, random.range(-0.04, 0.04));
			return `<ellipse cx="${n(cx + s)}" cy="${n(cy + r * 0.9)}" rx="${n(r * 1.1)}" ry="${n(r * 0.25)}" fill="#000" fill-opacity="0.25"/><circle cx="${n(cx)}" cy="${n(cy)}" r="${n(r)}" fill="${hex(tone)}"/><circle cx="${n(cx + r * 0.18)}" cy="${n(cy + r * 0.2)}" r="${n(r * 0.8)}" fill="${hex(adjust(tone, 0, 1, -0.07))}" fill-opacity="0.6"/><ellipse cx="${n(cx - r * 0.35)}" cy="${n(cy - r * 0.4)}" rx="${n(r * 0.25)}" ry="${n(r * 0.16)}" fill="#fff" fill-opacity="0.55"/><path d="M${n(cx)} ${n(cy - r)}q${n(r * 0.1)} ${n(-r * 0.35)} ${n(r * 0.35)} ${n(-r * 0.4)}" fill="none" stroke="#5a3a20" stroke-width="${n(0.6 * s)}"/>`;
		})
		.join('');
}
