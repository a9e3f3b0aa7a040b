import assert from 'node:assert/strict';
import { assertClientError, type ConformanceCase } from '@plinth/testing';
import type { VideoRequest } from '../model.ts';
import { factsOf } from './mp4.ts';
import type { ModelCaseMaker, VideoModelSuiteOptions } from './subject.ts';

/** Cases about the video. */
export function makingCases(it: ModelCaseMaker, { supports = {} }: VideoModelSuiteOptions): ConformanceCase[] {
	return [
		it('a video is an MP4, and its poster and warnings are valid', async (model, caller) => {
			await caller.make(model);
		}),
		it('a video has the requested size and length, or a warning', async (model, caller) => {
			const { request, video } = caller.attempt(model);
			const { bytes, warnings } = await video;
			const {
				width,
				height,
				seconds = request.seconds,
			} = factsOf(bytes) ?? assert.fail('the file has no movie header and track header');
			if (warnings.length > 0) return;
			assert.deepEqual({ width, height }, { ...request.size });
			// A difference of one frame is allowed.
			const isAsLong = Math.abs(seconds - request.seconds) <= 0.25;
			assert(isAsLong, `it lasts ${seconds} s, but ${request.seconds} s were requested`);
		}),
		it('an unusual prompt is rendered, or rejected with a 4xx status', async (model, caller) => {
			for (const request of unusual) await caller.make(model, { request }).catch(assertClientError);
		}),
		it('a remix of an earlier video is rendered, or rejected with a 4xx status', async (model, caller) => {
			const request = { remixOf: { prompt: 'A blue boat on a river' } };
			await caller.make(model, { request }).catch(assertClientError);
		}),
		it('concurrent calls do not affect each other', async (model, caller) => {
			const seeds = [1, 2];
			const both = await Promise.all(seeds.map((seed) => caller.make(model, { seed })));
			if (!supports.deterministic) return;
			for (const [index, seed] of seeds.entries()) {
				const { bytes } = await caller.make(model, { seed });
				assert(both[index]?.bytes.equals(bytes), 'the bytes differ from those of a video alone');
			}
		}),
		...(supports.deterministic
			? [
					it('equal seeds make equal videos, and different ones different videos', async (model, caller) => {
						const [first, second] = [await caller.make(model), await caller.make(model)];
						assert(first.bytes.equals(second.bytes), 'the bytes differ');
						const other = await caller.make(model, { seed: 4_294_967_295 });
						assert(!first.bytes.equals(other.bytes), 'the bytes of another seed are the same');
					}),
				]
			: []),
	];
}

const unusual: readonly Partial<VideoRequest>[] = [
	{ prompt: ' ' },
	{ prompt: '🦊'.repeat(32_000) },
	{ prompt: 'a\0b\ud800' },
	{ prompt: '--help $(id) "\\\n{seed}' },
];
