import assert from 'node:assert/strict';
import { assertClientError, type ConformanceCase } from '@plinth/testing';
import type { ModelCaseMaker, RequestChanges, SpeechModelSuiteOptions } from './subject.ts';

/** Cases about voices, speed and unusual texts. */
export function requestCases(it: ModelCaseMaker, { supports = {} }: SpeechModelSuiteOptions): ConformanceCase[] {
	return [
		it('each voice has a unique name and speaks', async (model, caller) => {
			const voices = model.voices?.();
			if (!voices) return;
			assert(voices.length > 0, 'there is no voice; omit voices() if the model accepts any name');
			assert.equal(new Set(voices).size, voices.length, 'two voices have one name');
			for (const voice of voices) {
				assert(typeof voice === 'string' && voice !== '', 'a voice has no name');
				await caller.speech(model, { voice, input: 'Yes.' });
			}
		}),
		it('an unusual request is spoken, or rejected with a 4xx status before the first byte', async (model, caller) => {
			for (const request of unusual) await caller.speechUnlessRefused(model, request);
		}),
		it('the longest text returns audio, or is rejected with a 4xx status', async (model, caller) => {
			const attempt = caller.attempt(model, { input: 'Hello, you. '.repeat(341) });
			const made = await attempt.made.catch(assertClientError);
			const body = made?.body[Symbol.asyncIterator]();
			const first = await body?.next();
			assert(!made || !first?.done, 'there is no audio');
			await body?.return?.();
			attempt.abort();
		}),
		...(supports.speed
			? [
					it('speech at double speed takes about half as long', async (model, caller) => {
						const { seconds } = await caller.speech(model);
						const fast = await caller.speech(model, { speed: 2 });
						assert(seconds > 0, 'the model returned encoded audio, but pcm was requested');
						const share = fast.seconds / seconds;
						assert(share > 0.35 && share < 0.75, `it took ${share} of the time`);
					}),
				]
			: []),
	];
}

const unusual: readonly RequestChanges[] = [
	{ input: ' ' },
	{ input: '🦊 … ?!' },
	{ input: 'a\0b\ud800' },
	{ input: '<speak>Hello & "goodbye" --help $(id) </speak>' },
	{ input: 'Guten Tag, 你好, שלום.' },
	{ input: 'Hello.', speed: 0.25 },
	{ input: 'Hello.', speed: 4 },
	{ input: 'Hello.', instructions: 'Whisper, as if somebody slept next door.' },
	{ input: 'Hello.', voice: '--help ../🦊' },
];
