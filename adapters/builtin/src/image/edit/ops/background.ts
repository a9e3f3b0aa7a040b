import { type Bitmap, type Check, unchecked } from '../bitmap.ts';

/** Colour of a part of the border. */
interface Shade {
	readonly r: number;
	readonly g: number;
	readonly b: number;
}

/** The step from pixel to pixel that a slow gradient has at most. */
const SLOW = 5;

/**
 * Tells the subject from the background: 255 where the subject is, 0 in what can be reached from the border through colours that occur
 * along the border, and soft between. `tolerance` is 0 to 1.
 */
export function findSubject(picture: Bitmap, tolerance: number, check: Check): Uint8Array {
	const { width, height, data } = picture;
	const shades = borderShades(picture);
	const limit = tolerance * 255;
	const subject = new Uint8Array(width * height).fill(255);
	const isClear = (k: number): boolean => (data[k * 4 + 3] as number) < 16;
	const starts = (k: number): boolean => isClear(k) || nearest(data, k * 4, shades) <= limit;
	const joins = (from: number, k: number): boolean => {
		if (isClear(k)) return true;
		const rise = step(data, from * 4, k * 4);
		if (rise > limit * 0.75) return false;
		// A sky that changes its colour slowly is followed further than a border that is sharp.
		return nearest(data, k * 4, shades) <= (rise <= SLOW ? limit * 3 : limit);
	};
	flood(subject, width, height, starts, joins, check);
	sweep(subject, width, height, (k) => nearest(data, k * 4, shades) <= limit * 3, check);
	const opacityOf = (k: number): number => nearest(data, k * 4, shades) / (limit * 2.4 + 1);
	soften(subject, width, height, opacityOf, check);
	return subject;
}

/** The share of pixels that are background, 0 to 1. */
export function backgroundShare(subject: Uint8Array): number {
	let count = 0;
	for (const share of subject) if (share === 0) count++;
	return count / subject.length;
}

/** Multiplies alpha by the subject's, and takes the background's colour out of the soft border. */
export function cutOut(picture: Bitmap, subject: Uint8Array, check: Check = unchecked): void {
	const { data } = picture;
	const shades = borderShades(picture);
	for (let k = 0, i = 0; k < subject.length; k++, i += 4) {
		if ((k & 0x3_ffff) === 0) check();
		const share = subject[k] as number;
		if (share === 255) continue;
		data[i + 3] = Math.round(((data[i + 3] as number) * share) / 255);
		if (share === 0) continue;
		const shade = closest(data, i, shades);
		if (!shade) continue;
		const part = Math.max(0.2, share / 255);
		data[i] = cut((data[i] as number) - shade.r * (1 - part), part);
		data[i + 1] = cut((data[i + 1] as number) - shade.g * (1 - part), part);
		data[i + 2] = cut((data[i + 2] as number) - shade.b * (1 - part), part);
	}
}

function cut(value: number, part: number): number {
	return Math.min(255, Math.max(0, Math.round(value / part)));
}

/** The colours that make up at least a twentieth of the border each, the most frequent first. */
function borderShades({ width, height, data }: Bitmap): readonly Shade[] {
	const bins = new Map<number, { count: number; r: number; g: number; b: number }>();
	let total = 0;
	const add = (k: number): void => {
		const i = k * 4;
		if ((data[i + 3] as number) < 16) return;
		const [r, g, b] = [data[i] as number, data[i + 1] as number, data[i + 2] as number];
		const key = ((r >> 4) << 8) | ((g >> 4) << 4) | (b >> 4);
		const bin = bins.get(key) ?? { count: 0, r: 0, g: 0, b: 0 };
		bins.set(key, { count: bin.count + 1, r: bin.r + r, g: bin.g + g, b: bin.b + b });
		total++;
	};
	for (let x = 0; x < width; x++) {
		add(x);
		add((height - 1) * width + x);
	}
	for (let y = 1; y < height - 1; y++) {
		add(y * width);
		add((y + 1) * width - 1);
	}
	const sorted = [...bins.values()].sort((a, b) => b.count - a.count);
	const frequent = sorted.filter(({ count }, index) => index === 0 || count >= total * 0.05);
	return frequent.slice(0, 16).map(({ count, r, g, b }) => ({ r: r / count, g: g / count, b: b / count }));
}

