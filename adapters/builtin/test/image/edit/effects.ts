import { expect } from 'vitest';
import { type Bitmap, copy, solid } from '../../../src/image/edit/bitmap.ts';
import {
	changed,
	colorfulness,
	detail,
	type EditOptions,
	mean,
	paint,
	pixel,
	spread,
	steepest,
	subject,
	values,
} from './pictures.ts';

/** How the effect of one operation is measured. `input` is a scene unless given. */
export interface Effect {
	readonly prompt: string;
	readonly input?: () => Bitmap;
	readonly options?: () => EditOptions;
	measure(after: Bitmap, before: Bitmap): void;
}

const greys = (): Bitmap => {
	const picture = solid(256, 1, [0, 0, 0]);
	for (let x = 0; x < 256; x++) paint(picture, x, 0, 1, 1, [x, x, x]);
	return picture;
};

const speckled = (): Bitmap => {
	const picture = solid(32, 32, [100, 100, 100]);
	for (let i = 2; i < 30; i += 5) paint(picture, i, (i * 7) % 30, 1, 1, [255, 255, 255]);
	return picture;
};

const grey = (after: Bitmap): void => {
	for (let i = 0; i < after.data.length; i += 4) {
		expect(after.data[i]).toBe(after.data[i + 1]);
		expect(after.data[i]).toBe(after.data[i + 2]);
	}
};

