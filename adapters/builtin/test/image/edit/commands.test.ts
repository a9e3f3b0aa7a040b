import type { RawImage } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { at, disc, edited, paint, quarters } from './pictures.ts';

const [red, green, blue, yellow] = [
	[8, 8],
	[50, 8],
	[50, 32],
	[8, 32],
] as const;
const lightOf = ([r = 0, g = 0, b = 0]: readonly number[]) => 0.299 * r + 0.587 * g + 0.114 * b;
const spread = (pixel: readonly number[]) => Math.max(...pixel.slice(0, 3)) - Math.min(...pixel.slice(0, 3));
const sizeOf = ({ width, height }: RawImage) => [width, height];

async function changed(prompt: string, place: readonly [number, number] = red, picture = quarters()) {
	const made = await edited(prompt, { images: [picture] });
	expect(made.warnings).toEqual([]);
	return { before: at(picture, ...place), after: at(made.picture, ...place), ...made };
}

describe('colours', () => {
	it.each(['grayscale', 'make it black and white', 'greyscale'])(
		'%s removes the colour and keeps the brightness',
		async (prompt) => {
			const { before, after } = await changed(prompt);
			expect(spread(after)).toBe(0);
			expect(Math.abs(lightOf(after) - lightOf(before))).toBeLessThan(2);
		},
	);

	it('sepia tints brown and keeps the brightness', async () => {
		for (const place of [red, green, yellow]) {
			const { before, after } = await changed('sepia', place);
			const [r = 0, g = 0, b = 0] = after;
			expect(r > g && g > b).toBe(true);
			expect(Math.abs(lightOf(after) - lightOf(before))).toBeLessThan(40);
		}
	});

	it('brightness and darkening multiply', async () => {
		expect((await changed('brighten by 20%')).after).toEqual([240, 48, 48, 255]);
		expect((await changed('darken by 50%')).after).toEqual([100, 20, 20, 255]);
		expect((await changed('make it slightly brighter')).after).toEqual([225, 45, 45, 255]);
	});

	it('contrast spreads values around the middle, and can be lowered', async () => {
		expect((await changed('increase the contrast by 20%')).after).toEqual([214, 22, 22, 255]);
		expect((await changed('lower the contrast by 50%')).after).toEqual([164, 84, 84, 255]);
	});

	it('saturation is raised and lowered', async () => {
		const { before, after } = await changed('more saturation', yellow);
		expect(spread(after)).toBeGreaterThan(spread(before));
		expect(spread((await changed('reduce the saturation by 60%', yellow)).after)).toBeLessThan(spread(before) * 0.6);
	});

	it('warm adds red and removes blue, cool does the reverse', async () => {
		const [before, warm, cool] = [
			at(quarters(), ...blue),
			await changed('warmer', blue),
			await changed('cooler', blue),
		];
		expect((warm.after[2] ?? 0) < (before[2] ?? 0) && (warm.after[0] ?? 0) > (before[0] ?? 0)).toBe(true);
		expect((cool.after[2] ?? 0) > (before[2] ?? 0) && (cool.after[0] ?? 0) < (before[0] ?? 0)).toBe(true);
	});

	it('inversion keeps the opacity', async () => {
		const half = paint(8, 8, () => [10, 20, 30, 128]);
		expect((await changed('invert the colours', [4, 4], half)).after).toEqual([245, 235, 225, 128]);
	});
});

describe('filters', () => {
	it('blur mixes neighbouring pixels, and more with a larger number', async () => {
		const edge = [30, 8] as const;
		const [little, much] = [await changed('blur 1', edge), await changed('blur 6', edge)];
		expect(little.after[0]).toBeGreaterThan(little.before[0] ?? 0);
		expect(much.after[0]).toBeGreaterThan(little.after[0] ?? 0);
	});

	it('sharpening raises the contrast at an edge', async () => {
		const soft = paint(
			40,
			20,
			(x) =>
				Array(3)
					.fill(Math.min(200, Math.max(60, x * 20 - 240)))
					.concat(255) as never,
		);
		expect((await changed('sharpen', [16, 10], soft)).after[0]).toBeLessThan(at(soft, 16, 10)[0] ?? 0);
	});

	it('a vignette darkens the corners and not the middle', async () => {
		const { picture } = await changed(
			'vignette',
			red,
			paint(60, 60, () => [200, 200, 200, 255]),
		);
		expect(at(picture, 30, 30)).toEqual([200, 200, 200, 255]);
		expect(at(picture, 0, 0)[0]).toBeLessThan(100);
	});
});

