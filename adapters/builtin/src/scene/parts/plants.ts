import { adjust, hex, mix, type Rgb, rgb } from '../color.ts';
import type { Random } from '../random.ts';
import { acrossSeam, n } from './canvas.ts';
import type { Ridge } from './ground.ts';

/** How plants stand along a ridge. */
export interface Planting {
	readonly period: number;
	readonly count: number;
	/** Smallest and greatest height in pixels. */
	readonly size: readonly [number, number];
	readonly color: Rgb;
	/** Keeps this stretch free, for what stands there. */
	readonly clearing?: { readonly x: number; readonly radius: number };
}

/** Firs with snow of this opacity on their branches; 0 is none. */
export function conifers(line: Ridge, random: Random, planting: Planting, snow = 0): string {
	return plant(line, random, planting, 0.3, (x, y, size, tone) => {
		const wide = size * random.range(0.2, 0.27);
		let path = '';
		let white = '';
		for (let i = 0; i < 4; i++) {
			const top = y - size + size * 0.2 * i;
			const foot = top + size * (0.3 + i * 0.03);
			const half = wide * (0.4 + 0.2 * i);
			path += `M${n(x)} ${n(top)}L${n(x + half)} ${n(foot)}L${n(x - half)} ${n(foot)}Z`;
			const [deep, side] = [foot - top, half * 0.22];
			// The pieces touch: a stack of separate ones looks like letters to machines that read the title.
			white += `M${n(x)} ${n(top)}L${n(x + side)} ${n(foot - deep * 0.08)}L${n(x - half * 0.3)} ${n(foot - deep * 0.2)}L${n(x - half * 0.96)} ${n(foot - deep * 0.03)}Z`;
		}
		const trunk = `<rect x="${n(x - size * 0.025)}" y="${n(y - size * 0.12)}" width="${n(size * 0.05)}" height="${n(size * 0.15)}" fill="${tone}"/>`;
		const cap = snow > 0 ? `<path d="${white}" fill="#f2f7fc" fill-opacity="${snow}"/>` : '';
		return `${trunk}<path d="${path}" fill="${tone}"/>${cap}`;
	});
}

/** Broad-leaved trees with round crowns. */
export function roundTrees(line: Ridge, random: Random, planting: Planting): string {
	const trunk = hex(mix(planting.color, rgb('#2a1a12'), 0.6));
	return plant(line, random, planting, 0.5, (x, y, size, tone) => {
		const lit = hex(adjust(planting.color, 0, 1.05, 0.07));
		let crown = '';
		for (let i = 0; i < 6; i++) {
			const angle = (i / 6) * Math.PI * 2 + random.next();
			const [cx, cy] = [x + Math.cos(angle) * size * 0.17, y - size * 0.64 + Math.sin(angle) * size * 0.15];
			crown += `<circle cx="${n(cx)}" cy="${n(cy)}" r="${n(size * random.range(0.15, 0.22))}" fill="${tone}"/>`;
		}
		const shine = `<circle cx="${n(x - size * 0.09)}" cy="${n(y - size * 0.73)}" r="${n(size * 0.15)}" fill="${lit}" fill-opacity="0.55"/>`;
		const stem = `<path d="M${n(x - size * 0.04)} ${n(y + 3)}L${n(x - size * 0.02)} ${n(y - size * 0.55)}L${n(x + size * 0.02)} ${n(y - size * 0.55)}L${n(x + size * 0.04)} ${n(y + 3)}Z" fill="${trunk}"/>`;
		return `${stem}${crown}${shine}`;
	});
}

/** Bare trunks that reach out of the picture, for the inside of a forest. */
export function trunks(line: Ridge, random: Random, planting: Planting): string {
	return plant(line, random, planting, 0.1, (x, y, size, tone) => {
		const wide = size * random.range(0.018, 0.034);
		const lean = random.range(-0.03, 0.03) * size;
		return `<path d="M${n(x - wide * 1.5)} ${n(y + 8)}Q${n(x - wide)} ${n(y - size * 0.1)} ${n(x - wide * 0.8 + lean)} ${n(y - size)}L${n(x + wide * 0.8 + lean)} ${n(y - size)}Q${n(x + wide)} ${n(y - size * 0.1)} ${n(x + wide * 1.6)} ${n(y + 8)}Z" fill="${tone}"/>`;
	});
}

/** Blades of grass in one path. */
export function grass(line: Ridge, random: Random, planting: Planting): string {
	let path = '';
	for (let i = 0; i < planting.count; i++) {
		const x = random.next() * planting.period;
		const y = line(x) + random.range(0, planting.size[1] * 0.8);
		const size = random.range(...planting.size);
		const lean = random.range(-0.35, 0.35) * size;
		const half = size * 0.06;
		path += `M${n(x - half)} ${n(y)}Q${n(x)} ${n(y - size * 0.6)} ${n(x + lean)} ${n(y - size)}Q${n(x + half)} ${n(y - size * 0.5)} ${n(x + half)} ${n(y)}Z`;
	}
	return `<path d="${path}" fill="${hex(planting.color)}"/>`;
}

/** Flowers on stems in shades around a colour. */
export function flowers(line: Ridge, random: Random, planting: Planting, stem: Rgb): string {
	const shades = [-28, 0, 0, 24].map((turn) => hex(adjust(planting.color, turn, 1, 0.04)));
	return plant(line, random, planting, 0.4, (x, y, size) => {
		const top = y - size;
		const r = size * random.range(0.16, 0.24);
		const fill = random.pick(shades);
		let petals = '';
		for (let i = 0; i < 5; i++) {
			const angle = (i / 5) * Math.PI * 2 + random.next() * 0.4;
			petals += `<circle cx="${n(x + Math.cos(angle) * r * 0.75)}" cy="${n(top + Math.sin(angle) * r * 0.75)}" r="${n(r * 0.62)}" fill="${fill}"/>`;
		}
		return `<path d="M${n(x)} ${n(top)}Q${n(x + r * 0.4)} ${n(y - size * 0.5)} ${n(x)} ${n(y + size * 0.4)}" stroke="${hex(stem)}" stroke-width="${n(Math.max(1, size * 0.06))}" fill="none"/>${petals}<circle cx="${n(x)}" cy="${n(top)}" r="${n(r * 0.42)}" fill="#f8d860"/>`;
	});
}

function plant(
	line: Ridge,
	random: Random,
	planting: Planting,
	sink: number,
	draw: (x: number, y: number, size: number, tone: string) => string,
): string {
	const { period, count, size, clearing } = planting;
	let svg = '';
	for (let i = 0; i < count; i++) {
		const x = ((i + random.range(0.1, 0.9)) / count) * period;
		const height = random.range(...size);
		const drop = random.next() * height * 0.1 * sink;
		const tone = hex(adjust(planting.color, random.range(-6, 6), 1, random.range(-0.03, 0.03)));
		const part = acrossSeam(x, height * 0.6, period, draw(x, line(x) + drop + 2, height, tone));
		const near = clearing ? Math.abs(((x - clearing.x + period * 1.5) % period) - period / 2) : period;
		if (near >= (clearing?.radius ?? 0)) svg += part;
	}
	return svg;
}
