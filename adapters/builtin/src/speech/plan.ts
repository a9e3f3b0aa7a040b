import { invalidValue } from '@plinth/core';
import type { SpeechRequest } from '@plinth/plugin-speech/model';
import { assertEnglish } from './language.ts';
import { splitText } from './text.ts';
import { deliveryOf, fliteSettings, voices } from './voices.ts';

/** Silences in the speech, in milliseconds at speed 1. */
interface Silences {
	readonly pauseMs: number;
	readonly paragraphPauseMs: number;
}

/** Divides a text into utterances for the synthesizer. Throws 400 errors for text that it cannot speak. */
export async function planSpeech(request: SpeechRequest, { pauseMs, paragraphPauseMs }: Silences) {
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
