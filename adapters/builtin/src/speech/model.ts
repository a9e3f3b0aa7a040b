import { defineModel, invalidValue } from '@plinth/core';
import { type SpeechModel, type SpeechRequest, speechModels } from '@plinth/plugin-speech/model';
import { z } from 'zod';
import { understand } from './instructions.ts';
import { assertEnglish } from './language.ts';
import { isSpeakable, normalise } from './normalise.ts';
import { type Boundary, splitIntoPieces } from './sentences.ts';
import { Synthesizer } from './synthesizer.ts';
import { tune, type Voice, voices } from './voices.ts';
import type { Utterance } from './worker.ts';

const config = z.strictObject({
	/** Silence after a sentence at speed 1, in milliseconds. */
	pauseMs: z.coerce.number<number | string>().int().min(0).max(5_000).default(280),
	/** Silence after a paragraph at speed 1, in milliseconds. */
	paragraphPauseMs: z.coerce.number<number | string>().int().min(0).max(10_000).default(650),
	/** How long one sentence may take to make before it counts as failed, in milliseconds. */
	deadlineMs: z.coerce.number<number | string>().int().min(1_000).max(600_000).default(30_000),
});

type Config = z.output<typeof config>;

/**
 * Spoken English without a neural network: flite in WebAssembly, in a worker thread, sentence by sentence. Equal requests give
 * equal bytes. Knows the OpenAI voice names and flite's own. Text that is not English is refused on `input` before the stream.
 */
export const builtinSpeech = defineModel({
	kind: speechModels,
	name: 'builtin.speech',
	description: 'Spoken English by the flite synthesizer: diphone and statistical voices, no neural network.',
	config,
	create({ config, onStop }): SpeechModel {
		const synthesizer = new Synthesizer({ deadlineMs: config.deadlineMs });
		onStop(() => synthesizer.stop());
		return {
			apiVersion: 1,
			voices: () => Object.keys(voices),
			async speak(request, run) {
				run.signal.throwIfAborted();
				const plan = planSpeech(request, config);
				return {
					mediaType: 'audio/pcm',
					sampleRate: plan.sampleRate,
					channels: 1,
					body: perform(plan.utterances, synthesizer, run.signal),
					warnings: plan.warnings,
				};
			},
		};
	},
});

interface Plan {
	readonly sampleRate: number;
	readonly utterances: readonly Utterance[];
	readonly warnings: readonly string[];
}

function planSpeech(request: SpeechRequest, config: Config): Plan {
	const voice = findVoice(request.voice);
	assertEnglish(request.input);
	const { text, dropped } = normalise(request.input);
	if (!isSpeakable(text)) {
		throw invalidValue('input', 'The text has nothing to speak: it needs a letter or a digit.');
	}
	const { delivery, warnings } = understand(request.instructions ?? '', request.speed);
	const { sampleRate, settings, gain } = tune(voice, delivery);
	const utterances = splitIntoPieces(text).map((piece) => ({
		text: piece.text,
		voice: voice.base,
		settings,
		shape: {
			gain,
			pauseMs: (pauseAfter(piece.boundary, config) * sampleRate) / voice.baseRate / delivery.tempo,
		},
	}));
	return {
		sampleRate,
		utterances,
		warnings: [...warnings, ...fixedMelody(voice, delivery.range), ...droppedLetters(dropped)],
	};
}

function findVoice(name: string): Voice {
	const voice = Object.hasOwn(voices, name) ? voices[name] : undefined;
	if (voice) return voice;
	throw invalidValue('voice', `This model has no such voice. Use one of ${Object.keys(voices).join(', ')}.`);
}

function pauseAfter(boundary: Boundary, config: Config): number {
	const phrasePauseMs = 30;
	const clausePauseMs = 110;
	const tailMs = 120;
	switch (boundary) {
		case 'none':
			return 0;
		case 'phrase':
			return phrasePauseMs;
		case 'clause':
			return clausePauseMs;
		case 'sentence':
			return config.pauseMs;
		case 'paragraph':
			return config.paragraphPauseMs;
		case 'end':
			return tailMs;
	}
}

function fixedMelody(voice: Voice, range: number): readonly string[] {
	const fixed = voice.base === 'rms' && range !== 1;
	return fixed ? ['The melody of this voice cannot be changed: it was left as it is.'] : [];
}

function droppedLetters(count: number): readonly string[] {
	return count === 0 ? [] : [`${count} letters of other scripts were left out of the speech.`];
}

/** Yields one chunk per utterance while the next one is being made; never more than one ahead of the reader. */
async function* perform(
	utterances: readonly Utterance[],
	synthesizer: Synthesizer,
	signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
	const gone = new AbortController();
	const either = AbortSignal.any([signal, gone.signal]);
	const say = (index: number) => {
		const utterance = utterances[index];
		const spoken = utterance && synthesizer.say(utterance, either);
		// It is awaited a turn later, or never when the reader leaves.
		spoken?.catch(() => {});
		return spoken;
	};
	try {
		let next = say(0);
		for (let index = 1; next; index++) {
			const pcm = await next;
			// It may have been ready before the abort.
			signal.throwIfAborted();
			next = say(index);
			if (pcm.byteLength > 0) yield pcm;
		}
	} finally {
		gone.abort();
	}
}
