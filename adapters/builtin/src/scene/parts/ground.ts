import { hex, type Rgb } from '../color.ts';
import type { Random } from '../random.ts';
import { type Canvas, n, type SceneItem } from './canvas.ts';

/** Height of the ground above its base line at a place, in pixels; repeats with the layer. */
export type Ridge = (x: number) => number;

/** Soft hills. `waves` is the number of the broadest ones per period. */
export function rollingRidge(random: Random, period: number, height: number, waves: number): Ridge {
	const parts = [1, 1.9, 3.1, 5.3].map((factor, i) => ({
		cycles: Math.max(1, Math.round(waves * factor)),
		phase: random.next() * Math.PI * 2,
		share: [0.56, 0.27, 0.12, 0.05][i] as number,
	}));
	return (x) => {
		let sum = 0;
		for (const { cycles, phase, share } of parts) {
			sum += share * Math.sin((x / period) * cycles * Math.PI * 2 + phase);
		}
		return height * (0.5 + 0.5 * sum);
	};
}

/** Mountains by midpoint displacement: 256 corners, straight lines between them. */
export function rockyRidge(random: Random, period: number, height: number, peaks: number): Ridge {
	const size = 256;
	const step = size / 2 ** Math.round(Math.log2(peaks * 2));
	const points = new Float64Array(size + 1);
	for (let i = 0, high = random.chance(0.5); i < size; i += step, high = !high) {
		points[i] = high ? random.range(0.62, 1) : random.range(0.1, 0.42);
	}
	points[size] = points[0] as number;
	for (let gap = step, rough = 0.16; gap >= 2; gap /= 2, rough *= 0.56) {
		for (let i = gap / 2; i < size; i += gap) {
			const middle = ((points[i - gap / 2] as number) + (points[i + gap / 2] as number)) / 2;
			points[i] = middle + random.range(-rough, rough);
		}
	}
	return (x) => {
		const place = ((((x / period) % 1) + 1) % 1) * size;
		const i = Math.floor(place);
		const [a, b] = [points[i] as number, points[i + 1] as number];
		return height * Math.max(0, a + (b - a) * (place - i));
	};
}

/** Dunes: long slopes to one side, short ones to the other. */
export function duneRidge(random: Random, period: number, height: number, count: number): Ridge {
	const lean = random.range(0.62, 0.8);
	const sizes = Array.from({ length: count }, () => random.range(0.55, 1));
	const base = rollingRidge(random, period, height * 0.35, 2);
	return (x) => {
		const place = ((((x / period) % 1) + 1) % 1) * count;
		const i = Math.floor(place);
		const t = place - i;
		const rise = t < lean ? t / lean : (1 - t) / (1 - lean);
		const smooth = Math.sin((rise - 0.5) * Math.PI * 0.92) * 0.5 + 0.5;
		return base(x) + height * 0.65 * smooth * (sizes[i % count] as number);
	};
}

/** A strip of ground across the frame. */
export interface Ground {
	readonly ridge: Ridge;
	/** The greatest value of `ridge`. */
	readonly rise: number;
	/** Where the ridge's zero lies in the frame, in pixels from the top. */
	readonly base: number;
	/** How far the ground reaches below its base; what lies deeper is hidden by nearer strips. */
	readonly depth: number;
	/** Room above the ridge for what stands on it. */
	readonly headroom: number;
	/** Colours at the crest and at the foot. */
	readonly fill: readonly [Rgb, Rgb];
	/** Pixels per frame. */
	readonly dx: number;
	/** SVG behind and before the ground, in the strip's coordinates; `y(x)` is the ridge's line there. */
	readonly behind?: (y: Ridge) => string;
	readonly before?: (y: Ridge) => string;
}

/** Draws a strip of ground that repeats sideways. */
export function groundItem(canvas: Canvas, ground: Ground): SceneItem {
	const { period } = canvas;
	const { ridge, rise, headroom, fill } = ground;
	const top = rise + headroom;
	const height = Math.ceil((top + ground.depth) / 2) * 2;
	const line: Ridge = (x) => top - ridge(x);
	const outline = `${ridgeLine(line, period)} L${period} ${height} L0 ${height} Z`;
	const body = `
		<defs><linearGradient id="g" gradientUnits="userSpaceOnUse" x1="0" y1="${n(headroom)}" x2="0" y2="${height}">
			<stop offset="0" stop-color="${hex(fill[0])}"/><stop offset="1" stop-color="${hex(fill[1])}"/>
		</linearGradient></defs>
		${ground.behind?.(line) ?? ''}<path d="${outline}" fill="url(#g)"/>${ground.before?.(line) ?? ''}`;
	return {
		kind: 'svg',
		drawing: { width: period, height, body },
		wraps: true,
		travel: { x: 0, y: Math.round(ground.base - top), dx: ground.dx },
	};
}

/** The path along a ridge from left to right. */
export function ridgeLine(line: Ridge, period: number, from = 0, to = period): string {
	const step = Math.max(2, period / 512);
	let path = `M${n(from)} ${n(line(from))}`;
	for (let x = from + step; x < to; x += step) path += `L${n(x)} ${n(line(x))}`;
	return `${path}L${n(to)} ${n(line(to))}`;
}

/** Snow above a line, with a ragged border, for mountains. */
export function snowCaps(line: Ridge, period: number, snowLine: number, random: Random, color: Rgb): string {
	const step = period / 256;
	const lower: string[] = [];
	let upper = '';
	for (let i = 0; i <= 256; i++) {
		const x = i * step;
		const y = line(x);
		const thick = Math.max(0, snowLine - y) * 0.55;
		const jag = thick * (i % 2 === 0 ? 1 : 0.45 + random.next() * 0.4);
		upper += `${i === 0 ? 'M' : 'L'}${n(x)} ${n(y)}`;
		lower.unshift(`L${n(x)} ${n(y + (thick > 0 ? jag : 0))}`);
	}
	return `<path d="${upper}${lower.join('')}Z" fill="${hex(color)}" fill-opacity="0.9"/>`;
}

/** Shadow on the right flanks of mountains, so that they look solid. */
export function flankShadows(line: Ridge, period: number, depth: number, random: Random): string {
	const step = period / 128;
	let path = '';
	for (let i = 0; i < 128; ) {
		const rising = line((i + 1) * step) < line(i * step);
		let j = i + 1;
		while (j < 128 && line((j + 1) * step) < line(j * step) === rising) j++;
		const [x, end] = [i * step, j * step];
		if (!rising && line(end) - line(x) > depth * 0.06) {
			const bend = x + (end - x) * random.range(-0.2, 0.3);
			const fold = line(x) + (line(end) - line(x)) * random.range(0.4, 0.6);
			path += `${ridgeLine(line, period, x, end)}L${n(bend)} ${n(line(end) + depth * 0.04)}L${n(x + (end - x) * 0.22)} ${n(fold)}Z`;
		}
		i = j;
	}
	return `<path d="${path}" fill="#050a1a" fill-opacity="0.2"/>`;
}
