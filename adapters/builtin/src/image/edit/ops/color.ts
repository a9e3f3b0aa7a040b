import type { Rgb } from '../../../scene/color.ts';
import type { Bitmap } from '../bitmap.ts';
import { byte, curve, gradient, mapBrightness, mapEach, multiply } from './pointwise.ts';

const WEIGHTS = [77 / 256, 150 / 256, 29 / 256] as const;
const [WR, WG, WB] = WEIGHTS;

/** 0 takes all colour away, 1 keeps it, 2 doubles it. Grey stays as it is. */
export function saturate(picture: Bitmap, factor: number): void {
	const rest = 1 - factor;
	const [r, g, b] = [WR * rest, WG * rest, WB * rest];
	multiply(picture, [r + factor, g, b, r, g + factor, b, r, g, b + factor]);
}

/** Saturates dull colours more than strong ones. */
export function vibrance({ data }: Bitmap, amount: number): void {
	for (let i = 0; i < data.length; i += 4) {
		const [r, g, b] = [data[i] as number, data[i + 1] as number, data[i + 2] as number];
		const most = Math.max(r, g, b);
		const grey = WR * r + WG * g + WB * b;
		const factor = 1 + amount * (1 - (most - Math.min(r, g, b)) / 255);
		data[i] = byte(Math.round(grey + (r - grey) * factor));
		data[i + 1] = byte(Math.round(grey + (g - grey) * factor));
		data[i + 2] = byte(Math.round(grey + (b - grey) * factor));
	}
}

/** Every pixel gets its brightness: red, green and blue are equal. */
export function grayscale({ data }: Bitmap): void {
	for (let i = 0; i < data.length; i += 4) {
		const value = ((data[i] as number) * 77 + (data[i + 1] as number) * 150 + (data[i + 2] as number) * 29) >> 8;
		data[i] = value;
		data[i + 1] = value;
		data[i + 2] = value;
	}
}

/** The brown of old prints: one hue from shadow to light, because only the brightness decides; a matrix would clip channel by channel. */
export function sepia(picture: Bitmap, share: number): void {
	mapBrightness(picture, brown, share);
}

/** Each colour has about the brightness that it stands for; white becomes cream. */
const brown = Uint8Array.from({ length: 768 }, (_, i) => {
	const light = Math.floor(i / 3) / 255;
	const wanted = 10 * light + 38 * Math.sin(Math.PI * light ** 0.9);
	// In the darkest tones no more than blue has, so that nothing is cut there either.
	const chroma = Math.min(wanted, (light * 0.965 * 255) / 0.9);
	return Math.round(light * 0.965 * 255 + chroma * ([0.62, -0.14, -0.9][i % 3] ?? 0));
});

/** Turns all hues by degrees and keeps the brightness (the matrix of SVG's hueRotate). */
export function turnHue(picture: Bitmap, degrees: number): void {
	const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
	multiply(picture, [
		0.213 + c * 0.787 - s * 0.213,
		0.715 - c * 0.715 - s * 0.715,
		0.072 - c * 0.072 + s * 0.928,
		0.213 - c * 0.213 + s * 0.143,
		0.715 + c * 0.285 + s * 0.14,
		0.072 - c * 0.072 - s * 0.283,
		0.213 - c * 0.213 - s * 0.787,
		0.715 - c * 0.715 + s * 0.715,
		0.072 + c * 0.928 + s * 0.072,
	]);
}

/** Colours the picture by its brightness: black stays black, white stays white, the middle takes the colour. */
export function tint(picture: Bitmap, color: Rgb, share: number): void {
	mapBrightness(picture, gradient([[0, 0, 0], color, [255, 255, 255]]), share);
}

/** Replaces each brightness by a colour between the given ones. */
export function mapToGradient(picture: Bitmap, stops: readonly Rgb[]): void {
	mapBrightness(picture, gradient(stops));
}

/**
 * Above 0 towards candle light, below 0 towards shade; 1 is far. No gain is above 1 and the middle tones are bent instead, so that
 * lights keep the hue of the rest.
 */
export function temperature({ data }: Bitmap, amount: number): void {
	const far = Math.abs(amount);
	const table = (gain: number, bend: number): Uint8ClampedArray =>
		curve((value) => value ** (1 + bend * far) * (1 - gain * far));
	const [near, middle, away] = [table(0, -0.3), table(0.08, -0.04), table(0.2, 0.42)];
	if (amount > 0) mapEach(data, near, middle, away);
	else mapEach(data, away, middle, near);
}

/** Takes most of a colour cast away: the average moves towards grey. */
export function balanceWhite({ data }: Bitmap): void {
	const sums = [0, 0, 0];
	for (let i = 0; i < data.length; i += 4) {
		if (data[i + 3] === 0) continue;
		for (let c = 0; c < 3; c++) sums[c] = (sums[c] as number) + (data[i + c] as number);
	}
	const grey = ((sums[0] as number) + (sums[1] as number) + (sums[2] as number)) / 3;
	const [r, g, b] = sums.map((sum) => {
		const gain = sum === 0 ? 1 : Math.min(2.5, Math.max(0.4, grey / sum)) ** 0.7;
		return Uint8ClampedArray.from({ length: 256 }, (_, value) => value * gain);
	});
	if (r && g && b) mapEach(data, r, g, b);
}

/** Turns pixels of one colour into another one, shading kept; neighbours in colour change in part. `reach` is 0 to 1. */
export function replaceColor({ data }: Bitmap, from: Rgb, to: Rgb, reach: number): void {
	const limit = reach * 300;
	for (let i = 0; i < data.length; i += 4) {
		const [r, g, b] = [data[i] as number, data[i + 1] as number, data[i + 2] as number];
		const share = likeness(r, g, b, from, limit);
		if (share === 0) continue;
		data[i] = byte(Math.round(r + (to[0] - from[0]) * share));
		data[i + 1] = byte(Math.round(g + (to[1] - from[1]) * share));
		data[i + 2] = byte(Math.round(b + (to[2] - from[2]) * share));
	}
}

/** Makes one colour transparent. */
export function keyOut({ data }: Bitmap, color: Rgb, reach: number): void {
	const limit = reach * 300;
	for (let i = 0; i < data.length; i += 4) {
		const [r, g, b] = [data[i] as number, data[i + 1] as number, data[i + 2] as number];
		const share = likeness(r, g, b, color, limit);
		if (share > 0) data[i + 3] = Math.round((data[i + 3] as number) * (1 - share));
	}
}

/** 1 within two thirds of the limit, 0 beyond it. A colour is compared in shade and in hue, so that its darker parts count. */
function likeness(r: number, g: number, b: number, color: Rgb, limit: number): number {
	const [dr, dg, db] = [r - color[0], g - color[1], b - color[2]];
	const shade = (dr + dg + db) / 3;
	const hue = (dr - shade) ** 2 + (dg - shade) ** 2 + (db - shade) ** 2;
	const distance = Math.sqrt(hue + shade * shade * 1.2);
	if (distance >= limit) return 0;
	const edge = limit * 0.66;
	return distance <= edge ? 1 : (limit - distance) / (limit - edge);
}
