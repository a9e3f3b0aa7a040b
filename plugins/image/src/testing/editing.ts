import assert from 'node:assert/strict';
import { assertClientError, type ConformanceCase } from '@plinth/testing';
import type { ModelCaseMaker } from './cases.ts';
import { digest, gradient, type ImageModelSuiteOptions, inputOf, paint } from './subject.ts';

/** Cases about the input pictures of an edit. */
export function editingCases(it: ModelCaseMaker, { supports = {} }: ImageModelSuiteOptions): ConformanceCase[] {
	return [
		it('edit: the model does not change the bytes of the input pictures', async (model, caller) => {
			const image = await caller.input(gradient);
			await (await caller.attempt(model, 'edit', { request: { images: [image] } })).result;
			assert.equal(digest(await image.bytes()), image.sha256);
		}),
		it('edit: three pictures are accepted, or fewer if the abilities say so', async (model, caller) => {
			const count = Math.min(3, model.abilities?.images ?? 16);
			const image = await caller.input(gradient);
			const images = Array<typeof image>(count).fill(image);
			await (await caller.attempt(model, 'edit', { request: { images } })).result;
		}),
		it('edit: a damaged picture is rejected with a 4xx status', async (model, caller) => {
			const whole = await (await caller.input(gradient)).bytes();
			const damaged = inputOf(whole.slice(0, Math.floor(whole.length / 2)), gradient);
			const attempt = await caller.attempt(model, 'edit', { request: { images: [damaged] } });
			// A model that does not read the pixels may ignore the damage.
			await attempt.result.catch(assertClientError);
		}),
		...(supports.mask
			? [
					it('edit: pixels outside the mask are unchanged at high fidelity', async (model, caller) => {
						const { width, height } = gradient;
						const isOpen = (x: number) => x >= width / 2;
						const mask = await caller.input(paint(width, height, (x) => [0, 0, 0, isOpen(x) ? 0 : 255]));
						const request = { mask, quality: 'high', size: undefined } as const;
						const made = await caller.picture(model, 'edit', { request });
						assert.deepEqual([made.width, made.height], [width, height], 'the size has changed');
						for (let at = 0; at < gradient.data.length; at++) {
							const x = Math.floor(at / 4) % width;
							if (isOpen(x) || made.data[at] === gradient.data[at]) continue;
							assert.fail(`the protected pixel at ${x}, ${Math.floor(at / 4 / width)} has changed`);
						}
					}),
				]
			: []),
	];
}
