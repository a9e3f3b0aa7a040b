import type { ImageCodec } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { imageRun } from '../fakes.ts';
import { at, edited, images, paint, quarters } from './pictures.ts';

const open = paint(60, 40, (x) => [0, 0, 0, x < 20 ? 255 : x < 40 ? 128 : 0]);
const solid = (width: number, height: number, value = 100) => paint(width, height, () => [value, value, value, 255]);

describe('the revised prompt', () => {
	it('lists what was done and what was not understood', async () => {
		const { words, warnings, quality } = await edited('sepia, blur 4 px and add a unicorn.');
		expect(words).toBe('Applied: sepia, blur 4 px. Not understood: "add a unicorn".');
		expect([warnings, quality]).toEqual([[], 'high']);
	});

	it('comes with a warning when nothing was understood, and the picture is unchanged', async () => {
		const { picture, words, warnings } = await edited("don't blur the sky", { quality: 'low' });
		expect(new Uint8Array(picture.data)).toEqual(quarters().data);
		expect(words).toBe('Applied: nothing. Not understood: "don\'t blur the sky".');
		expect(warnings).toEqual([expect.stringContaining('Nothing in the prompt was understood')]);
	});

	it('reports that at most 24 commands are done', async () => {
		const prompt = Array.from({ length: 30 }, (_, index) => `brightness ${index + 1}%`).join(', ');
		const { words } = await edited(prompt);
		expect(words).toContain('brightness 24%.');
		expect(words).toContain('brightness 25% (at most 24 commands are done)');
	});

	it('is ready quickly, even for a very long prompt', async () => {
		const prompts = ['"', "'", '1', 'a ', ', ', '\n', 'image ', '-', 'blur '].map((part) =>
			part.repeat(32_000 / part.length),
		);
		for (const prompt of prompts) expect((await edited(prompt)).words?.length).toBeLessThan(2_000);
	});
});

