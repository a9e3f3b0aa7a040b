import assert from 'node:assert/strict';
import type { ConformanceCase } from '@plinth/testing';
import { pictureFault } from '../work/result.ts';
import type { ModelCaseMaker } from './cases.ts';
import { type Attempt, abortGraceMs, type ImageModelSuiteOptions, type Operation, reason } from './subject.ts';

/** What a call shows while it runs, and how it stops. */
export function runningCases(
	it: ModelCaseMaker,
	operation: Operation,
	{ supports = {} }: ImageModelSuiteOptions,
): ConformanceCase[] {
	return [
		it(`${operation}: partial pictures have the right form, and are no more than asked for`, async (model, caller) => {
			const attempt = await caller.attempt(model, operation, { partials: 2 });
			await attempt.result;
			for (const { picture, image } of attempt.shown) {
				assert.equal(image, 0, 'a partial picture is of a picture that is not there');
				assert.equal(pictureFault(picture), undefined);
				await caller.pixels(picture);
			}
			assert(attempt.shown.length <= 2, `${attempt.shown.length} were shown where 2 were asked for`);
		}),
		it(`${operation}: nothing is shown where no partial pictures are asked for`, async (model, caller) => {
			const attempt = await caller.attempt(model, operation, { partials: 0 });
			await attempt.result;
			assert.equal(attempt.shown.length, 0);
		}),
		...(supports.partials
			? [
					it(`${operation}: partial pictures are shown where they are asked for`, async (model, caller) => {
						const attempt = await caller.attempt(model, operation, { partials: 3 });
						await attempt.result;
						assert(attempt.shown.length > 0, 'none was shown');
					}),
				]
			: []),
		it(`${operation}: an abort rejects within a second, with the reason of the signal`, async (model, caller) => {
			const attempt = await caller.attempt(model, operation, { request: { quality: 'high' } });
			const isDone = await doneAtOnce(attempt);
			attempt.abort();
			// Who never waits has nothing to stop.
			if (!isDone) await assertHeeded(attempt);
		}),
		it(`${operation}: a signal that has aborted before ends the call at once`, async (model, caller) => {
			const attempt = await caller.attempt(model, operation, { isAborted: true });
			if (!(await doneAtOnce(attempt))) await assertHeeded(attempt);
		}),
		it(`${operation}: nothing is shown after an abort`, async (model, caller) => {
			let before: number | undefined;
			const stop = (attempt: Attempt) => {
				before ??= attempt.shown.length;
				attempt.abort();
			};
			const attempt = await caller.attempt(model, operation, { partials: 3, onPartial: stop });
			const late = setTimeout(() => stop(attempt), 20);
			await settled(attempt);
			clearTimeout(late);
			await new Promise((resolve) => setTimeout(resolve, 50));
			assert.equal(attempt.shown.length, before ?? attempt.shown.length);
		}),
	];
}

/** Whether a call has settled after one turn of the event loop. */
async function doneAtOnce({ result }: Attempt): Promise<boolean> {
	const turn = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
	const done = result.then(
		() => true,
		() => true,
	);
	return Promise.race([done, turn]);
}

async function assertHeeded(attempt: Attempt): Promise<void> {
	const outcome = await settled(attempt);
	assert(outcome !== 'silent', `the model was still at work after ${abortGraceMs} ms`);
	assert(outcome !== 'fulfilled', 'the model made its pictures all the same');
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
