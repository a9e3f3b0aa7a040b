import { mix, type Rgb, rgb } from '../color.ts';
import type { Setting } from '../lexicon.ts';
import { fractalNoise, sampleField } from '../noise.ts';
import type { ScenePlan } from '../plan.ts';
import { createRandom } from '../random.ts';

/** What lies behind everything and never moves. */
export interface Backdrop {
	/** The vertical gradient as three numbers per row: sky above the horizon, water or deep below. */
	readonly rows: Float32Array;
	/** What is painted over it, in this order: light, glow, stars, nebula, rainbow. */
	readonly paints: readonly Paint[];
}

/** Changes the colour of one pixel; coordinates in pixels, colour 0 to 255, in place. */
export type Paint = (x: number, y: number, color: Float32Array) => void;

/** Prepares the backdrop of a picture of a size in pixels. */
export function createBackdrop(
	plan: ScenePlan,
	{ width, height }: { readonly width: number; readonly height: number },
): Backdrop {
	return { rows: skyRows(plan, height), paints: [...paintsOf(plan, width, height)] };
}

/** Settings whose sky reaches down to the lower border. */
const groundless: ReadonlySet<Setting> = new Set(['space', 'underwater', 'sky', 'abstract']);

function skyRows(plan: ScenePlan, height: number): Float32Array {
	const { sky, water } = plan.palette;
	const wet = plan.setting === 'sea' || plan.setting === 'lake';
	const short = wet || !groundless.has(plan.setting);
	const horizon = short ? height * plan.horizon : height;
	const rows = new Float32Array(height * 3);
	const shine = mix(water, sky[3], 0.55);
	const deep = mix(water, rgb('#04101c'), 0.45);
	for (let y = 0; y < height; y++) {
		const t = y / horizon;
		const below = (y - horizon) / (height - horizon);
		const color =
			t < 1 || !wet
				? gradient(sky, t)
				: below < 0.3
					? mix(shine, water, below / 0.3)
					: mix(water, deep, (below - 0.3) / 0.7);
		rows.set(color, y * 3);
	}
	return rows;
}

function gradient(stops: readonly Rgb[], t: number): Rgb {
	const place = Math.min(0.9999, t) * (stops.length - 1);
	const i = Math.floor(place);
	return mix(stops[i] as Rgb, stops[i + 1] as Rgb, place - i);
}

function* paintsOf(plan: ScenePlan, width: number, height: number): Generator<Paint> {
	const unit = Math.sqrt(width * height);
	const horizon = height * plan.horizon;
	if (plan.setting === 'abstract') return;
	if (plan.setting === 'space') yield nebula(plan, width, height);
	if (plan.setting === 'underwater') {
		yield surfaceLight(plan, width, height);
		return;
	}
	if (plan.elements.includes('stars')) yield stars(plan, width, plan.setting === 'space' ? height : horizon);
	if (plan.elements.includes('rainbow')) yield rainbow(width * (1 - plan.light.x), horizon, unit * 0.52);
	const covered = plan.weather === 'storm' || plan.weather === 'rain' || plan.weather === 'fog';
	const open = !covered && plan.setting !== 'space';
	if (plan.without?.includes(plan.time === 'night' ? 'moon' : 'sun')) return;
	yield glow(plan, width, height, unit, open ? 1 : 0.35);
	if (open) {
		const x = plan.light.x * width;
		const y = plan.light.y * height;
		const radius = unit * 0.05 * plan.light.size;
		yield plan.time === 'night' ? moon(x, y, radius, plan) : sun(x, y, radius, plan.palette.light);
	}
}

/** Light around sun or moon, and a path of it on water. */
function glow(plan: ScenePlan, width: number, height: number, unit: number, strength: number): Paint {
	const [cx, cy] = [plan.light.x * width, plan.light.y * height];
	const [r, g, b] = plan.palette.light;
	const wide = unit * (plan.time === 'night' ? 0.26 : 0.42);
	const near = unit * 0.1;
	const force = strength * (plan.time === 'night' ? 0.3 : plan.time === 'day' ? 0.5 : 0.62);
	return (x, y, color) => {
		const d = (x - cx) ** 2 + (y - cy) ** 2;
		const a = (1 / (1 + d / wide ** 2)) ** 2 * force * 0.75 + (1 / (1 + d / near ** 2)) ** 2 * force * 0.5;
		blend(color, r, g, b, Math.min(0.95, a));
	};
}

function sun(cx: number, cy: number, radius: number, [r, g, b]: Rgb): Paint {
	return (x, y, color) => {
		const away = Math.hypot(x - cx, y - cy) - radius;
		if (away < 1) blend(color, Math.min(255, r + 12), Math.min(255, g + 14), b, Math.min(1, 0.5 - away));
	};
}

