import { describe, expect, it } from 'vitest';
import { type Bitmap, blank, copy, solid } from '../../../src/image/edit/bitmap.ts';
import { blur } from '../../../src/image/edit/ops/blur.ts';
import { double, enlarge } from '../../../src/image/edit/ops/scale.ts';
import { edit, paint, pixel, scene } from './pictures.ts';

const unchecked = () => {};

/** Where the light of a row lies in the middle. */
function centre(picture: Bitmap, y: number): number {
	let [sum, weight] = [0, 0];
	for (let x = 0; x < picture.width; x++) {
		const [light = 0] = pixel(picture, x, y);
		sum += light * x;
		weight += light;
	}
	return sum / weight;
}

describe('a blur', () => {
	it.each([
		[1024, 10],
		[1025, 10],
		[1025, 40],
		[513, 30],
	])('of a picture of %i pixels by %i moves nothing', (width, sigma) => {
		const picture = solid(width, 33, [0, 0, 0]);
		paint(picture, width - 231, 0, 61, 33, [255, 255, 255]);
		blur(picture, sigma, unchecked);
		expect(Math.abs(centre(picture, 16) - (width - 201))).toBeLessThan(0.3);
	});

	it.each([2, 3])('leaves white white, however wide and narrow the picture: %i passes', (passes) => {
		const dark: number[] = [];
		for (let sigma = 1; sigma <= 200; sigma += 1) {
			const picture = solid(12, 20, [255, 255, 255]);
			blur(picture, sigma, unchecked, passes);
			if (picture.data.some((value) => value < 254)) dark.push(sigma);
		}
		expect(dark).toEqual([]);
	});
});

describe('a picture that is doubled', () => {
	it.each([
		[16, 12],
		[2, 2],
		[6, 2],
	])('to %i x %i looks as if it were enlarged', (width, height) => {
		const small = scene(width / 2, height / 2);
		const [doubled, enlarged] = [blank(width, height), blank(width, height)];
		double(small, doubled);
		enlarge(small, enlarged);
		expect(doubled).toEqual(enlarged);
	});
});

describe('what is transparent', () => {
	/** A red square among invisible green. */
	const island = solid(24, 24, [0, 255, 0, 0]);
	paint(island, 5, 5, 13, 13, [255, 0, 0]);

	it.each(['zoom 150%', 'zoom 70%', 'tile 3x3', 'blur 2', 'rotate 30', 'pixelate 4', 'mirror, resize to 50%'])(
		'lends no colour to its neighbours: %s',
		async (prompt) => {
			const { picture } = await edit(prompt, copy(island));
			let visible = 0;
			for (let k = 0; k < picture.width * picture.height; k++) {
				const [, green = 0, , alpha = 0] = pixel(picture, k, 0);
				if (alpha < 8) continue;
				visible++;
				expect(green).toBeLessThan(20);
			}
			expect(visible).toBeGreaterThan(30);
		},
	);
});

describe('zooming out', () => {
	it('leaves room where it says', async () => {
		const { picture, said } = await edit('zoom out 50% at the top left', scene());
		expect(said).toContain('zoom 50 %, top left');
		expect(pixel(picture, 1, 1)[3]).toBe(255);
		expect(pixel(picture, 60, 44)[3]).toBe(0);
	});

	it('far keeps the mean of fine stripes', async () => {
		const stripes = solid(160, 160, [0, 0, 0]);
		for (let x = 0; x < 160; x += 2) paint(stripes, x, 0, 1, 160, [255, 255, 255]);
		const { picture } = await edit('zoom 13%', stripes);
		for (let x = 72; x < 88; x++) {
			const [light = 0] = pixel(picture, x, 80);
			expect(Math.abs(light - 128)).toBeLessThan(24);
		}
	});
});
