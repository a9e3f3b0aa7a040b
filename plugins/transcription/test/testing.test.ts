import { setTimeout as delay } from 'node:timers/promises';
import { invalidValue, unsupportedValue } from '@plinth/core';
import { describe, expect, it } from 'vitest';
import type { Transcription, TranscriptionModel } from '../src/model.ts';
import { transcriptionModelSuite } from '../src/testing/index.ts';
import { all, heard } from './harness.ts';

type Transcribe = TranscriptionModel['transcribe'];

/** A model that does everything right. */
const good: Transcribe = async ({ audio, prompt = '' }, { signal, delta }) => {
	signal.throwIfAborted();
	if (prompt.includes('\0')) throw invalidValue('prompt', 'There is a NUL.');
	for await (const _ of audio.samples(16_000)) delta('');
	delta('Hello there.');
	await delay(10, undefined, { signal }).catch(() => signal.throwIfAborted());
	return heard;
};

const made =
	(part: Partial<Transcription>): Transcribe =>
	async (request, run) => ({ ...(await good(request, run)), ...part });

function suiteOf(part: Partial<TranscriptionModel> = {}) {
	const model: TranscriptionModel = { apiVersion: 1, abilities: all, transcribe: good, ...part };
	return transcriptionModelSuite({
		create: async () => ({ model, close: async () => {} }),
		supports: { deterministic: true },
	});
}

describe('a good model keeps the sentence:', () => {
	for (const { name, run } of suiteOf()) it(name, run);
});

describe('a model that can only write keeps the sentence:', () => {
	const transcribe: Transcribe = async ({ task, language }, { signal }) => {
		signal.throwIfAborted();
		if (task === 'translate' || language === 'de') throw unsupportedValue('language', 'Only English.');
		return { text: 'Hello.' };
	};
	for (const { name, run } of suiteOf({ abilities: { languages: ['en'] }, transcribe })) it(name, run);
});

const [version, text, times, unusual, same, before, abort, memory] = suiteOf().map(({ name }) => name);
let turn = 0;

describe('the suite tells', () => {
	it.each<[string, string | undefined, Partial<TranscriptionModel>]>([
		['another version', version, { apiVersion: 2 as never }],
		['names in place of codes', version, { abilities: { languages: ['English'] } }],
		['no text', text, { transcribe: made({ text: undefined as never }) }],
		['pieces of another text', text, { transcribe: made({ text: 'Good-bye.' }) }],
		['a language that is no code', text, { transcribe: made({ language: 'english' }) }],
		['a length that is none', text, { transcribe: made({ seconds: Number.NaN }) }],
		['half a token', text, { transcribe: made({ usage: { inputTokens: 0.5, outputTokens: 1 } }) }],
		['an empty warning', text, { transcribe: made({ warnings: [''] }) }],
		[
			'a segment that ends before it begins',
			text,
			{ transcribe: made({ segments: [{ start: 2, end: 1, text: 'x' }] }) },
		],
		['words in another order', text, { transcribe: made({ words: [...heard.words].reverse() }) }],
		['segments that are not told', times, { transcribe: made({ segments: undefined as never }) }],
		['words that are not told', times, { transcribe: made({ words: undefined as never }) }],
		[
			'a failure by an unusual request',
			unusual,
			{
				transcribe: async (request, run) => {
					if (request.temperature === 1) throw new Error('too hot');
					return good(request, run);
				},
			},
		],
		[
			'texts that differ',
			same,
			{ transcribe: (request, run) => made({ text: `Hello there. ${turn++}` })(request, run) },
		],
		['a call that begins although it was aborted', before, { transcribe: async () => heard }],
		['an abort that is not heard', abort, { transcribe: async () => delay(3_000, heard) }],
		[
			'an abort with another reason',
			abort,
			{
				transcribe: async (request, run) => {
					await delay(20);
					if (run.signal.aborted) throw new Error('stopped');
					return good(request, run);
				},
			},
		],
		[
			'memory that is lost',
			memory,
			(() => {
				let isGone = false;
				return {
					unload: async () => {
						isGone = true;
					},
					transcribe: async (request, run) => {
						if (isGone) throw new Error('gone');
						return good(request, run);
					},
				} satisfies Partial<TranscriptionModel>;
			})(),
		],
	])('%s', async (_, name, part) => {
		const found = suiteOf(part).find((one) => one.name === name);
		await expect(found?.run()).rejects.toThrow();
	});
});
