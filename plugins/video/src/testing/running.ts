import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConformanceCase } from '@plinth/testing';
import { type Attempt, type ModelCaseMaker, reason, type VideoModelSuiteOptions } from './subject.ts';

/** Maximum milliseconds that a model may take to stop after an abort. */
const abortGraceMs = 1_000;

/** Cases about progress and aborts. */
export function runningCases(it: ModelCaseMaker, { supports = {} }: VideoModelSuiteOptions): ConformanceCase[] {
	return [
		it('progress is reported in fractions from 0 to 1, and not after the end', async (model, caller) => {
			const attempt = caller.attempt(model);
			await attempt.video;
			const reported = [...attempt.reported];
			for (const fraction of reported) {
				assert(fraction >= 0 && fraction <= 1, `${fraction} was reported`);
			}
			await delay(20);
			assert.equal(attempt.reported.length, reported.length, 'more was reported after the end');
		}),
		...(supports.progress
			? [
					it('progress is reported, and does not decrease', async (model, caller) => {
						const attempt = caller.attempt(model);
						await attempt.video;
						const { reported } = attempt;
						assert(reported.length > 0, 'nothing was reported');
						assert.deepEqual(
							reported,
							reported.toSorted((a, b) => a - b),
						);
					}),
				]
			: []),
		it('an abort rejects within a second, with the reason of the signal', async (model, caller) => {
			const attempt = caller.attempt(model);
			await delay(5);
			// A call that has settled cannot be aborted.
			if (await hasSettled(attempt)) return;
			attempt.abort();
			await assertAborted(attempt);
		}),
		it('an abort while the body is read rejects within a second, unless the video is complete', async (model, caller) => {
			const attempt = caller.attempt(model, { onResult: (one) => one.abort() });
			await assertAborted(attempt, { mayComplete: true });
		}),
		it('a call with an aborted signal ends immediately', async (model, caller) => {
			const attempt = caller.attempt(model, { isAborted: true });
			if (!(await hasSettled(attempt))) await assertAborted(attempt);
		}),
		it('no progress is reported after an abort', async (model, caller) => {
			const attempt = caller.attempt(model);
			await delay(20);
			attempt.abort();
			const { length } = attempt.reported;
			await attempt.video.catch(() => {});
			await delay(20);
			assert.equal(attempt.reported.length, length);
		}),
	];
}

async function hasSettled({ video }: Attempt): Promise<boolean> {
	const turn = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
	const done = video.then(
		() => true,
		() => true,
	);
	return Promise.race([done, turn]);
}

async function assertAborted({ video }: Attempt, { mayComplete = false } = {}): Promise<void> {
	const timer = new AbortController();
	const timeout = delay(abortGraceMs, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const);
	const outcome = video.then(
		() => 'made' as const,
		(error: unknown) => ({ error }),
	);
	const settled = await Promise.race([outcome, timeout]);
	timer.abort();
	assert.notEqual(settled, 'late', `the model was still working after ${abortGraceMs} ms`);
	if (typeof settled === 'object') {
		const { error } = settled;
		assert.equal(error, reason, `it rejected with ${error}, not with the reason of the signal`);
		return;
	}
	assert(mayComplete, 'the model returned a video despite the abort');
}