function distance(data: Uint8Array, i: number, { r, g, b }: Shade): number {
	return Math.max(
		Math.abs((data[i] as number) - r),
		Math.abs((data[i + 1] as number) - g),
		Math.abs((data[i + 2] as number) - b),
	);
}

function nearest(data: Uint8Array, i: number, shades: readonly Shade[]): number {
	let least = 255;
	for (let k = 0; k < shades.length; k++) {
		const far = distance(data, i, shades[k] as Shade);
		if (far < least) least = far;
	}
	return least;
}

function closest(data: Uint8Array, i: number, shades: readonly Shade[]): Shade | undefined {
	let found: Shade | undefined;
	for (const shade of shades) {
		if (!found || distance(data, i, shade) < distance(data, i, found)) found = shade;
	}
	return found;
}

function step(data: Uint8Array, i: number, j: number): number {
	return Math.max(
		Math.abs((data[i] as number) - (data[j] as number)),
		Math.abs((data[i + 1] as number) - (data[j + 1] as number)),
		Math.abs((data[i + 2] as number) - (data[j + 2] as number)),
	);
}

/** Writes 0 into everything that hangs together with the border. */
function flood(
	subject: Uint8Array,
	width: number,
	height: number,
	starts: (k: number) => boolean,
	joins: (from: number, k: number) => boolean,
	check: Check,
): void {
	const waiting = new Int32Array(width * height);
	let count = 0;
	const add = (k: number): void => {
		subject[k] = 0;
		waiting[count++] = k;
	};
	const start = (k: number): void => {
		if (subject[k] !== 0 && starts(k)) add(k);
	};
	const grow = (from: number, k: number): void => {
		if (subject[k] !== 0 && joins(from, k)) add(k);
	};
	for (let x = 0; x < width; x++) {
		start(x);
		start((height - 1) * width + x);
	}
	for (let y = 1; y < height - 1; y++) {
		start(y * width);
		start((y + 1) * width - 1);
	}
	for (let done = 0; count > 0; done++) {
		if ((done & 65_535) === 0) check();
		const k = waiting[--count] as number;
		const x = k % width;
		if (x > 0) grow(k, k - 1);
		if (x + 1 < width) grow(k, k + 1);
		if (k >= width) grow(k, k - width);
		if (k + width < subject.length) grow(k, k + width);
	}
}

/** Takes single pixels away that the background surrounds: grain, not subject. */
function sweep(subject: Uint8Array, width: number, height: number, isLike: (k: number) => boolean, check: Check): void {
	for (let y = 1; y < height - 1; y++) {
		if ((y & 63) === 0) check();
		for (let k = y * width + 1; k < (y + 1) * width - 1; k++) {
			if (subject[k] === 0) continue;
			const around =
				(subject[k - 1] as number) +
				(subject[k + 1] as number) +
				(subject[k - width] as number) +
				(subject[k + width] as number);
			if (around <= 255 && isLike(k)) subject[k] = 0;
		}
	}
}

/** Makes the outermost two rings of the subject as opaque as their colour differs from the background. */
function soften(
	subject: Uint8Array,
	width: number,
	height: number,
	opacityOf: (k: number) => number,
	check: Check,
): void {
	for (let ring = 0; ring < 2; ring++) {
		const found: number[] = [];
		for (let y = 0; y < height; y++) {
			if ((y & 63) === 0) check();
			for (let x = 0, k = y * width; x < width; x++, k++) {
				if (subject[k] !== 255) continue;
				const outside =
					(x > 0 && (subject[k - 1] as number) < 255) ||
					(x + 1 < width && (subject[k + 1] as number) < 255) ||
					(y > 0 && (subject[k - width] as number) < 255) ||
					(y + 1 < height && (subject[k + width] as number) < 255);
				if (outside && opacityOf(k) < 1) found.push(k);
			}
		}
		for (const k of found) subject[k] = Math.max(1, Math.round(255 * opacityOf(k)));
	}
}
