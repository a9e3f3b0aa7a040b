import assert from 'node:assert/strict';
import { isPlinthError } from '@plinth/core';
import type { ConformanceCase } from '@plinth/testing';
import type { ModelCaseMaker, VideoModelSuiteOptions } from './subject.ts';

/** Cases about checkpoints. */
export function resumingCases(it: ModelCaseMaker, { supports = {} }: VideoModelSuiteOptions): ConformanceCase[] {
	if (!supports.resume) {
		return [
			it('a model that cannot resume writes no checkpoint and has no cancel method', async (model, caller) => {
				const attempt = caller.attempt(model);
				await attempt.video;
				assert.deepEqual(attempt.tokens, [], 'a checkpoint prevents a fallback to other models');
				assert.equal(model.cancel, undefined);
			}),
		];
	}
	return [
		it('an attempt that resumes returns the same video, and starts no new work', async (model, caller) => {
			const first = caller.attempt(model);
			const { bytes } = await first.video;
			const resume = first.tokens.at(-1) ?? assert.fail('no checkpoint was written');
			const second = caller.attempt(model, { resume });
			assert(bytes.equals((await second.video).bytes), 'the bytes differ');
			const other = second.tokens.filter((token) => token !== resume);
			assert.deepEqual(other, [], 'another checkpoint was written: the work was started again');
		}),
		it('an attempt resumes work that was aborted after its checkpoint', async (model, caller) => {
			const first = caller.attempt(model, { onCheckpoint: (attempt) => attempt.abort() });
			// A model that finishes immediately may ignore the abort.
			await first.video.catch((error: unknown) => assert(!isPlinthError(error), `${error}`));
			const resume = first.tokens.at(-1) ?? assert.fail('no checkpoint was written');
			await caller.make(model, { resume });
		}),
		it('a checkpoint that cannot be written ends the attempt with that error', async (model, caller) => {
			const failure = new Error('The store is unavailable.');
			const attempt = caller.attempt(model, { onCheckpoint: () => Promise.reject(failure) });
			const error = await attempt.video.then(
				() => undefined,
				(thrown: unknown) => thrown,
			);
			assert(attempt.tokens.length > 0, 'no checkpoint was written');
			assert.equal(error, failure, `it ended with ${error ?? 'a video that cannot be found again'}`);
		}),
		it('an unknown token is an error with a code, or the work starts again', async (model, caller) => {
			const attempt = caller.attempt(model, { resume: 'an unknown token' });
			await attempt.video.catch((error: unknown) => assert(isPlinthError(error), `${error}`));
		}),
		it('the work of a token can be cancelled, also twice', async (model, caller) => {
			if (!model.cancel) return;
			const attempt = caller.attempt(model, { onCheckpoint: (one) => one.abort() });
			await attempt.video.catch(() => {});
			const token = attempt.tokens.at(-1) ?? assert.fail('no checkpoint was written');
			await model.cancel(token);
			await model.cancel(token);
		}),
	];
}
