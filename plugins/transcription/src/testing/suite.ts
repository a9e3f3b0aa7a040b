import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { assertClientError, type ConformanceCase, caseMaker } from '@plinth/testing';
import type { TranscriptionModel } from '../model.ts';
import { callerFor, type RequestChanges, reason, type TranscriptionModelSuiteOptions } from './subject.ts';

/** Every sentence of the `TranscriptionModel` contract as a case. */
export function transcriptionModelSuite(options: TranscriptionModelSuiteOptions): ConformanceCase[] {
	const hear = callerFor(options);
	const maker = caseMaker(options.create);
	const it = (name: string, check: (model: TranscriptionModel) => Promise<void>) =>
		maker(name, ({ model }) => check(model));
	return [
		it('the model says which version of the interface it is written for, and codes of languages', async (model) => {
			assert.equal(model.apiVersion, 1);
			for (const code of model.abilities?.languages ?? []) assert.match(code, /^[a-z]{2,3}$/);
		}),
		it('what is said comes as text, of which the pieces reported before are the beginning', async (model) => {
			await hear(model);
		}),
		it('times that its abilities promise are told in order when they are asked for', async (model) => {
			const { segments, words } = model.abilities ?? {};
			if (segments) await hear(model, { timestamps: ['segment'] });
			if (words) await hear(model, { timestamps: ['word'] });
			if (segments && words) await hear(model, { timestamps: ['segment', 'word'] });
		}),
		it('an unusual request is answered, or refused with a status of 400 to 499', async (model) => {
			const translate = model.abilities?.translate ? [{ task: 'translate' } as const] : [];
			const language = model.abilities?.languages?.at(-1) ?? 'de';
			for (const changes of [...unusual, ...translate, { language }]) {
				await hear(model, changes).catch(assertClientError);
			}
		}),
		it('two at the same time do not affect each other', async (model) => {
			const [first, second] = await Promise.all([hear(model), hear(model)]);
			if (options.supports?.deterministic) assert.equal(first.text, second.text);
		}),
		it('a signal that has aborted before ends the call with its reason', async (model) => {
			const made = hear(model, {}, { signal: AbortSignal.abort(reason) });
			await assert.rejects(inTime(made), (error) => error === reason);
		}),
		it('an abort ends the call within a second, and the next one is heard', async (model) => {
			const stop = new AbortController();
			const made = hear(model, {}, stop).catch((error: unknown) => assert.equal(error, reason));
			await delay(5);
			stop.abort(reason);
			await inTime(made);
			await hear(model);
		}),
		it('memory that was released is taken again by the next call', async (model) => {
			await model.unload?.();
			await model.unload?.();
			await hear(model);
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
