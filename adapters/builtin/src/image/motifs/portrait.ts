import { adjust, hex, mix, type Rgb, rgb } from '../../scene/color.ts';
import { type Canvas, n } from '../../scene/parts/canvas.ts';
import { colorsOf, shapeOf } from '../../scene/parts/subjects.ts';
import type { Sitter } from '../words.ts';
import { bust } from './bust.ts';
import { type MotifPainter, sheet } from './motif.ts';

/** A rectangle in pixels. */
interface Box {
	readonly x: number;
	readonly y: number;
	readonly w: number;
	readonly h: number;
}

/** A bust, or the subject of the prompt, in an ornate frame on a papered wall. */
export const portrait: MotifPainter = (canvas, { sitter: look, room: height }) => {
	const { width } = canvas;
	const side = Math.min(width, height);
	const w = Math.min(width - side * 0.15, (height - side * 0.15) * 0.84);
	const h = Math.min(height - side * 0.15, w * 1.36);
	const outer = { x: (width - w) / 2, y: (height - h) / 2, w, h };
	const rim = Math.min(w, h) * 0.1;
	const inner = inset(outer, rim);
	return {
		back: [sheet(canvas, wall(canvas, outer))],
		main: [sheet(canvas, painting(canvas, inner, look) + frame(outer, rim))],
	};
};

function inset({ x, y, w, h }: Box, by: number): Box {
	return { x: x + by, y: y + by, w: w - by * 2, h: h - by * 2 };
}

/** Wallpaper with a woven pattern, darker towards the corners, and the shadow of the frame. */
function wall({ width, height, unit, plan }: Canvas, { x, y, w, h }: Box): string {
	const base = mix(mix(plan.palette.accent, plan.palette.sky[0], 0.55), rgb('#2c2430'), 0.35);
	const light = hex(adjust(base, 0, 1, 0.06));
	const gap = unit * 0.085;
	let path = '';
	for (let row = 0; row * gap < height + gap * 2; row++) {
		for (let column = 0; column * gap < width + gap; column++) {
			const cx = column * gap + (row % 2) * (gap / 2);
			const cy = row * gap * 0.9;
			const [a, b] = [gap * 0.3, gap * 0.42];
			path += `M${n(cx)} ${n(cy - b)}Q${n(cx + a)} ${n(cy)} ${n(cx)} ${n(cy + b)}Q${n(cx - a)} ${n(cy)} ${n(cx)} ${n(cy - b)}ZM${n(cx - a)} ${n(cy)}Q${n(cx)} ${n(cy - a * 0.4)} ${n(cx + a)} ${n(cy)}Q${n(cx)} ${n(cy + a * 0.4)} ${n(cx - a)} ${n(cy)}Z`;
		}
	}
	const drop = unit * 0.018;
	const shadow = [0, 1, 2, 3]
		.map((i) => {
			const grow = drop * i * 0.55;
			return `<rect x="${n(x - grow + drop * 0.5)}" y="${n(y - grow + drop)}" width="${n(w + grow * 2)}" height="${n(h + grow * 2)}" rx="${n(drop + grow)}" fill="#000" fill-opacity="0.13"/>`;
		})
		.join('');
	return `
		<defs><radialGradient id="v" cx="0.42" cy="0.3" r="0.85"><stop offset="0.3" stop-color="#000" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity="0.45"/></radialGradient></defs>
		<rect width="${width}" height="${height}" fill="${hex(base)}"/><path d="${path}" fill="${light}" fill-rule="evenodd"/>
		<rect width="${width}" height="${height}" fill="url(#v)"/>${shadow}`;
}

/** What the frame holds: soft ground, light from the left, and the sitter. */
function painting(canvas: Canvas, box: Box, look: Sitter): string {
	const { plan } = canvas;
	const { sky, ink, land } = plan.palette;
	const { x, y, w, h } = box;
	const back = [mix(sky[1], rgb('#6a5a48'), 0.35), mix(mix(ink, land, 0.35), rgb('#2a2018'), 0.3)] as const;
	return `
		<defs><radialGradient id="b" cx="0.36" cy="0.34" r="0.85"><stop offset="0" stop-color="${hex(adjust(back[0], 0, 1, 0.12))}"/><stop offset="0.55" stop-color="${hex(back[0])}"/><stop offset="1" stop-color="${hex(back[1])}"/></radialGradient>
		<clipPath id="c"><rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}"/></clipPath></defs>
		<g clip-path="url(#c)"><rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="url(#b)"/>${sitter(canvas, box, look)}</g>`;
}

