import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConformanceCase } from '@plinth/testing';
import { type ModelCaseMaker, reason } from './subject.ts';

/** Maximum milliseconds that a model may take to stop after an abort. */
const abortGraceMs = 1_000;

/** Cases about aborts. */
export function runningCases(it: ModelCaseMaker): ConformanceCase[] {
	return [
		it('a call with an aborted signal ends immediately', async (model, caller) => {
			const { made } = caller.attempt(model, {}, true);
			const opened = await settledInTime(made);
			if (opened) await assertEnds(opened.body[Symbol.asyncIterator](), 0);
		}),
		it('an abort ends the stream within a second, after at most one more chunk', async (model, caller) => {
			const attempt = caller.attempt(model);
			const body = (await attempt.made).body[Symbol.asyncIterator]();
			const first = await body.next();
			attempt.abort();
			if (!first.done) await assertEnds(body, 1);
		}),
		it('an abort ends the stream while the model works', async (model, caller) => {
			const attempt = caller.attempt(model);
			await delay(5);
			attempt.abort();
			const opened = await settledInTime(attempt.made);
			if (opened) await assertEnds(opened.body[Symbol.asyncIterator](), 1);
		}),
		it('a reader may stop in the middle of the stream', async (model, caller) => {
			const body = (await caller.attempt(model).made).body[Symbol.asyncIterator]();
			await body.next();
			await inTime(Promise.resolve(body.return?.()));
		}),
		it('a reader may stop before the first byte, and the next call works', async (model, caller) => {
			const attempt = caller.attempt(model);
			const body = (await attempt.made).body[Symbol.asyncIterator]();
			await inTime(Promise.resolve(body.return?.()));
			attempt.abort();
			await caller.speech(model);
		}),
	];
}

/** Fails if a body has more than `most` chunks left, or does not end within a second. */
async function assertEnds(body: AsyncIterator<Uint8Array>, most: number): Promise<void> {
	for (let pieces = 0; ; pieces++) {
		const step = await settledInTime(body.next());
		if (!step || step.done) return;
		assert(pieces < most, `${pieces + 1} chunks followed the abort`);
	}
}

/**
 * The result of a promise; undefined if it rejects with the reason of the signal. Fails for another rejection, and for
 * a promise that takes longer than a second.
 */
function settledInTime<T>(work: Promise<T>): Promise<T | undefined> {
	const known = work.catch((error: unknown) => {
		assert.equal(error, reason, `it rejected with ${error}, not with the reason of the signal`);
		return undefined;
	});
	return inTime(known);
}

async function inTime<T>(work: Promise<T>): Promise<T> {
	const late = new AbortController();
	const timeout = delay(abortGraceMs, undefined, { signal: late.signal }).then(
		() => assert.fail(`the model was still at work after ${abortGraceMs} ms`),
		() => new Promise<never>(() => {}),
	);
	try {
		return await Promise.race([work, timeout]);
	} finally {
		late.abort();
	}
}
