import assert from 'node:assert/strict';
import { assertClientError, type ConformanceCase } from '@plinth/testing';
import type { ModelCaseMaker } from './cases.ts';
import { type ImageModelSuiteOptions, type Operation, sizeOf } from './subject.ts';

/** Cases about the pictures of either operation. */
export function makingCases(
	it: ModelCaseMaker,
	operation: Operation,
	{ supports = {} }: ImageModelSuiteOptions,
): ConformanceCase[] {
	return [
		it(`${operation}: a picture has the requested size`, async (model, caller) => {
			const size = sizeOf(model);
			const { width, height } = await caller.picture(model, operation, { request: { size } });
			assert.deepEqual({ width, height }, { ...size });
		}),
		it(`${operation}: a picture can be decoded and has its declared media type`, async (model, caller) => {
			const { images } = await (await caller.attempt(model, operation)).result;
			for (const image of images) await caller.pixels(image);
		}),
		it(`${operation}: pictures and withheld ones add up to the requested count`, async (model, caller) => {
			const count = Math.min(3, model.abilities?.count ?? 1);
			// Each call checks the form of its result, including the number of pictures.
			await (await caller.attempt(model, operation, { request: { count } })).result;
		}),
		it(`${operation}: an unusual request succeeds, or is rejected with a 4xx status`, async (model, caller) => {
			const unusual = [
				{ prompt: '🦊'.repeat(32_000) },
				{ prompt: ' ' },
				{ steps: 50, style: 'vivid', background: 'transparent', compression: 0 },
				{ size: { width: 64, height: 192 } },
			] as const;
			for (const request of unusual) {
				await (await caller.attempt(model, operation, { request })).result.catch(assertClientError);
			}
		}),
		...(supports.deterministic
			? [
					it(`${operation}: equal seeds make equal pictures`, async (model, caller) => {
						const first = await caller.picture(model, operation, { seed: 5 });
						const second = await caller.picture(model, operation, { seed: 5 });
						assert(Buffer.from(first.data).equals(second.data), 'the pixels differ');
					}),
				]
			: []),
	];
}

/** Cases about generations only. */
export function generatingCases(it: ModelCaseMaker, { supports = {} }: ImageModelSuiteOptions): ConformanceCase[] {
	return [
		...(supports.deterministic
			? [
					it('generate: different seeds make different pictures', async (model, caller) => {
						const first = await caller.picture(model, 'generate', { seed: 1 });
						const second = await caller.picture(model, 'generate', { seed: 2 });
						assert(!Buffer.from(first.data).equals(second.data), 'the pixels are the same');
					}),
				]
			: []),
		...(supports.transparency
			? [
					it('generate: a transparent background has pixels with alpha 0', async (model, caller) => {
						const request = { background: 'transparent' } as const;
						const { data } = await caller.picture(model, 'generate', { request });
						assert(
							data.some((value, at) => at % 4 === 3 && value === 0),
							'no pixel has alpha 0',
						);
					}),
				]
			: []),
	];
}