/** Measurements of light, colour and neighbourhood, by the name of the operation. */
export const pixelEffects: Readonly<Record<string, Effect>> = {
	brighten: {
		prompt: 'brighten by 20%',
		measure: (after, before) => expect(mean(after) / mean(before)).toBeCloseTo(1.18, 1),
	},
	darken: {
		prompt: 'darken by 50%',
		measure: (after, before) => expect(mean(after) / mean(before)).toBeCloseTo(0.5, 1),
	},
	contrast: {
		prompt: 'increase the contrast',
		measure: (after, before) => expect(spread(after)).toBeGreaterThan(spread(before) * 1.2),
	},
	exposure: {
		prompt: 'exposure +100%',
		measure: (after, before) => expect(mean(after)).toBeGreaterThan(mean(before) * 1.2),
	},
	gamma: {
		prompt: 'gamma 2',
		input: () => solid(4, 4, [64, 64, 64]),
		measure: (after) => expect(pixel(after, 0, 0)[0]).toBe(Math.round(255 * Math.sqrt(64 / 255))),
	},
	shadows: {
		prompt: 'lift the shadows by 60%',
		input: () => twoTones(30, 230),
		measure: (after) => {
			expect(pixel(after, 0, 0)[0]).toBeGreaterThan(50);
			expect(pixel(after, 3, 0)[0]).toBeLessThanOrEqual(232);
		},
	},
	highlights: {
		prompt: 'lower the highlights by 60%',
		input: () => twoTones(30, 210),
		measure: (after) => {
			expect(pixel(after, 0, 0)[0]).toBeGreaterThanOrEqual(28);
			expect(pixel(after, 3, 0)[0]).toBeLessThan(190);
		},
	},
	invert: {
		prompt: 'invert',
		measure: (after, before) => {
			for (let i = 0; i < 400; i += 4) expect(after.data[i]).toBe(255 - (before.data[i] as number));
		},
	},
	posterize: {
		prompt: 'posterise to 3 levels',
		measure: (after) => expect([...values(after, 0)].sort((a, b) => a - b)).toEqual([0, 128, 255]),
	},
	threshold: {
		prompt: 'threshold 50%',
		measure: (after) => {
			grey(after);
			expect([...values(after, 0)].sort((a, b) => a - b)).toEqual([0, 255]);
		},
	},
	solarize: {
		prompt: 'solarize',
		input: () => twoTones(60, 250),
		measure: (after) => expect([pixel(after, 0, 0)[0], pixel(after, 3, 0)[0]]).toEqual([60, 5]),
	},
	fade: {
		prompt: 'fade',
		input: () => twoTones(0, 255),
		measure: (after) => {
			expect(pixel(after, 0, 0)[0]).toBeGreaterThan(20);
			expect(pixel(after, 3, 0)[0]).toBeLessThan(235);
		},
	},
	'auto contrast': {
		prompt: 'auto enhance',
		input: () => twoTones(90, 160),
		measure: (after) => expect([pixel(after, 0, 0)[0], pixel(after, 3, 0)[0]]).toEqual([0, 255]),
	},
	equalize: {
		prompt: 'equalise',
		input: () => ramp(80, 120),
		measure: (after, before) => expect(spread(after)).toBeGreaterThan(spread(before) * 3),
	},
	opacity: {
		prompt: 'opacity 40%',
		measure: (after) => expect([...values(after, 3)]).toEqual([102]),
	},
	transparency: {
		prompt: 'make it 80% transparent',
		measure: (after) => expect([...values(after, 3)]).toEqual([51]),
	},
	grayscale: { prompt: 'greyscale', measure: grey },
	sepia: {
		prompt: 'sepia',
		input: greys,
		measure: (after) => {
			// The same hue from shadow to light, whatever colour it had.
			for (let x = 40; x < 250; x += 10) {
				const [r = 0, g = 0, b = 0] = pixel(after, x, 0);
				expect(r).toBeGreaterThan(g);
				expect((60 * (g - b)) / (r - b)).toBeCloseTo(30, -1);
			}
		},
	},
	saturate: {
		prompt: 'more saturation',
		measure: (after, before) => expect(colorfulness(after)).toBeGreaterThan(colorfulness(before) * 1.15),
	},
	desaturate: {
		prompt: 'desaturate by 50%',
		measure: (after, before) => expect(colorfulness(after) / colorfulness(before)).toBeCloseTo(0.5, 1),
	},
	vibrance: {
		prompt: 'vibrance 80%',
		input: () => solid(4, 4, [120, 100, 100]),
		measure: (after, before) => expect(colorfulness(after)).toBeGreaterThan(colorfulness(before) * 1.5),
	},
	hue: {
		prompt: 'hue 120',
		input: () => solid(4, 4, [200, 40, 40]),
		measure: (after) => {
			const [r = 0, g = 0, b = 0] = pixel(after, 0, 0);
			expect(g).toBeGreaterThan(r);
			expect(g).toBeGreaterThan(b);
		},
	},
	tint: {
		prompt: 'tint red 100%',
		input: () => solid(4, 4, [128, 128, 128]),
		measure: (after) => expect(pixel(after, 0, 0)[0]).toBeGreaterThan((pixel(after, 0, 0)[1] as number) + 150),
	},
	warm: {
		prompt: 'make it warmer',
		measure: (after, before) => {
			expect(mean(after, 0)).toBeGreaterThan(mean(before, 0));
			expect(mean(after, 2)).toBeLessThan(mean(before, 2));
		},
	},
	cool: {
		prompt: 'cooler',
		measure: (after, before) => {
			expect(mean(after, 0)).toBeLessThan(mean(before, 0));
			expect(mean(after, 2)).toBeGreaterThan(mean(before, 2));
		},
	},
	'white balance': {
		prompt: 'fix the white balance',
		input: () => solid(4, 4, [180, 120, 90]),
		measure: (after, before) => expect(colorfulness(after)).toBeLessThan(colorfulness(before) * 0.5),
	},
	duotone: {
		prompt: 'duotone navy and gold',
		input: () => twoTones(0, 255),
		measure: (after) => {
			expect(pixel(after, 0, 0)).toEqual([0, 0, 128, 255]);
			expect(pixel(after, 3, 0)).toEqual([255, 215, 0, 255]);
		},
	},
	'gradient map': {
		prompt: 'gradient map black, red, white',
		input: () => solid(4, 4, [128, 128, 128]),
		measure: (after) => expect(pixel(after, 0, 0).slice(0, 2)).toEqual([255, 1]),
	},
	'replace colour': {
		prompt: 'replace red with blue',
		input: () => twoColors([250, 5, 5], [20, 160, 30]),
		measure: (after, before) => {
			expect(pixel(after, 0, 0)[2]).toBeGreaterThan(220);
			expect(pixel(after, 0, 0)[0]).toBeLessThan(20);
			expect(pixel(after, 3, 0)).toEqual(pixel(before, 3, 0));
		},
	},
	'green screen': {
		prompt: 'remove the green screen',
		input: () => twoColors([10, 180, 70], [200, 30, 30]),
		measure: (after) => expect([pixel(after, 0, 0)[3], pixel(after, 3, 0)[3]]).toEqual([0, 255]),
	},
	'colour key': {
		prompt: 'make green transparent',
		input: () => twoColors([0, 128, 0], [200, 30, 30]),
		measure: (after) => expect([pixel(after, 0, 0)[3], pixel(after, 3, 0)[3]]).toEqual([0, 255]),
	},
	blur: {
		prompt: 'blur 8',
		input: () => twoColors([0, 0, 0], [255, 255, 255], 64),
		measure: (after) => {
			expect(steepest(after)).toBeLessThan(20);
			expect(mean(after)).toBeCloseTo(127.5, -1);
		},
	},
	sharpen: {
		prompt: 'sharpen 150%',
		measure: (after, before) => expect(steepest(after)).toBeGreaterThan(steepest(before)),
	},
	denoise: {
		prompt: 'remove the noise',
		input: speckled,
		measure: (after) => expect([...values(after, 0)]).toEqual([100]),
	},
	pixelate: {
		prompt: 'pixelate 16',
		measure: (after) => {
			expect(pixel(after, 0, 0)).toEqual(pixel(after, 15, 15));
			expect(pixel(after, 0, 0)).not.toEqual(pixel(after, 16, 0));
		},
	},
	edges: {
		prompt: 'find the edges',
		input: () => twoColors([0, 0, 0], [255, 255, 255], 16),
		measure: (after) => expect([0, 7, 8, 15].map((x) => pixel(after, x, 3)[0])).toEqual([0, 255, 255, 0]),
	},
	sketch: {
		prompt: 'pencil sketch',
		measure: (after) => {
			grey(after);
			expect(mean(after)).toBeGreaterThan(180);
		},
	},
	emboss: {
		prompt: 'emboss',
		input: () => twoColors([0, 0, 0], [255, 255, 255], 16),
		measure: (after) => expect([pixel(after, 2, 3)[0], pixel(after, 7, 3)[0]]).toEqual([128, 255]),
	},
	oil: {
		prompt: 'oil painting 4 px',
		input: () => noisy(),
		measure: (after, before) => expect(detail(after)).toBeLessThan(detail(before) * 0.6),
	},
	cartoon: {
		prompt: 'cartoon',
		input: () => ramp(0, 255),
		measure: (after, before) => expect(values(after, 0).size).toBeLessThan(values(before, 0).size / 2),
	},
	halftone: {
		prompt: 'halftone 6 px',
		input: () => solid(48, 48, [128, 128, 128]),
		measure: (after) => {
			expect(Math.min(...values(after, 0))).toBeLessThan(60);
			expect(Math.max(...values(after, 0))).toBeGreaterThan(240);
		},
	},
	noise: {
		prompt: 'add noise 50%',
		input: () => solid(32, 32, [128, 128, 128]),
		measure: (after) => {
			expect(spread(after)).toBeGreaterThan(15);
			expect(mean(after)).toBeCloseTo(128, -1);
		},
	},
	glitch: {
		prompt: 'glitch',
		measure: (after, before) => expect(changed(after, before)).toBeGreaterThan(0.3),
	},
	'chromatic aberration': {
		prompt: 'chromatic aberration 3 px',
		input: () => twoColors([0, 0, 0], [255, 255, 255], 16),
		measure: (after) => {
			expect(pixel(after, 9, 3)).toEqual([0, 255, 255, 255]);
			expect(pixel(after, 6, 3)).toEqual([0, 0, 255, 255]);
		},
	},
	glow: {
		prompt: 'glow',
		measure: (after, before) => expect(mean(after)).toBeGreaterThan(mean(before) * 1.1),
	},
};

/** Left and right half in two greys. */
function twoTones(a: number, b: number): Bitmap {
	return twoColors([a, a, a], [b, b, b]);
}

function twoColors(a: readonly number[], b: readonly number[], side = 4): Bitmap {
	const picture = solid(side, side, a);
	paint(picture, side / 2, 0, side / 2, side, b);
	return picture;
}

/** From one grey to another, 64 wide. */
function ramp(from: number, to: number): Bitmap {
	const picture = solid(64, 16, [0, 0, 0]);
	for (let x = 0; x < 64; x++) {
		const value = Math.round(from + ((to - from) * x) / 63);
		paint(picture, x, 0, 1, 16, [value, value, value]);
	}
	return picture;
}

function noisy(): Bitmap {
	const picture = copy(subject());
	for (let i = 0; i < picture.data.length; i++) {
		if (i % 4 !== 3) picture.data[i] = Math.max(0, (picture.data[i] as number) - ((i * 7919) % 61));
	}
	return picture;
}
