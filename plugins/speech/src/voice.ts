import { invalidValue } from '@plinth/core';
import type { SpeechModel } from './model.ts';

/** Throws 400 `invalid_value` for a voice that the model does not have. */
export function checkVoice(model: SpeechModel, voice: string): void {
	const voices = model.voices?.();
	if (!voices || voices.includes(voice)) return;
	throw invalidValue('voice', `The model has no voice "${voice.slice(0, 100)}". It has: ${voices.join(', ')}.`);
}
