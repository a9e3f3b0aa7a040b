import { availableParallelism } from 'node:os';
import { defineModel, invalidValue, modelError } from '@plinth/core';
import { type SpeechModel, type SpeechRequest, speechModels } from '@plinth/plugin-speech/model';
import { z } from 'zod';
import { Threads, threadFile } from '../threads.ts';
import { assertEnglish } from './language.ts';
import { splitText } from './text.ts';
import { deliveryOf, fliteSettings, voices } from './voices.ts';
import type { Utterance } from './worker.ts';

const config = z.strictObject({
	/** Silence after a sentence at speed 1, in milliseconds. */
	pauseMs: z.coerce.number<number | string>().int().min(0).max(5_000).default(280),
	/** Silence after a paragraph at speed 1, in milliseconds. */
	paragraphPauseMs: z.coerce.number<number | string>().int().min(0).max(10_000).default(650),
	/** How long one sentence may take to make before it counts as failed, in milliseconds. */
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
				const { sampleRate, utterances, warnings } = await planSpeech(request, config);
				const body = chunksOf(utterances, sayWithin(threads, config.deadlineMs), signal);
				return { mediaType: 'audio/pcm', sampleRate, channels: 1, body, warnings };
			},
		};
	},
});

async function planSpeech(request: SpeechRequest, { pauseMs, paragraphPauseMs }: z.output<typeof config>) {
	const voice = Object.hasOwn(voices, request.voice) ? voices[request.voice] : undefined;
	const known = Object.keys(voices).join(', ');
	if (!voice) throw invalidValue('voice', `This model has no such voice. Use one of ${known}.`);
	await assertEnglish(request.input);
	const pieces = splitText(request.input);
	if (pieces.length === 0) throw invalidValue('input', 'The text has nothing to speak: it needs a letter or a digit.');
	const { delivery, warnings } = deliveryOf(request.instructions ?? '', request.speed);
	const { sampleRate, ...tuning } = fliteSettings(voice, delivery);
	const pauses = { none: 0, comma: 110, sentence: pauseMs, paragraph: paragraphPauseMs, end: 120 };
	const utterances = pieces.map(({ text, pause }) => ({
		...tuning,
		text,
		pauseMs: (pauses[pause] * sampleRate) / tuning.rate / delivery.tempo,
	}));
	return { sampleRate, utterances, warnings };
}

/** The deadline counts from the start on a thread, without the time in the queue. */
function sayWithin(threads: Threads<Utterance, Uint8Array, true>, deadlineMs: number): Say {
	return async (utterance, signal) => {
		const late = new AbortController();
		let timer: NodeJS.Timeout | undefined;
		const onReport = () => {
			const error = modelError(`A sentence took longer than ${deadlineMs} ms.`);
			timer = setTimeout(() => late.abort(error), deadlineMs);
		};
		try {
			return await threads.run(utterance, { signal: AbortSignal.any([signal, late.signal]), onReport });
		} finally {
			clearTimeout(timer);
		}
	};
}

/** Yields one chunk per utterance while the next one is being made; never more than one ahead of the reader. */
async function* chunksOf(utterances: readonly Utterance[], say: Say, signal: AbortSignal): AsyncGenerator<Uint8Array> {
	const gone = new AbortController();
	const either = AbortSignal.any([signal, gone.signal]);
	const start = (index: number) => {
		const spoken = utterances[index] && say(utterances[index], either);
		// It is awaited a turn later, or never if the reader stops.
		spoken?.catch(() => {});
		return spoken;
	};
	try {
		let next = start(0);
		for (let index = 1; next; index++) {
			const pcm = await next;
			// It may have been ready before the abort.
			signal.throwIfAborted();
			next = start(index);
			if (pcm.byteLength > 0) yield pcm;
		}
	} finally {
		gone.abort();
	}
}
