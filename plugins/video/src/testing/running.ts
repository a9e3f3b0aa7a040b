import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConformanceCase } from '@plinth/testing';
import { type Attempt, type ModelCaseMaker, reason, type VideoModelSuiteOptions } from './subject.ts';

/** How long a model may take to stop after an abort, in milliseconds. */
const abortGraceMs = 1_000;

/** What an attempt tells while it runs, and how it stops. */
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
					it('progress is reported, and never falls', async (model, caller) => {
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
			// Who never waits has nothing to stop.
			if (await isDone(attempt)) return;
			attempt.abort();
			await assertHeeded(attempt);
		}),
		it('an abort while the video is read ends it likewise, where it is not there yet', async (model, caller) => {
			const attempt = caller.attempt(model, { onResult: (one) => one.abort() });
			await assertHeeded(attempt, 'or a whole video');
		}),
		it('a signal that has aborted before ends the call at once', async (model, caller) => {
			const attempt = caller.attempt(model, { isAborted: true });
			if (!(await isDone(attempt))) await assertHeeded(attempt);
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

async function isDone({ video }: Attempt): Promise<boolean> {
	const turn = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
	const done = video.then(
		() => true,
		() => true,
	);
	return Promise.race([done, turn]);
}

async function assertHeeded({ video }: Attempt, orWhole?: 'or a whole video'): Promise<void> {
	const late = new AbortController();
	const timeout = delay(abortGraceMs, 'late' as const, { signal: late.signal }).catch(() => 'late' as const);
	const outcome = video.then(
		() => 'made' as const,
		(error: unknown) => ({ error }),
	);
	const settled = await Promise.race([outcome, timeout]);
	late.abort();
	assert.notEqual(settled, 'late', `the model was still at work after ${abortGraceMs} ms`);
	if (typeof settled === 'object') {
		const { error } = settled;
		assert.equal(error, reason, `it rejected with ${error}, not with the reason of the signal`);
		return;
	}
	assert(orWhole, 'the model made its video all the same');
}
