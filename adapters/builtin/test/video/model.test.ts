import { createHash } from 'node:crypto';
import type { VideoRequest, VideoResult } from '@plinth/plugin-video/model';
import { createModel } from '@plinth/testing';
import { mediaServices } from '@plinth/toolkit';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { afterAll, describe, expect, it } from 'vitest';
import { settings } from '../../src/scene/words.ts';
import { builtinVideo, createVideoModel } from '../../src/video/model.ts';
import { createVideoThreads } from '../../src/video/threads.ts';
import { boxesOf, fakeImages, fakeRun, request } from './fakes.ts';

const threads = createVideoThreads(2);
const images = fakeImages();
const model = createVideoModel(threads, images);
afterAll(() => threads.close());

const make = (changes: Partial<VideoRequest> = {}, run = fakeRun()): Promise<VideoResult> =>
	model.generate(request(changes), run);

function bytesOf(result: VideoResult): Uint8Array {
	return result.body as Uint8Array;
}

function hash(result: VideoResult): string {
	return createHash('sha256').update(bytesOf(result)).digest('hex');
}

async function inspect(result: VideoResult) {
	using input = new Input({ source: new BufferSource(bytesOf(result)), formats: ALL_FORMATS });
	const track = await input.getPrimaryVideoTrack();
	if (!track) throw new Error('no track');
	const times: number[] = [];
	const keys: number[] = [];
	for await (const packet of new EncodedPacketSink(track).packets()) {
		if (packet.type === 'key') keys.push(times.length);
		times.push(packet.timestamp);
	}
	const { comment } = await input.getMetadataTags();
	const size = [await track.getCodedWidth(), await track.getCodedHeight()];
	return {
		times,
		keys,
		comment,
		size,
		codec: await track.getCodec(),
		duration: await track.computeDuration(),
	};
}

describe('a drawn video', () => {
	it('is an MP4 with H.264, its index first, and exactly 24 frames per second', async () => {
		const run = fakeRun();
		const result = await make({ seconds: 4 }, run);
		expect(boxesOf(bytesOf(result)).map((box) => box.name)).toEqual(['ftyp', 'moov', 'mdat']);
		const { times, keys, ...facts } = await inspect(result);
		expect(facts).toEqual({
			size: [160, 96],
			codec: 'avc',
			duration: 4,
			comment: 'Plinth builtin-video, procedural',
		});
		expect(times).toHaveLength(96);
		times.forEach((time, i) => {
			expect(time).toBeCloseTo(i / 24, 6);
		});
		expect(keys).toEqual([0, 48]);
		expect(result.mediaType).toBe('video/mp4');
		expect(result.warnings).toBeUndefined();
		expect(run.fractions.at(-1)).toBe(1);
		expect(run.fractions).toEqual(run.fractions.toSorted((a, b) => a - b));
		expect(run.fractions.length).toBeGreaterThan(16);
	});

	it('has the same bytes for any number of workers', async () => {
		const single = createVideoThreads(1);
		const alone = await createVideoModel(single, fakeImages()).generate(request({ seconds: 4 }), fakeRun());
		await single.close();
		expect(hash(await make({ seconds: 4 }))).toBe(hash(alone));
	});

	it('differs for another seed and for another prompt', async () => {
		const [a, b, c] = await Promise.all([
			make(),
			make({}, fakeRun({ seed: 8 })),
			make({ prompt: 'A lighthouse at dawn' }),
		]);
		expect(new Set([a, b, c].map(hash)).size).toBe(3);
	});

	it('has a poster of the same size', async () => {
		const { poster } = await make();
		expect(poster?.mediaType).toBe('image/webp');
		expect(images.encoded.webp).toMatchObject({ width: 160, height: 96 });
		expect(new Set(images.encoded.webp?.data).size).toBeGreaterThan(50);
	});

	it('has a spritesheet of twelve frames in order', async () => {
		const { spritesheet } = await make({ prompt: 'a lighthouse, fade in, pan right' });
		expect(spritesheet?.mediaType).toBe('image/jpeg');
		const { width = 0, height = 0, data = [] } = images.encoded.jpeg ?? {};
		expect([width, height, data.length]).toEqual([160, 72, 160 * 72 * 4]);
		const frames = Array.from({ length: 12 }, (_, at) => {
			const [left, top] = [(at % 4) * 40, Math.floor(at / 4) * 24];
			const rows = Array.from({ length: 24 }, (_, row) => {
				const start = ((top + row) * width + left) * 4;
				return Buffer.from(data.slice(start, start + 160)).toString('hex');
			});
			return rows.join('');
		});
		expect(new Set(frames).size).toBe(12);
		// The camera moves, so each frame is closer to the next one than to the last one.
		const distance = (a = '', b = '') =>
			Buffer.from(a, 'hex').reduce((sum, value, at) => {
				return sum + Math.abs(value - Number.parseInt(b.slice(at * 2, at * 2 + 2), 16));
			}, 0);
		expect(distance(frames[0], frames[1])).toBeLessThan(distance(frames[0], frames[11]));
	});

	it('warns when the caption is shortened or lacks characters', async () => {
		const { warnings } = await make({ prompt: `猫 ${'a very long prompt '.repeat(1600)}` });
		expect(warnings).toHaveLength(2);
	});

	it.each(['zoom in', 'zoom out', 'pan left', 'tilt up', 'still', 'still, fade in and out'])(
		'follows the camera instruction "%s"',
		async (words) => {
			const result = await make({ prompt: `a lighthouse, ${words}` });
			expect(hash(result)).not.toBe(hash(await make({ prompt: 'a lighthouse' })));
		},
	);

	it.each(settings)('draws the place "%s"', async (setting) => {
		const result = await make({ prompt: `${setting} in the rain`, size: { width: 96, height: 160 } });
		expect((await inspect(result)).times).toHaveLength(48);
	});

	it('keeps the place and the time of the video that it remixes', async () => {
		const remixOf = { prompt: 'a forest at night' };
		const [plain, varied] = [await make({ prompt: 'slowly' }), await make({ prompt: 'slowly', remixOf })];
		expect(hash(varied)).not.toBe(hash(plain));
	});

	it('rejects sizes that the encoder would pad', async () => {
		const odd = make({ size: { width: 100, height: 96 } });
		await expect(odd).rejects.toMatchObject({ code: 'E_VALUE_UNSUPPORTED', param: 'size' });
	});
});

