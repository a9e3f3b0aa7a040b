import { availableParallelism } from 'node:os';
import { defineModel, modelError } from '@plinth/core';
import { type SpeechModel, speechModels } from '@plinth/plugin-speech/model';
import { z } from 'zod';
import { Threads, threadFile } from '../threads.ts';
import { voices } from './voices.ts';
import type { Utterance } from './worker.ts';

const config = z.strictObject({
	/** Silence after a sentence at speed 1, in milliseconds. */
	pauseMs: z.coerce.number<number | string>().int().min(0).max(5_000).default(280),
	/** Silence after a paragraph at speed 1, in milliseconds. */
	paragraphPauseMs: z.coerce.number<number | string>().int().min(0).max(10_000).default(650),
	/** Maximum time to synthesize one sentence before it counts as failed, in milliseconds. */
	deadlineMs: z.coerce.number<number | string>().int().min(1_000).max(600_000).default(30_000),
});

/** Makes the s16le samples of one utterance, or rejects with the signal's reason. */
type Say = (utterance: Utterance, signal: AbortSignal) => Promise<Uint8Array>;

/**
 * Spoken English without a neural network: flite in WebAssembly, in worker threads, sentence by sentence. Equal
 * requests give equal bytes. Voices have OpenAI's names and flite's. Other languages are refused on `input`.
 */
export const builtinSpeech = defineModel({
	kind: speechModels,
	name: 'builtin.speech',
	description: 'Spoken English by the flite synthesizer: diphone and statistical voices, no neural network.',
	config,
	create({ config, onStop }): SpeechModel {
		const file = threadFile(import.meta.url);
		const threads = new Threads<Utterance, Uint8Array, true>({ file, threads: Math.min(2, availableParallelism()) });
		onStop(() => threads.close());
		return {
			apiVersion: 1,
			abilities: { languages: ['en'], formats: ['pcm'] },
			voices: () => Object.keys(voices),
			async speak(request, { signal }) {
				signal.throwIfAborted();
				// Imported late, so that a server starts fast.
				const { planSpeech } = await import('./plan.ts');
				const { sampleRate, utterances, warnings } = await planSpeech(request, config);
				const body = chunksOf(utterances, sayWithin(threads, config.deadlineMs), signal);
				return { mediaType: 'audio/pcm', sampleRate, channels: 1, body, warnings };
			},
		};
	},
});

/** The deadline counts from the start on a thread, without the time in the queue. */
function sayWithin(threads: Threads<Utterance, Uint8Array, true>, deadlineMs: number): Say {
	return async (utterance, signal) => {
		const timeout = new AbortController();
		let timer: NodeJS.Timeout | undefined;
		const onReport = () => {
			const error = modelError(`A sentence took longer than ${deadlineMs} ms.`);
			timer = setTimeout(() => timeout.abort(error), deadlineMs);
		};
		try {
			return await threads.run(utterance, { signal: AbortSignal.any([signal, timeout.signal]), onReport });
		} finally {
			clearTimeout(timer);
		}
	};
}

/** Yields one chunk per utterance while the next one is made, at most one ahead of the reader. */
async function* chunksOf(utterances: readonly Utterance[], say: Say, signal: AbortSignal): AsyncGenerator<Uint8Array> {
	const stop = new AbortController();
	const either = AbortSignal.any([signal, stop.signal]);
	const start = (index: number) => {
		const spoken = utterances[index] && say(utterances[index], either);
		// The promise is awaited one utterance later, or never if the reader stops.
		spoken?.catch(() => {});
		return spoken;
	};
	try {
		let next = start(0);
		for (let index = 1; next; index++) {
			const pcm = await next;
			// The samples may have been ready before the abort.
			signal.throwIfAborted();
			next = start(index);
			if (pcm.byteLength > 0) yield pcm;
		}
	} finally {
		stop.abort();
	}
}
