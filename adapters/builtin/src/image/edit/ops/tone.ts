import { type Bitmap, luma } from '../bitmap.ts';
import { curve, histogram, mapChannels } from './pointwise.ts';

/** Multiplies the light; -1 makes it black, 1 doubles it. */
export function brightness(picture: Bitmap, amount: number): void {
	mapChannels(
		picture,
		curve((value) => value * (1 + amount)),
	);
}

/** Spreads (or, below 0, gathers) values around the middle grey. */
export function contrast(picture: Bitmap, amount: number): void {
	const slope = amount < 0 ? 1 + amount : 1 + amount * 1.6;
	mapChannels(
		picture,
		curve((value) => 0.5 + (value - 0.5) * slope),
	);
}

/** Opens the aperture by stops, on linear light. */
export function exposure(picture: Bitmap, stops: number): void {
	mapChannels(
		picture,
		curve((value) => (value ** 2.2 * 2 ** stops) ** (1 / 2.2)),
	);
}

/** Above 1 the middle tones become lighter; black and white stay. */
export function gamma(picture: Bitmap, value: number): void {
	mapChannels(
		picture,
		curve((level) => level ** (1 / value)),
	);
}

/** Lifts or lowers the dark tones and leaves the light ones. */
export function shadows(picture: Bitmap, amount: number): void {
	mapChannels(
		picture,
		curve((value) => value + amount * 0.9 * value ** 0.7 * (1 - value) ** 3),
	);
}

/** Lifts or lowers the light tones and leaves the dark ones. */
export function highlights(picture: Bitmap, amount: number): void {
	mapChannels(
		picture,
		curve((value) => value + amount * 0.9 * value ** 3 * (1 - value) ** 0.7),
	);
}

/** Turns every channel round. */
export function invert(picture: Bitmap): void {
	mapChannels(
		picture,
		curve((value) => 1 - value),
	);
}

/** Leaves `levels` values a channel. */
export function posterize(picture: Bitmap, levels: number): void {
	const last = levels - 1;
	mapChannels(
		picture,
		curve((value) => Math.min(last, Math.floor(value * levels)) / last),
	);
}

/** Turns round what is lighter than `level` (0 to 1). */
export function solarize(picture: Bitmap, level: number): void {
	mapChannels(
		picture,
		curve((value) => (value > level ? 1 - value : value)),
	);
}

/** Makes everything black or white. */
export function threshold({ data }: Bitmap, level: number): void {
	const limit = level * 255;
	for (let i = 0; i < data.length; i += 4) {
		const value = luma(data[i] as number, data[i + 1] as number, data[i + 2] as number);
		const tone = value >= limit ? 255 : 0;
		data[i] = tone;
		data[i + 1] = tone;
		data[i + 2] = tone;
	}
}

/** Lifts black and lowers white, as sunlight does to prints. */
export function fade(picture: Bitmap, amount: number): void {
	mapChannels(
		picture,
		curve((value) => value * (1 - amount * 0.55) + amount * 0.3),
	);
}

/** Stretches the tones so that all but half a percent at both ends fill the whole range. */
export function stretch(picture: Bitmap): void {
	const counts = histogram(picture);
	const rest = counts.reduce((sum, count) => sum + count, 0) * 0.005;
	const [low, high] = [tail(counts, rest, 0, 1), tail(counts, rest, 255, -1)];
	if (high <= low) return;
	mapChannels(
		picture,
		curve((value) => (value * 255 - low) / (high - low)),
	);
}

function tail(counts: Uint32Array, rest: number, from: number, step: 1 | -1): number {
	let sum = 0;
	let at = from;
	while (at >= 0 && at < 256) {
		sum += counts[at] as number;
		if (sum > rest) break;
		at += step;
	}
	return at;
}

/** Spreads the brightness so that every value is about as frequent as the others. */
export function equalize(picture: Bitmap): void {
	const counts = histogram(picture);
	const total = counts.reduce((sum, count) => sum + count, 0);
	if (total === 0) return;
	const gains = new Float64Array(256);
	let sum = 0;
	for (let value = 0; value < 256; value++) {
		// The middle of each step, half of the way: the full way makes noise of even skies.
		const even = (255 * (sum + (counts[value] as number) / 2)) / total;
		gains[value] = (value + (even - value) * 0.8) / Math.max(1, value);
		sum += counts[value] as number;
	}
	scaleByBrightness(picture, gains);
}

function scaleByBrightness({ data }: Bitmap, gains: Float64Array): void {
	for (let i = 0; i < data.length; i += 4) {
		const [r, g, b] = [data[i] as number, data[i + 1] as number, data[i + 2] as number];
		const gain = gains[luma(r, g, b)] as number;
		data[i] = Math.min(255, r * gain);
		data[i + 1] = Math.min(255, g * gain);
		data[i + 2] = Math.min(255, b * gain);
	}
}

/** Multiplies alpha. */
export function opacity({ data }: Bitmap, share: number): void {
	for (let i = 3; i < data.length; i += 4) data[i] = Math.round((data[i] as number) * share);
}