describe('shapes', () => {
	it.each([
		['resize to 30x30', [30, 30]],
		['make it 120x50', [120, 50]],
		['scale to 50%', [30, 20]],
		['resize to 90 px', [90, 60]],
		['crop to a square', [40, 40]],
		['crop 2:1', [60, 30]],
		['crop 50%', [30, 20]],
		['rotate 90 degrees', [40, 60]],
	])('%s makes %j', async (prompt, size) => {
		expect(sizeOf((await changed(prompt)).picture)).toEqual(size);
	});

	it('resizing crops instead of distorting', async () => {
		const { picture } = await changed('resize to 30x30', red, disc());
		expect(at(picture, 15, 15)).toEqual([90, 30, 30, 255]);
	});

	it('crops at the named position', async () => {
		const { picture } = await changed('crop 20x10 bottom right');
		expect([sizeOf(picture), at(picture, 0, 0)]).toEqual([[20, 10], at(quarters(), ...blue)]);
	});

	it('rotates and mirrors', async () => {
		const first = async (prompt: string) => at((await changed(prompt)).picture, 3, 3);
		expect(await first('rotate 90')).toEqual(at(quarters(), ...yellow));
		expect(await first('turn it left')).toEqual(at(quarters(), ...green));
		expect(await first('turn it upside down')).toEqual(at(quarters(), ...blue));
		expect(await first('flip')).toEqual(at(quarters(), ...yellow));
		expect(await first('mirror')).toEqual(at(quarters(), ...green));
		expect(await first('flip horizontally')).toEqual(at(quarters(), ...green));
	});

	it('a rotation by any angle leaves transparent corners, or coloured ones', async () => {
		const [clear, white] = [await changed('rotate 45°'), await changed('rotate 45° on white')];
		expect([at(clear.picture, 0, 0)[3], at(white.picture, 0, 0)]).toEqual([0, [255, 255, 255, 255]]);
	});

	it('a border is drawn inside the picture', async () => {
		const { picture } = await changed('white border 4');
		expect(sizeOf(picture)).toEqual([60, 40]);
		expect([at(picture, 3, 20), at(picture, 56, 39)]).toEqual(Array(2).fill([255, 255, 255, 255]));
		expect(at(picture, 4, 4)).toEqual(at(quarters(), ...red));
	});

	it('rounded corners are transparent with smooth edges', async () => {
		const { picture } = await changed('round corners 12');
		expect([at(picture, 0, 0)[3], at(picture, 59, 39)[3], at(picture, 12, 0)[3], at(picture, 20, 20)[3]]).toEqual([
			0, 0, 255, 255,
		]);
		expect(picture.data.some((value, index) => index % 4 === 3 && value > 0 && value < 255)).toBe(true);
	});
});

describe('text', () => {
	const black = paint(200, 100, () => [0, 0, 0, 255]);
	const litRows = ({ width, height, data }: RawImage) =>
		Array.from({ length: height }, (_, y) => y).filter((y) =>
			data.subarray(y * width * 4, (y + 1) * width * 4).some((value, index) => index % 4 === 0 && value > 200),
		);

	it.each([
		['add text "Hello" at the top', 0, 50],
		['"Hello"', 50, 100],
		['write "Hello" in the centre', 30, 70],
	])('%s is at the named position', async (prompt, from, to) => {
		const rows = litRows((await edited(prompt, { images: [black] })).picture);
		expect(rows.length).toBeGreaterThan(3);
		expect(rows.every((y) => y >= from && y < to)).toBe(true);
	});

	it('has the named colour and height', async () => {
		const [small, large] = await Promise.all(
			[12, 40].map((size) => edited(`add text "H" size ${size} in red`, { images: [black] })),
		);
		const heights = [small, large].map((made) => litRows(made?.picture ?? black).length);
		expect((heights[1] ?? 0) / (heights[0] ?? 1)).toBeGreaterThan(2.5);
		expect(large?.picture.data.some((value, index) => index % 4 === 1 && value > 100)).toBe(false);
	});

	it('treats markup as text, and stays within the picture', async () => {
		const long = `<b>&amp; ${'long words '.repeat(40)}</b>`;
		const { picture, warnings } = await edited(`add text "${long}" size 200`, { images: [black] });
		expect([sizeOf(picture), warnings]).toEqual([[200, 100], []]);
	});

	it('omits characters that the typeface lacks, with a warning', async () => {
		expect((await edited('"Hi 猫"')).warnings.join()).toContain('leaves out characters');
		expect((await edited('"猫"')).words).toContain('Not done: text "猫" (nothing is left to write)');
	});
});

describe('removing the background', () => {
	it('makes an area of even colour transparent', async () => {
		const { picture } = await changed('remove the background', [0, 0], disc());
		expect([at(picture, 0, 0)[3], at(picture, 59, 30)[3], at(picture, 30, 30)]).toEqual([0, 0, [90, 30, 30, 255]]);
	});

	it('keeps areas of that colour inside the subject', async () => {
		const ring = disc();
		ring.data.set([230, 235, 240, 255], (30 * 60 + 30) * 4);
		const { picture } = await changed('transparent background', [0, 0], ring);
		expect(at(picture, 30, 30)[3]).toBe(255);
	});

	it('happens when a transparent background is requested, before the border and the text', async () => {
		const clear = { background: 'transparent', images: [disc()] } as const;
		const { picture, words, warnings } = await edited('border 2 px, "Hi"', clear);
		expect(words).toBe('Applied: remove background, border 2 px, text "Hi".');
		expect([at(picture, 0, 0)[3], at(picture, 5, 5)[3], at(picture, 30, 30)[3]]).toEqual([255, 0, 255]);
		expect(warnings).toEqual([]);
	});

	it('happens once, and not on a picture that is already transparent', async () => {
		const twice = await edited('sepia, remove background', { background: 'transparent', images: [disc()] });
		expect(twice.words).toBe('Applied: sepia, remove background.');
		const clear = disc();
		clear.data[3] = 0;
		const kept = await edited('sepia', { background: 'transparent', images: [clear] });
		expect([kept.words, at(kept.picture, 5, 5)[3]]).toEqual(['Applied: sepia.', 255]);
	});

	it('does nothing when there is no background, or only background', async () => {
		const noise = paint(40, 40, (x, y) => [
			(x * 73 + y * 151) % 256,
			(x * 41 + y * 97) % 256,
			(x * 199 + y * 29) % 256,
			255,
		]);
		const even = paint(40, 40, () => [9, 9, 9, 255]);
		const words = async (picture: RawImage) => (await edited('remove the background', { images: [picture] })).words;
		expect(await words(noise)).toContain('Not done: remove background (no even background');
		expect(await words(even)).toContain('Not done: remove background (the whole picture');
	});
});