describe('a video from a reference picture', () => {
	const reference = { mediaType: 'image/png', size: 3, bytes: async () => new Uint8Array(3) };

	it('moves over the picture, which is cropped to the frame with a margin for the movement', async () => {
		const result = await make({ reference, prompt: 'zoom in' });
		expect(images.fitted).toEqual(['cover 198x120']);
		expect(result.warnings).toBeUndefined();
		expect((await inspect(result)).times).toHaveLength(48);
	});

	it('follows the camera instructions, or the seed without them', async () => {
		const prompts = ['zoom in', 'zoom out', 'pan left', 'still, fade out', 'still, the words "good morning"'];
		const all = await Promise.all([
			...prompts.map((prompt) => make({ reference, prompt })),
			make({ reference, prompt: '-' }, fakeRun({ seed: 1 })),
			make({ reference, prompt: '-' }, fakeRun({ seed: 2 })),
		]);
		expect(new Set(all.map(hash)).size).toBe(7);
	});
});

describe('stopping', () => {
	it('an abort ends the work within a fraction of a second and stops the progress', async () => {
		const abort = new AbortController();
		const run = fakeRun({ signal: abort.signal });
		const size = { width: 720, height: 1280 };
		const running = make(
			{ seconds: 12, size },
			{
				...run,
				progress: (f) => {
					run.fractions.push(f);
					abort.abort(new Error('cancelled'));
				},
			},
		);
		await expect(running).rejects.toThrow('cancelled');
		const received = run.fractions.length;
		// A new job is accepted, so the workers have ended the old ones.
		await make();
		expect(run.fractions).toHaveLength(received);
	});

	it('an attempt that is already aborted does no work', async () => {
		const run = fakeRun({ signal: AbortSignal.abort(new Error('too late')) });
		await expect(make({}, run)).rejects.toThrow('too late');
	});

	it('closing the model ends its workers', async () => {
		const { model: own, close } = await createModel(builtinVideo({ workers: 1 }), {
			services: { [mediaServices.images.id]: images },
		});
		await own.generate(request(), fakeRun());
		await close();
		await expect(own.generate(request(), fakeRun())).rejects.toMatchObject({ code: 'E_STOPPING' });
	});
});