describe('a mask', () => {
	it('selects the pixels that change, and blends where it is half transparent', async () => {
		const { picture } = await edited('invert', { images: [solid(60, 40)], mask: open });
		expect([10, 30, 50].map((x) => at(picture, x, 20)[0])).toEqual([100, 127, 155]);
	});

	it('keeps all other pixels byte for byte, including transparent ones', async () => {
		const clear = paint(60, 40, (x, y) => [x * 4, y * 6, 77, x * 4]);
		const { picture } = await edited('blur 5, remove background, sepia, white border', { images: [clear], mask: open });
		for (let y = 0; y < 40; y++) for (let x = 0; x < 20; x++) expect(at(picture, x, y)).toEqual(at(clear, x, y));
	});

	it('prevents commands that change the size', async () => {
		const { picture, words, warnings } = await edited('sepia, rotate 90 and resize to 50%', { mask: open });
		expect([picture.width, picture.height]).toEqual([60, 40]);
		expect(words).toMatch(/^Applied: sepia\. Not done: rotate 90° \(.*mask\), resize 50% \(/);
		expect(warnings).toEqual([expect.stringContaining('Not done')]);
	});
});

describe('several pictures', () => {
	it('are laid over each other', async () => {
		const pictures = [solid(100, 100, 0), solid(50, 50, 250)];
		const { picture } = await edited('put image 2 in the lower right corner, 40%'.replace(',', ' at'), {
			images: pictures,
		});
		expect([at(picture, 90, 90)[0], at(picture, 70, 70)[0], at(picture, 50, 50)[0]]).toEqual([250, 250, 0]);
		expect(at(picture, 99, 99)[0]).toBe(0);
	});

	it('are placed side by side, within the limits', async () => {
		const pictures = [solid(40, 40, 10), solid(40, 20, 200), solid(40, 40, 90)];
		const { picture } = await edited('put all side by side', { images: pictures });
		expect([picture.width, picture.height]).toEqual([120, 40]);
		expect([20, 60, 100].map((x) => at(picture, x, 20)[0])).toEqual([10, 200, 90]);
		const wide = await edited('side by side', { images: [solid(3000, 10), solid(10, 10)] });
		expect(wide.picture.width).toBe(3840);
		expect(wide.warnings.join()).toContain('reduced to 3840');
	});

	it('are reported as missing when the prompt names them and they do not exist', async () => {
		const { words } = await edited('put image 2 at the top, side by side');
		expect(words).toMatch(/^Applied: nothing\. Not done: overlay image 2 30% top \(there is no .* 2\), side by side/);
	});
});

describe('size and background', () => {
	it('the requested size is applied first, so that text and borders are not cropped', async () => {
		const { picture } = await edited('white border 4', { size: { width: 40, height: 40 } });
		expect([picture.width, picture.height]).toEqual([40, 40]);
		expect([at(picture, 0, 20), at(picture, 39, 20)]).toEqual(Array(2).fill([255, 255, 255, 255]));
	});

	it('the requested size is applied last when commands change the size', async () => {
		const { picture } = await edited('rotate 90', { size: { width: 60, height: 60 } });
		expect([picture.width, picture.height, at(picture, 0, 30)[3], at(picture, 30, 30)[3]]).toEqual([60, 60, 0, 255]);
	});

	it('an opaque result has a white background', async () => {
		const { picture } = await edited('round corners 20', { background: 'opaque' });
		expect(at(picture, 0, 0)).toEqual([255, 255, 255, 255]);
	});

	it('the size is limited, more strictly at low fidelity, with a warning', async () => {
		const large = [solid(2000, 1200)];
		const [low, high] = [
			await edited('sepia', { images: large, fidelity: 'low' }),
			await edited('sepia', { images: large }),
		];
		expect(low.picture.width * low.picture.height).toBeLessThanOrEqual(1_572_864);
		expect(low.warnings.join()).toContain('reduced to');
		expect([high.picture.width, high.warnings]).toEqual([2000, []]);
	});

	it('the size is at most 3840 a side and 8,294,400 pixels', async () => {
		const { picture, warnings } = await edited('resize to 9000x9000');
		expect([picture.width, picture.height]).toEqual([2880, 2880]);
		expect(warnings.join()).toContain('reduced to 2880x2880');
		const turned = await edited('rotate 45', { images: [solid(1, 9000)] });
		expect(turned.picture.width * turned.picture.height).toBeLessThanOrEqual(8_294_400);
	});
});

describe('partial images', () => {
	it('show the state after each command, and a smaller result at the end', async () => {
		const run = imageRun({ partials: 3 });
		await edited('invert, resize to 30x20, sepia', {}, run);
		expect(run.shown.map(({ width, height }) => [width, height])).toEqual([
			[60, 40],
			[30, 20],
			[15, 10],
		]);
		expect(run.shown[0] && at(run.shown[0], 8, 8)).toEqual([55, 215, 215, 255]);
	});

	it('respect the mask', async () => {
		const run = imageRun({ partials: 1 });
		await edited('invert, sepia', { images: [solid(60, 40)], mask: open }, run);
		expect(run.shown[0] && [at(run.shown[0], 10, 20)[0], at(run.shown[0], 50, 20)[0]]).toEqual([100, 155]);
	});
});

describe('an edit', () => {
	it('gives equal pixels for equal requests', async () => {
		const prompt = 'warm, vignette, add text "Hi" at the top, rotate 10';
		const [a, b] = await Promise.all([edited(prompt), edited(prompt, {}, imageRun({ seed: 9 }))]);
		expect(a.picture.data).toEqual(b.picture.data);
	});

	it('stops between two commands on an abort', async () => {
		const abort = new AbortController();
		const partial = () => abort.abort(new Error('gone'));
		const run = imageRun({ signal: abort.signal, partials: 3, partial });
		await expect(edited('sepia, invert, blur', {}, run)).rejects.toThrow('gone');
		const late = imageRun({ signal: AbortSignal.abort(new Error('too late')) });
		await expect(edited('sepia', {}, late)).rejects.toThrow('too late');
	});

	it('waits without a decoded picture while two other edits run', async () => {
		let [held, most] = [0, 0];
		const gate = Promise.withResolvers<void>();
		const fit: ImageCodec['fit'] = async (...call) => {
			most = Math.max(most, ++held);
			if (held === 2) gate.resolve();
			await gate.promise;
			const picture = await images.fit(...call);
			held--;
			return picture;
		};
		await Promise.all(Array.from({ length: 6 }, () => edited('sepia', {}, imageRun(), { ...images, fit })));
		expect(most).toBe(2);
	});

	it('clamps numbers to their limits', async () => {
		const { words } = await edited('blur 0, blur 999999999, resize to 0%, darken by 300%, "Hi" size 0, rotate 1000');
		expect(words).toBe('Applied: blur 0.3 px, blur 100 px, resize 1%, darken 100%, text "Hi" 4 px, rotate 360°.');
	});

	it.each([1, 2, 5])('works on a picture of %d pixels a side', async (side) => {
		const prompt =
			'sepia, blur, sharpen, vignette, border, round corners, "Hi", crop 50%, rotate 10, remove background, overlay image 2, ' +
			'side by side, resize to 50%';
		const { picture } = await edited(prompt, { images: [solid(side, side), solid(3, 3)] });
		expect(picture.data.length).toBe(picture.width * picture.height * 4);
	});
});
