import { createHash } from 'node:crypto';
import type { ImageRequest } from '@plinth/plugin-image/model';
import { sharpImages } from '@plinth/sharp';
import { createBackend } from '@plinth/testing';
import type { ImageCodec, RawImage } from '@plinth/toolkit';
import { afterAll, describe, expect, it } from 'vitest';
import { createGenerator } from '../../src/image/generate.ts';
import type { DrawJob } from '../../src/image/worker.ts';
import { settings } from '../../src/scene/words.ts';
import { Threads } from '../../src/threads.ts';
import { alphaAt, distance, imageRequest, imageRun, rawOf } from './fakes.ts';

const { provided: images, stop } = await createBackend<ImageCodec>(sharpImages());
const threads = new Threads<DrawJob, RawImage>({
	file: new URL('../../src/image/worker.ts', import.meta.url),
	threads: 2,
});
const generate = createGenerator({ images, threads });
afterAll(async () => {
	await Promise.all([threads.close(), stop()]);
});

async function draw(changes: Partial<ImageRequest> = {}, run = imageRun()) {
	const result = await generate(imageRequest(changes), run);
	return { ...result, picture: rawOf(result.images[0]), words: result.images[0]?.revisedPrompt };
}

function hash(data: Uint8Array): string {
	return createHash('sha256').update(data).digest('hex');
}

describe('a drawn picture', () => {
	it('has the same pixels for the same prompt and seed, in any thread', async () => {
		const all = await Promise.all([draw(), draw(), draw()]);
		expect(new Set(all.map(({ picture }) => hash(picture.data))).size).toBe(1);
	});

	it('differs clearly for another seed and for another prompt', async () => {
		const [a, b, c] = await Promise.all([
			draw(),
			draw({}, imageRun({ seed: 11 })),
			draw({ prompt: 'A forest at noon' }),
		]);
		expect(distance(a.picture, b.picture)).toBeGreaterThan(0.05);
		expect(distance(a.picture, c.picture)).toBeGreaterThan(0.05);
	});

	it.each([
		[64, 64],
		[64, 200],
		[301, 77],
		[1024, 64],
	])('is exactly %d by %d pixels and opaque', async (width, height) => {
		const { picture } = await draw({ size: { width, height } });
		expect([picture.width, picture.height]).toEqual([width, height]);
		expect(picture.data).toHaveLength(width * height * 4);
		expect(picture.data.every((part, i) => i % 4 !== 3 || part === 255)).toBe(true);
	});

	it('is 1024 pixels a side when no size is given, and reports the quality that was used', async () => {
		const { picture, quality } = await draw({ size: undefined } as unknown as ImageRequest);
		expect([picture.width, picture.height, quality]).toEqual([1024, 1024, 'high']);
	});

	it.each([
		[63, 64],
		[4000, 64],
		[3840, 2200],
	])('is rejected at %d by %d, with the name of the parameter', async (width, height) => {
		const refused = draw({ size: { width, height } });
		await expect(refused).rejects.toMatchObject({ code: 'E_VALUE_UNSUPPORTED', param: 'size' });
	});

	it.each([...settings, 'zorblax frumious qwerty', '🚀🌕 宇宙の猫', '\u0000\ud83d'])(
		'is drawn for "%s", in every quality and with a transparent background',
		async (prompt) => {
			const pictures = await Promise.all([
				draw({ prompt, quality: 'low' }),
				draw({ prompt, quality: 'medium' }),
				draw({ prompt, quality: 'high' }),
				draw({ prompt, background: 'transparent' }),
			]);
			expect(new Set(pictures.map(({ picture }) => hash(picture.data))).size).toBe(4);
			for (const { picture } of pictures) expect(new Set(picture.data).size).toBeGreaterThan(20);
		},
	);

	it('has more detail with more steps, which override the quality', async () => {
		const [few, more, many, low] = await Promise.all([
			draw({ steps: 4 }),
			draw({ steps: 10 }),
			draw({ steps: 50, quality: 'low' }),
			draw({ quality: 'low' }),
		]);
		const best = await draw({ quality: 'high' });
		expect(hash(few.picture.data)).toBe(hash(low.picture.data));
		expect(hash(many.picture.data)).toBe(hash(best.picture.data));
		expect(hash(more.picture.data)).not.toBe(hash(few.picture.data));
	});
});

