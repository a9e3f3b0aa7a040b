import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConformanceCase } from '@plinth/testing';
import type { ModelCaseMaker } from './answering.ts';
import { type Attempt, abortGraceMs, reason } from './subject.ts';

/** Cases about aborts. */
export function runningCases(it: ModelCaseMaker): ConformanceCase[] {
	return [
		it('a call with an aborted signal ends immediately', async (model, caller) => {
			// A synchronous throw counts too.
			const step = async () => caller.attempt(model, { isAborted: true }).iterator.next();
			await assertStopped(step());
		}),
		it('an abort ends the answer within a second', async (model, caller) => {
			const attempt = caller.attempt(model);
			const first = await attempt.iterator.next();
			attempt.abort();
			if (!first.done) await assertEnds(attempt);
		}),
		it('an abort ends the answer while the model works', async (model, caller) => {
			const attempt = caller.attempt(model);
			const step = attempt.iterator.next();
			await delay(5);
			attempt.abort();
			// The pending event may still arrive.
			const settled = await withinASecond(step);
			if (settled !== 'failed' && !settled.done) await assertEnds(attempt);
		}),
		it('a reader may stop at any time', async (model, caller) => {
			const attempt = caller.attempt(model);
			await attempt.iterator.next();
			attempt.abort();
			await withinASecond(Promise.resolve(attempt.iterator.return?.()));
		}),
	];
}

/** Fails unless the answer ends. One more event may follow, because it may have arrived together with the last one. */
async function assertEnds({ iterator }: Attempt): Promise<void> {
	if (!(await hasStopped(iterator.next()))) await assertStopped(iterator.next());
}

async function assertStopped(step: Promise<IteratorResult<unknown>>): Promise<void> {
	assert(await hasStopped(step), 'it continued after the abort');
}

/** Whether the iterator has ended, or rejected with the signal's reason. Fails for another reason. */
async function hasStopped(step: Promise<IteratorResult<unknown>>): Promise<boolean> {
	const result = step.catch((error: unknown) => {
		assert.equal(error, reason, `it rejected with ${error}, not with the reason of the signal`);
		return { done: true, value: undefined } as const;
	});
	const settled = await withinASecond(result);
	return settled !== 'failed' && settled.done === true;
}

/** The result of a promise, or `failed` when it rejects. Fails when it takes longer than a second. */
async function withinASecond<T>(work: Promise<T>): Promise<T | 'failed'> {
	const timer = new AbortController();
	const timeout = delay(abortGraceMs, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const);
	try {
		const settled = await Promise.race([
			work.catch((error: unknown) => {
				if (error instanceof assert.AssertionError) throw error;
				return 'failed' as const;
			}),
			timeout,
		]);
		assert.notEqual(settled, 'late', `the model was still working after ${abortGraceMs} ms`);
		return settled as T | 'failed';
	} finally {
		timer.abort();
	}
}