function moon(cx: number, cy: number, radius: number, plan: ScenePlan): Paint {
	const random = createRandom(plan.shapeSeed ^ 0x300);
	const crescent = random.chance(0.4) ? radius * random.range(0.35, 0.6) : undefined;
	const craters = Array.from({ length: 7 }, () => ({
		x: cx + random.range(-0.6, 0.6) * radius,
		y: cy + random.range(-0.6, 0.6) * radius,
		r: radius * random.range(0.1, 0.26),
	}));
	const [r, g, b] = plan.palette.light;
	return (x, y, color) => {
		const away = Math.hypot(x - cx, y - cy) - radius;
		if (away > 1) return;
		let cover = Math.min(1, Math.max(0, 0.5 - away));
		if (crescent) {
			const shadow = Math.hypot(x - cx + crescent, y - cy + crescent * 0.4) - radius;
			cover *= Math.min(1, Math.max(0.03, 0.5 + shadow / (radius * 0.06)));
		}
		let shade = 1;
		for (const crater of craters) {
			const inside = crater.r - Math.hypot(x - crater.x, y - crater.y);
			if (inside > 0) shade *= 1 - 0.09 * Math.min(1, inside / (crater.r * 0.35));
		}
		blend(color, r * shade, g * shade, b * shade, cover);
	};
}

/** Small lights, kept in a sparse map from pixel to strength. */
function stars(plan: ScenePlan, width: number, bottom: number): Paint {
	const random = createRandom(plan.detailSeed ^ 0x57a5);
	const lights = new Map<number, number>();
	const count = Math.round((width * bottom) / (plan.setting === 'space' ? 1300 : 2400));
	for (let i = 0; i < count; i++) {
		const x = Math.floor(random.next() * width);
		const y = Math.floor(random.next() ** 1.15 * bottom);
		const strength = random.next() ** 3 * 0.85 + 0.15;
		lights.set(y * width + x, strength);
		if (strength < 0.45) continue;
		for (const near of [1, -1, width, -width]) lights.set(y * width + x + near, strength * 0.45);
	}
	return (x, y, color) => {
		const strength = lights.get(y * width + x);
		if (strength) blend(color, 255, 250, 240, strength * (1 - 0.7 * (y / bottom) ** 3));
	};
}

function nebula(plan: ScenePlan, width: number, height: number): Paint {
	const scale = 6;
	const size = { width: Math.ceil(width / scale), height: Math.ceil(height / scale) };
	const cells = { x: Math.max(2, Math.round((3 * width) / height)), y: 3 };
	const mass = fractalNoise(size, cells, 5, plan.shapeSeed);
	const dust = fractalNoise(size, cells, 5, plan.shapeSeed ^ 0xd057);
	const [a, b] = [plan.palette.land, plan.palette.accent];
	return (x, y, color) => {
		const m = sampleField(mass, x / scale, y / scale);
		const d = sampleField(dust, x / scale, y / scale);
		const cover = Math.max(0, m - 0.4) * 2.2;
		const share = Math.min(1, Math.max(0, (d - 0.38) * 3.2));
		const warm = share * cover;
		blend(color, a[0] * 1.25, a[1] * 1.15, a[2] * 1.3, Math.min(0.75, cover * (1 - share * 0.6)));
		blend(color, b[0], b[1], b[2], Math.min(0.6, warm * 0.9));
	};
}

/** The bright surface of the sea from below. */
function surfaceLight(plan: ScenePlan, width: number, height: number): Paint {
	const cx = plan.light.x * width;
	const [r, g, b] = plan.palette.light;
	return (x, y, color) => {
		const d = ((x - cx) / (width * 0.5)) ** 2 + ((y + height * 0.05) / (height * 0.3)) ** 2;
		blend(color, r, g, b, 0.85 / (1 + d) ** 2);
	};
}

function rainbow(cx: number, cy: number, radius: number): Paint {
	const bands = ['#c84848', '#e88a3c', '#f0d850', '#5cb860', '#4a90d8', '#5a5ac0', '#8a58b0'].map(rgb);
	const band = radius * 0.022;
	return (x, y, color) => {
		if (y > cy) return;
		const place = (radius - Math.hypot(x - cx, y - cy)) / band;
		if (place <= -1 || place >= bands.length) return;
		const [r, g, b] = bands[Math.min(bands.length - 1, Math.max(0, Math.round(place)))] as Rgb;
		const edge = Math.min(1, place + 1, bands.length - place);
		blend(color, r, g, b, 0.42 * edge * Math.min(1, (cy - y) / (radius * 0.3)));
	};
}

function blend(color: Float32Array, r: number, g: number, b: number, amount: number): void {
	color[0] = (color[0] as number) + (r - (color[0] as number)) * amount;
	color[1] = (color[1] as number) + (g - (color[1] as number)) * amount;
	color[2] = (color[2] as number) + (b - (color[2] as number)) * amount;
}