describe('a picture with a transparent background', () => {
	const size = { width: 128, height: 128 };

	it('shows only the subject, and has no caption', async () => {
		const prompt = 'a boat with the words "Gone sailing"';
		const { picture, words, warnings } = await draw({ prompt, background: 'transparent', size });
		const corners = [0, 1].flatMap((x) => [0, 1].map((y) => alphaAt(picture, x, y)));
		expect(corners).toEqual([0, 0, 0, 0]);
		expect(picture.data.some((part, i) => i % 4 === 3 && part === 255)).toBe(true);
		expect(words).toBe('A drawn scene: a boat on a transparent background.');
		expect(warnings).toEqual([expect.stringContaining('no caption')]);
	});

	it('shows the land without the sky when the prompt has no subject', async () => {
		const { picture } = await draw({ prompt: 'a forest', background: 'transparent', size });
		expect([alphaAt(picture, 0.5, 0.02), alphaAt(picture, 0.5, 0.98)]).toEqual([0, 255]);
	});
});

describe('a caption', () => {
	const size = { width: 256, height: 192 };

	it('is the quoted passage, white on dark at the bottom of the picture', async () => {
		const { picture, words, warnings } = await draw({ prompt: 'A forest by day that says "Hello"', size });
		expect(words).toContain('caption “Hello”');
		expect(warnings).toBeUndefined();
		const foot = picture.data.subarray(172 * 256 * 4);
		expect(Math.min(...foot)).toBeLessThan(40);
		expect(Math.max(...foot)).toBeGreaterThan(225);
	});

	it('is the prompt when no word of it names a place or a subject', async () => {
		expect((await draw({ prompt: 'frumious zorblax', size })).words).toContain('caption “frumious zorblax”');
		expect((await draw({ prompt: 'frumious forest', size })).words).not.toContain('caption');
	});

	it('is shortened when it is too long, and omits characters that the typeface lacks, with warnings', async () => {
		const { warnings } = await draw({ prompt: `A forest "猫 ${'long words '.repeat(26)}"`, size });
		expect(warnings).toEqual([expect.stringContaining('shortened'), expect.stringContaining('leaves out characters')]);
	});
});

it('has a warning that styles are not supported', async () => {
	expect((await draw({ style: 'vivid' })).warnings).toEqual([expect.stringContaining('`style`')]);
});

describe('the revised prompt', () => {
	it('lists what was drawn and which words were not understood', async () => {
		const { words } = await draw({ prompt: 'A purple castle in the mountains at dusk over a lake' });
		expect(words).toMatch(/^A drawn scene: a lake before mountains at dusk under .*, with a castle\./);
		expect(words).toContain('Not understood: purple.');
	});

	it('says when the place was chosen at random', async () => {
		expect((await draw({ prompt: 'purple' })).words).toContain('No word names a place');
	});
});

describe('partial images', () => {
	it('are renders of the same picture, as many as requested, each closer to the result', async () => {
		const run = imageRun({ partials: 3 });
		const { picture } = await draw({ prompt: 'A forest at dawn with a house' }, run);
		expect(run.shown).toHaveLength(3);
		for (const state of run.shown) expect(state).toMatchObject({ width: 96, height: 64 });
		const away = run.shown.map((state) => distance(state, picture));
		expect(away).toEqual(away.toSorted((a, b) => b - a));
		expect(new Set(run.shown.map(({ data }) => hash(data))).size).toBe(3);
	});

	it('do not change the result', async () => {
		const [plain, watched] = await Promise.all([draw(), draw({}, imageRun({ partials: 2 }))]);
		expect(hash(watched.picture.data)).toBe(hash(plain.picture.data));
	});
});

describe('stopping', () => {
	it('an abort ends a large picture immediately, and frees its thread', async () => {
		const abort = new AbortController();
		const size = { width: 3840, height: 2160 };
		const run = imageRun({
			signal: abort.signal,
			partials: 3,
			partial: () => abort.abort(new Error('gone')),
		});
		await expect(draw({ size }, run)).rejects.toThrow('gone');
		expect((await draw()).picture.width).toBe(96);
	});

	it('a request that is already aborted does no work', async () => {
		const run = imageRun({ signal: AbortSignal.abort(new Error('too late')) });
		await expect(draw({}, run)).rejects.toThrow('too late');
	});
});
