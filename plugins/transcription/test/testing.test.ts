import { setTimeout as delay } from 'node:timers/promises';
import { invalidValue, unsupportedValue } from '@plinth/core';
import { describe, expect, it } from 'vitest';
import type { Transcription, TranscriptionModel } from '../src/model.ts';
import { transcriptionModelSuite } from '../src/testing/index.ts';
import { all, defaultResult } from './harness.ts';

type Transcribe = TranscriptionModel['transcribe'];

/** A correct model. */
const correct: Transcribe = async ({ audio, prompt = '' }, { signal, delta }) => {
	signal.throwIfAborted();
	if (prompt.includes('\0')) throw invalidValue('prompt', 'There is a NUL.');
	for await (const _ of audio.samples(16_000)) delta('');
	delta('Hello there.');
	await delay(10, undefined, { signal }).catch(() => signal.throwIfAborted());
	return defaultResult;
};

const made =
	(part: Partial<Transcription>): Transcribe =>
	async (request, run) => ({ ...(await correct(request, run)), ...part });

function suiteOf(part: Partial<TranscriptionModel> = {}) {
	const model: TranscriptionModel = { apiVersion: 1, abilities: all, transcribe: correct, ...part };
	return transcriptionModelSuite({
		create: async () => ({ model, close: async () => {} }),
		supports: { deterministic: true },
	});
}

describe('a correct model passes the case:', () => {
	for (const { name, run } of suiteOf()) it(name, run);
});

describe('a model that can only transcribe passes the case:', () => {
	const transcribe: Transcribe = async ({ task, language }, { signal }) => {
		signal.throwIfAborted();
		if (task === 'translate' || language === 'de') throw unsupportedValue('language', 'Only English.');
		return { text: 'Hello.' };
	};
	for (const { name, run } of suiteOf({ abilities: { languages: ['en'] }, transcribe })) it(name, run);
});

const [version, text, times, unusual, same, before, abort, unloaded] = suiteOf().map(({ name }) => name);
let turn = 0;

describe('the suite detects', () => {
	it.each<[string, string | undefined, Partial<TranscriptionModel>]>([
		['another version', version, { apiVersion: 2 as never }],
		['language names instead of codes', version, { abilities: { languages: ['English'] } }],
		['no text', text, { transcribe: made({ text: undefined as never }) }],
		['deltas of another text', text, { transcribe: made({ text: 'Good-bye.' }) }],
		['a language that is not a code', text, { transcribe: made({ language: 'english' }) }],
		['an invalid duration', text, { transcribe: made({ seconds: Number.NaN }) }],
		['half a token', text, { transcribe: made({ usage: { inputTokens: 0.5, outputTokens: 1 } }) }],
		['an empty warning', text, { transcribe: made({ warnings: [''] }) }],
		[
			'a segment that ends before it begins',
			text,
			{ transcribe: made({ segments: [{ start: 2, end: 1, text: 'x' }] }) },
		],
		['words in another order', text, { transcribe: made({ words: [...defaultResult.words].reverse() }) }],
		['missing segments', times, { transcribe: made({ segments: undefined as never }) }],
		['missing words', times, { transcribe: made({ words: undefined as never }) }],
		[
			'an error for an unusual request',
			unusual,
			{
				transcribe: async (request, run) => {
					if (request.temperature === 1) throw new Error('too hot');
					return correct(request, run);
				},
			},
		],
		[
			'different texts for equal requests',
			same,
			{ transcribe: (request, run) => made({ text: `Hello there. ${turn++}` })(request, run) },
		],
		['a call that starts although it is aborted', before, { transcribe: async () => defaultResult }],
		['an abort that is ignored', abort, { transcribe: async () => delay(3_000, defaultResult) }],
		[
			'an abort with another reason',
			abort,
			{
				transcribe: async (request, run) => {
					await delay(20);
					if (run.signal.aborted) throw new Error('stopped');
					return correct(request, run);
				},
			},
		],
		[
			'a failure after unload',
			unloaded,
			(() => {
				let isUnloaded = false;
				return {
					unload: async () => {
						isUnloaded = true;
					},
					transcribe: async (request, run) => {
						if (isUnloaded) throw new Error('unloaded');
						return correct(request, run);
					},
				} satisfies Partial<TranscriptionModel>;
			})(),
		],
	])('%s', async (_, name, part) => {
		const found = suiteOf(part).find((one) => one.name === name);
		await expect(found?.run()).rejects.toThrow();
	});
});