function sitter(canvas: Canvas, { x, y, w, h }: Box, look: Sitter): string {
	const { subject } = canvas.plan;
	if (subject === undefined || subject === 'person' || look.royal) {
		return bust(canvas, look, { x: x + w / 2, foot: y + h, size: Math.min(h, w * 1.2) });
	}
	const size = Math.min(w, h) * 0.74;
	const floor = y + h * 0.9;
	const colors = colorsOf(canvas);
	const ground = hex(mix(colors.ink, canvas.plan.palette.land, 0.4));
	return `<ellipse cx="${n(x + w / 2)}" cy="${n(floor + h * 0.16)}" rx="${n(w * 0.75)}" ry="${n(h * 0.19)}" fill="${ground}"/>${shapeOf(subject, x + w / 2, floor - size / 2 + h * 0.005, size, colors, false)}`;
}

const gold = { dark: rgb('#6b4518'), middle: rgb('#b5842f'), bright: rgb('#f0d184') };

/** Four mitred sides, each in its own light, with beads inside and a rosette on each corner. */
function frame(outer: Box, rim: number): string {
	const steps = [
		{ from: 0, to: 0.16, tone: -0.08 },
		{ from: 0.16, to: 0.62, tone: 0.02 },
		{ from: 0.62, to: 0.8, tone: -0.12 },
		{ from: 0.8, to: 1, tone: 0.08 },
	];
	const sides = steps.map(({ from, to, tone }) => mitred(inset(outer, rim * from), rim * (to - from), tone)).join('');
	const middle = inset(outer, rim * 0.71);
	const corners = [
		[outer.x, outer.y],
		[outer.x + outer.w, outer.y],
		[outer.x, outer.y + outer.h],
		[outer.x + outer.w, outer.y + outer.h],
	] as const;
	const at = inset(outer, rim * 0.42);
	return (
		sides +
		beads(middle, rim * 0.075) +
		corners
			.map(([cx, cy]) => rosette(cx === outer.x ? at.x : at.x + at.w, cy === outer.y ? at.y : at.y + at.h, rim * 0.5))
			.join('')
	);
}

function mitred({ x, y, w, h }: Box, t: number, tone: number): string {
	const side = (d: string, color: Rgb): string => `<path d="${d}" fill="${hex(adjust(color, 0, 1, tone))}"/>`;
	const [r, b] = [x + w, y + h];
	return (
		side(`M${n(x)} ${n(y)}H${n(r)}L${n(r - t)} ${n(y + t)}H${n(x + t)}Z`, mix(gold.middle, gold.bright, 0.7)) +
		side(`M${n(x)} ${n(y)}V${n(b)}L${n(x + t)} ${n(b - t)}V${n(y + t)}Z`, mix(gold.middle, gold.bright, 0.3)) +
		side(`M${n(r)} ${n(y)}V${n(b)}L${n(r - t)} ${n(b - t)}V${n(y + t)}Z`, mix(gold.middle, gold.dark, 0.35)) +
		side(`M${n(x)} ${n(b)}H${n(r)}L${n(r - t)} ${n(b - t)}H${n(x + t)}Z`, mix(gold.middle, gold.dark, 0.6))
	);
}

function beads({ x, y, w, h }: Box, r: number): string {
	let svg = '';
	const bead = (cx: number, cy: number): void => {
		svg += `<circle cx="${n(cx)}" cy="${n(cy)}" r="${n(r)}" fill="${hex(gold.middle)}"/><circle cx="${n(cx - r * 0.25)}" cy="${n(cy - r * 0.3)}" r="${n(r * 0.5)}" fill="${hex(gold.bright)}"/>`;
	};
	const [columns, rows] = [Math.round(w / (r * 3)), Math.round(h / (r * 3))];
	for (let i = 0; i <= columns; i++) {
		bead(x + (w * i) / columns, y);
		bead(x + (w * i) / columns, y + h);
	}
	for (let i = 1; i < rows; i++) {
		bead(x, y + (h * i) / rows);
		bead(x + w, y + (h * i) / rows);
	}
	return svg;
}

function rosette(x: number, y: number, r: number): string {
	const petals = Array.from(
		{ length: 8 },
		(_, i) =>
			`<ellipse cx="0" cy="${n(-r * 0.56)}" rx="${n(r * 0.25)}" ry="${n(r * 0.44)}" transform="rotate(${i * 45})"/>`,
	).join('');
	return `<g transform="translate(${n(x)} ${n(y)})"><circle r="${n(r * 1.06)}" fill="${hex(gold.dark)}"/><g fill="${hex(mix(gold.middle, gold.bright, 0.45))}" stroke="${hex(gold.dark)}" stroke-width="${n(r * 0.05)}">${petals}</g><circle r="${n(r * 0.3)}" fill="${hex(gold.bright)}" stroke="${hex(gold.dark)}" stroke-width="${n(r * 0.05)}"/></g>`;
}
