import { expect } from 'vitest';
import { type Bitmap, solid } from '../../../src/image/edit/bitmap.ts';
import type { Effect } from './effects.ts';
import { changed, mean, paint, pixel, scene, subject } from './pictures.ts';

const RED = [255, 0, 0, 255];
const WHITE = [255, 255, 255, 255];

/** Grey, 40x30, with a red block in its top left corner. */
const marked = (): Bitmap => {
	const picture = solid(40, 30, [90, 90, 90]);
	paint(picture, 0, 0, 6, 6, RED);
	return picture;
};

const size = ({ width, height }: Bitmap): string => `${width}x${height}`;
const green = (): Bitmap => solid(20, 20, [0, 160, 0]);
const hole = (): Uint8Array => {
	const keep = new Uint8Array(64 * 48).fill(255);
	for (let y = 12; y < 36; y++) keep.fill(0, y * 64 + 20, y * 64 + 44);
	return keep;
};
const withGreen = () => ({ others: [green()] });

/** Measurements of place, border, background, text and further pictures, by the name of the operation. */
export const shapeEffects: Readonly<Record<string, Effect>> = {
	rotate: {
		prompt: 'rotated by 90 degrees',
		input: marked,
		measure: (after) => {
			expect(size(after)).toBe('30x40');
			expect(pixel(after, 29, 0)).toEqual(RED);
			expect(pixel(after, 0, 0)).not.toEqual(RED);
		},
	},
	'turn left': {
		prompt: 'turn it left',
		input: marked,
		measure: (after) => {
			expect(size(after)).toBe('30x40');
			expect(pixel(after, 0, 39)).toEqual(RED);
		},
	},
	'upside down': {
		prompt: 'upside down',
		input: marked,
		measure: (after) => expect(pixel(after, 39, 29)).toEqual(RED),
	},
	flip: {
		prompt: 'flipping vertically',
		input: marked,
		measure: (after) => expect(pixel(after, 0, 29)).toEqual(RED),
	},
	mirror: {
		prompt: 'mirrored',
		input: marked,
		measure: (after) => expect(pixel(after, 39, 0)).toEqual(RED),
	},
	crop: {
		prompt: 'crop 20x10, top left',
		input: marked,
		measure: (after) => {
			expect(size(after)).toBe('20x10');
			expect(pixel(after, 5, 5)).toEqual(RED);
			expect(pixel(after, 6, 6)).not.toEqual(RED);
		},
	},
	trim: {
		prompt: 'trim',
		input: subject,
		measure: (after) => expect(size(after)).toBe('24x24'),
	},
	resize: {
		prompt: 'mirror, resize to 50%',
		input: marked,
		measure: (after) => {
			expect(size(after)).toBe('20x15');
			expect(pixel(after, 18, 1)).toEqual(RED);
		},
	},
	zoom: {
		prompt: 'zoom 200%',
		input: subject,
		measure: (after) => {
			expect(size(after)).toBe('64x48');
			expect(pixel(after, 12, 24)[0]).toBeLessThan(130);
		},
	},
	pad: {
		prompt: 'pad 5 px blue',
		input: marked,
		measure: (after) => {
			expect(size(after)).toBe('50x40');
			expect(pixel(after, 4, 4)).toEqual([0, 0, 255, 255]);
			expect(pixel(after, 5, 5)).toEqual(RED);
		},
	},
	tile: {
		prompt: 'tile 2x2',
		input: marked,
		measure: (after) => {
			for (const [x, y] of [
				[0, 0],
				[20, 0],
				[0, 15],
				[20, 15],
			] as const) {
				expect(pixel(after, x + 1, y + 1)).toEqual(RED);
			}
		},
	},
	'mirror tile': {
		prompt: 'mirror tile 2x2',
		input: marked,
		measure: (after) => {
			expect(pixel(after, 0, 0)).toEqual(RED);
			expect(pixel(after, 39, 29)).toEqual(RED);
			expect(pixel(after, 20, 15)).not.toEqual(RED);
		},
	},
	skew: {
		prompt: 'skew 30%',
		input: marked,
		measure: (after) => expect(pixel(after, 0, 0)[3]).toBe(0),
	},
	border: {
		prompt: 'a red border of 4 px',
		measure: (after, before) => {
			expect(pixel(after, 3, 20)).toEqual(RED);
			expect(pixel(after, 4, 20)).toEqual(pixel(before, 4, 20));
		},
	},
	frame: {
		prompt: 'frame 6 px',
		measure: (after) => {
			expect(pixel(after, 0, 0).slice(0, 3)).toEqual([74, 48, 28]);
			expect(pixel(after, 5, 20).slice(0, 3)).toEqual([244, 240, 230]);
		},
	},
	polaroid: {
		prompt: 'polaroid',
		measure: (after, before) => {
			expect(pixel(after, 30, 46).slice(0, 3)).toEqual([250, 249, 245]);
			expect(size(after)).toBe(size(before));
		},
	},
	'round corners': {
		prompt: 'rounded corners 12 px',
		measure: (after) => {
			expect(pixel(after, 0, 0)[3]).toBe(0);
			expect(pixel(after, 63, 47)[3]).toBe(0);
			expect(pixel(after, 12, 0)[3]).toBe(255);
		},
	},
	circle: {
		prompt: 'cut out a circle',
		measure: (after) => {
			expect(pixel(after, 4, 24)[3]).toBe(0);
			expect(pixel(after, 9, 24)[3]).toBe(255);
			expect(pixel(after, 32, 24)[3]).toBe(255);
		},
	},
	shadow: {
		prompt: 'drop shadow',
		input: () => {
			const picture = solid(64, 48, [0, 0, 0, 0]);
			paint(picture, 20, 12, 20, 20, RED);
			return picture;
		},
		measure: (after) => {
			expect(pixel(after, 30, 20)).toEqual(RED);
			const [r, , , a] = pixel(after, 40, 25);
			expect(r).toBe(0);
			expect(a).toBeGreaterThan(30);
			expect(pixel(after, 2, 2)[3]).toBe(0);
		},
	},
	vignette: {
		prompt: 'vignette 80%',
		measure: (after, before) => {
			expect(pixel(after, 32, 24)).toEqual(pixel(before, 32, 24));
			expect(pixel(after, 0, 0)[2]).toBeLessThan((pixel(before, 0, 0)[2] as number) * 0.5);
		},
	},
	vintage: {
		prompt: 'vintage',
		input: () => solid(32, 32, [100, 100, 100]),
		measure: (after) => {
			const [r = 0, , b = 0] = pixel(after, 16, 16);
			expect(r).toBeGreaterThan(b + 10);
			expect(pixel(after, 0, 0)[0]).toBeLessThan(r);
		},
	},
	'remove background': {
		prompt: 'remove the background',
		input: subject,
		measure: (after) => {
			expect(pixel(after, 0, 0)[3]).toBe(0);
			expect(pixel(after, 63, 47)[3]).toBe(0);
			expect(pixel(after, 32, 24)).toEqual([120, 10, 20, 255]);
		},
	},
	'replace background': {
		prompt: 'make the background blue',
		input: subject,
		measure: (after) => {
			expect(pixel(after, 0, 0)).toEqual([0, 0, 255, 255]);
			expect(pixel(after, 32, 24)).toEqual([120, 10, 20, 255]);
		},
	},
	'blur background': {
		prompt: 'blur the background',
		input: () => {
			const picture = subject();
			for (let x = 0; x < 64; x += 2) paint(picture, x, 0, 1, 4, [232, 232, 232]);
			return picture;
		},
		measure: (after, before) => {
			const step = (p: Bitmap): number => Math.abs((pixel(p, 10, 1)[0] as number) - (pixel(p, 11, 1)[0] as number));
			expect(step(after)).toBeLessThan(step(before) / 2);
			expect(pixel(after, 32, 24)).toEqual([120, 10, 20, 255]);
		},
	},
	fill: {
		prompt: 'fill with teal',
		options: () => ({ keep: hole() }),
		measure: (after, before) => {
			expect(pixel(after, 32, 24)).toEqual([0, 128, 128, 255]);
			expect(pixel(after, 2, 2)).toEqual(pixel(before, 2, 2));
		},
	},
	erase: {
		prompt: 'erase',
		options: () => ({ keep: hole() }),
		measure: (after) => expect([pixel(after, 32, 24)[3], pixel(after, 2, 2)[3]]).toEqual([0, 255]),
	},
	heal: {
		prompt: 'remove the object',
		input: subject,
		options: () => ({ keep: hole() }),
		measure: (after) => expect(pixel(after, 32, 24)).toEqual(WHITE),
	},
	text: {
		prompt: 'add text "Hi" at the bottom in white',
		input: () => solid(128, 96, [20, 30, 60]),
		measure: (after, before) => {
			expect(changed(after, before, 0, 0.7)).toBe(0);
			expect(changed(after, before, 0.7, 1)).toBeGreaterThan(0.01);
			expect(Math.max(...after.data.filter((_, i) => i % 4 === 0))).toBeGreaterThan(240);
		},
	},
	watermark: {
		prompt: 'watermark "PLINTH"',
		input: () => solid(128, 96, [20, 30, 60]),
		measure: (after, before) => {
			expect(changed(after, before, 0, 0.5)).toBeGreaterThan(0.02);
			expect(changed(after, before, 0.5, 1)).toBeGreaterThan(0.02);
			expect(Math.max(...after.data.filter((_, i) => i % 4 === 0))).toBeLessThan(160);
		},
	},
	overlay: {
		prompt: 'overlay image 2 at the top left, 25%',
		options: withGreen,
		measure: (after, before) => {
			expect(pixel(after, 5, 5)).toEqual([0, 160, 0, 255]);
			expect(pixel(after, 32, 5)).toEqual(pixel(before, 32, 5));
		},
	},
	blend: {
		prompt: 'blend image 2 50%',
		options: withGreen,
		measure: (after, before) => {
			const [r = 0] = pixel(before, 32, 24);
			expect(pixel(after, 32, 24)[0]).toBe(Math.round(r / 2));
		},
	},
	'side by side': {
		prompt: 'side by side',
		options: withGreen,
		measure: (after, before) => {
			expect(after.width).toBeGreaterThan(before.width * 2);
			expect(pixel(after, after.width - 10, 20)).toEqual([0, 160, 0, 255]);
			expect(pixel(after, 11, 11)).toEqual(pixel(before, 10, 10));
		},
	},
	stack: {
		prompt: 'stack vertically',
		options: withGreen,
		measure: (after, before) => {
			expect(after.height).toBeGreaterThan(before.height * 2);
			expect(pixel(after, 20, after.height - 10)).toEqual([0, 160, 0, 255]);
		},
	},
	collage: {
		prompt: 'make a collage',
		options: () => ({ others: [green(), scene(30, 30), green()] }),
		measure: (after, before) => {
			expect(size(after)).toBe('131x99');
			expect(pixel(after, 120, 10)).toEqual([0, 160, 0, 255]);
			expect(pixel(after, 11, 11)).toEqual(pixel(before, 10, 10));
			expect(mean(after, 3)).toBe(255);
		},
	},
};
