import assert from 'node:assert/strict';
import type { ConformanceCase } from '@plinth/testing';
import { pictureFault } from '../work/result.ts';
import type { ModelCaseMaker } from './cases.ts';
import { type Attempt, abortGraceMs, type ImageModelSuiteOptions, type Operation, reason } from './subject.ts';

/** Cases about partial images and aborts. */
export function runningCases(
	it: ModelCaseMaker,
	operation: Operation,
	{ supports = {} }: ImageModelSuiteOptions,
): ConformanceCase[] {
	return [
		it(`${operation}: partial images are valid, and at most as many as requested`, async (model, caller) => {
			const attempt = await caller.attempt(model, operation, { partials: 2 });
			await attempt.result;
			for (const { picture, image } of attempt.emitted) {
				assert.equal(image, 0, 'the index of a partial image is out of range');
				assert.equal(pictureFault(picture), undefined);
				await caller.pixels(picture);
			}
			assert(attempt.emitted.length <= 2, `${attempt.emitted.length} were emitted, but 2 were requested`);
		}),
		it(`${operation}: no partial images are emitted when none are requested`, async (model, caller) => {
			const attempt = await caller.attempt(model, operation, { partials: 0 });
			await attempt.result;
			assert.equal(attempt.emitted.length, 0);
		}),
		...(supports.partials
			? [
					it(`${operation}: partial images are emitted when they are requested`, async (model, caller) => {
						const attempt = await caller.attempt(model, operation, { partials: 3 });
						await attempt.result;
						assert(attempt.emitted.length > 0, 'no partial image was emitted');
					}),
				]
			: []),
		it(`${operation}: an abort rejects within a second, with the reason of the signal`, async (model, caller) => {
			const attempt = await caller.attempt(model, operation, { request: { quality: 'high' } });
			const isSettled = await hasSettled(attempt);
			attempt.abort();
			// A call that has settled cannot be aborted.
			if (!isSettled) await assertAborted(attempt);
		}),
		it(`${operation}: a call with an aborted signal ends immediately`, async (model, caller) => {
			const attempt = await caller.attempt(model, operation, { isAborted: true });
			if (!(await hasSettled(attempt))) await assertAborted(attempt);
		}),
		it(`${operation}: no partial images are emitted after an abort`, async (model, caller) => {
			let before: number | undefined;
			const stop = (attempt: Attempt) => {
				before ??= attempt.emitted.length;
				attempt.abort();
			};
			const attempt = await caller.attempt(model, operation, { partials: 3, onPartial: stop });
			const timer = setTimeout(() => stop(attempt), 20);
			await settled(attempt);
			clearTimeout(timer);
			await new Promise((resolve) => setTimeout(resolve, 50));
			assert.equal(attempt.emitted.length, before ?? attempt.emitted.length);
		}),
	];
}

/** Whether a call has settled after one turn of the event loop. */
async function hasSettled({ result }: Attempt): Promise<boolean> {
	const turn = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
	const done = result.then(
		() => true,
		() => true,
	);
	return Promise.race([done, turn]);
}

async function assertAborted(attempt: Attempt): Promise<void> {
	const outcome = await settled(attempt);
	assert(outcome !== 'silent', `the model was still working after ${abortGraceMs} ms`);
	assert(outcome !== 'fulfilled', 'the model returned pictures despite the abort');
	assert.equal(outcome.error, reason, `it rejected with ${outcome.error}, not with the reason`);
}

type Outcome = 'fulfilled' | 'silent' | { readonly error: unknown };

async function settled({ result }: Attempt): Promise<Outcome> {
	let timer: NodeJS.Timeout | undefined;
	const silent = new Promise<Outcome>((resolve) => {
		timer = setTimeout(() => resolve('silent'), abortGraceMs);
	});
	const outcome = result.then(
		(): Outcome => 'fulfilled',
		(error: unknown): Outcome => ({ error }),
	);
	try {
		return await Promise.race([outcome, silent]);
	} finally {
		clearTimeout(timer);
	}
}
