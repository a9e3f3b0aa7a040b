import assert from 'node:assert/strict';
import { assertClientError, type ConformanceCase } from '@plinth/testing';
import type { ModelCaseMaker } from './cases.ts';
import { digest, gradient, type ImageModelSuiteOptions, inputOf, paint } from './subject.ts';

/** What becomes of the pictures that a model is shown. */
export function editingCases(it: ModelCaseMaker, { supports = {} }: ImageModelSuiteOptions): ConformanceCase[] {
	return [
		it('edit: the bytes of the pictures stay as they are', async (model, caller) => {
			const image = await caller.input(gradient);
			await (await caller.attempt(model, 'edit', { request: { images: [image] } })).result;
			assert.equal(digest(await image.bytes()), image.sha256);
		}),
		it('edit: as many pictures as the model takes are taken', async (model, caller) => {
			const count = Math.min(3, model.abilities?.images ?? 16);
			const image = await caller.input(gradient);
			const images = Array<typeof image>(count).fill(image);
			await (await caller.attempt(model, 'edit', { request: { images } })).result;
		}),
		it('edit: a damaged picture is refused with a status of 400 to 499', async (model, caller) => {
			const whole = await (await caller.input(gradient)).bytes();
			const damaged = inputOf(whole.slice(0, Math.floor(whole.length / 2)), gradient);
			const attempt = await caller.attempt(model, 'edit', { request: { images: [damaged] } });
			// A model that does not look at the pixels may go without them.
			await attempt.result.catch(assertClientError);
		}),
		...(supports.mask
			? [
					it('edit: what a mask protects stays, byte for byte, at high fidelity', async (model, caller) => {
						const { width, height } = gradient;
						const isOpen = (x: number) => x >= width / 2;
						const mask = await caller.input(paint(width, height, (x) => [0, 0, 0, isOpen(x) ? 0 : 255]));
						const request = { mask, quality: 'high', size: undefined } as const;
						const made = await caller.picture(model, 'edit', { request });
						assert.deepEqual([made.width, made.height], [width, height], 'its size has changed');
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
