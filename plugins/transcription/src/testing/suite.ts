import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { assertClientError, type ConformanceCase, caseMaker } from '@plinth/testing';
import type { TranscriptionModel } from '../model.ts';
import { callerFor, type RequestChanges, reason, type TranscriptionModelSuiteOptions } from './subject.ts';

/** All rules of the `TranscriptionModel` contract as cases. */
export function transcriptionModelSuite(options: TranscriptionModelSuiteOptions): ConformanceCase[] {
	const transcribe = callerFor(options);
	const maker = caseMaker(options.create);
	const it = (name: string, check: (model: TranscriptionModel) => Promise<void>) =>
		maker(name, ({ model }) => check(model));
	return [
		it('the model declares the version of its interface and valid language codes', async (model) => {
			assert.equal(model.apiVersion, 1);
			for (const code of model.abilities?.languages ?? []) assert.match(code, /^[a-z]{2,3}$/);
		}),
		it('the result has text that begins with the reported deltas', async (model) => {
			await transcribe(model);
		}),
		it('the timestamps that its abilities declare are returned in order when requested', async (model) => {
			const { segments, words } = model.abilities ?? {};
			if (segments) await transcribe(model, { timestamps: ['segment'] });
			if (words) await transcribe(model, { timestamps: ['word'] });
			if (segments && words) await transcribe(model, { timestamps: ['segment', 'word'] });
		}),
		it('an unusual request is answered, or rejected with a 4xx status', async (model) => {
			const translate = model.abilities?.translate ? [{ task: 'translate' } as const] : [];
			const language = model.abilities?.languages?.at(-1) ?? 'de';
			for (const changes of [...unusual, ...translate, { language }]) {
				await transcribe(model, changes).catch(assertClientError);
			}
		}),
		it('concurrent calls do not affect each other', async (model) => {
			const [first, second] = await Promise.all([transcribe(model), transcribe(model)]);
			if (options.supports?.deterministic) assert.equal(first.text, second.text);
		}),
		it('a call with an aborted signal rejects with its reason', async (model) => {
			const made = transcribe(model, {}, { signal: AbortSignal.abort(reason) });
			await assert.rejects(inTime(made), (error) => error === reason);
		}),
		it('an abort ends the call within a second, and the next call works', async (model) => {
			const stop = new AbortController();
			const made = transcribe(model, {}, stop).catch((error: unknown) => assert.equal(error, reason));
			await delay(5);
			stop.abort(reason);
			await inTime(made);
			await transcribe(model);
		}),
		it('a call after unload works again', async (model) => {
			await model.unload?.();
			await model.unload?.();
			await transcribe(model);
		}),
	];
}

const unusual: readonly RequestChanges[] = [
	{ temperature: 0 },
	{ temperature: 1 },
	{ prompt: 'a\0b\ud800 🦊 --help $(id) "quoted"\nnext line' },
	{ prompt: 'Hello, you. '.repeat(400) },
];

/** Fails for work that takes longer than a second. */
async function inTime(work: Promise<unknown>): Promise<void> {
	const late = new AbortController();
	const timeout = delay(1_000, undefined, { signal: late.signal }).then(
		() => assert.fail('the model was still at work after a second'),
		() => {},
	);
	try {
		await Promise.race([work, timeout]);
	} finally {
		late.abort();
	}
}
