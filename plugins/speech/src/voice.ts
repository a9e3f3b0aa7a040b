import { invalidValue } from '@plinth/core';
import type { SpeechBody } from './fields.ts';
import type { SpeechModel } from './model.ts';

/** The name of a voice, or the id of a custom one. */
export function voiceName(sent: SpeechBody['voice']): string {
	return typeof sent === 'string' ? sent : sent.id;
}

/** Throws 400 `invalid_value` for a voice that the model does not have. */
export function checkVoice(model: SpeechModel, sent: SpeechBody['voice']): void {
	const voice = voiceName(sent);
	const voices = model.voices?.();
	if (!voices || voices.includes(voice)) return;
	const param = typeof sent === 'string' ? 'voice' : 'voice.id';
	throw invalidValue(param, `The model has no voice "${voice.slice(0, 100)}". It has: ${voices.join(', ')}.`);
}
