import { defineModel } from '@plinth/core';
import { type TranscriptionModel, transcriptionModels } from '@plinth/plugin-transcription/model';
import { z } from 'zod';

/** The words that the fake model recognises. */
export const heardWords = 'Good morning.';

/**
 * A model that reads all samples and recognises two words. With the prompt `wait` it recognises nothing until its
 * signal aborts.
 */
export function fakeTranscription() {
	return defineModel({
		kind: transcriptionModels,
		name: 'test.transcription',
		config: z.strictObject({}),
		create: (): TranscriptionModel => ({
			apiVersion: 1,
			abilities: { translate: true, segments: true, words: true },
			async transcribe({ audio, task, prompt }, { signal, delta }) {
				let count = 0;
				for await (const chunk of audio.samples(16_000)) count += chunk.length;
				if (count === 0) throw new Error('There are no samples.');
				if (prompt === 'wait') {
					await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
					signal.throwIfAborted();
				}
				if (task === 'translate') return { text: 'translated', language: 'en' };
				delta('Good ');
				delta('morning.');
				return {
					text: heardWords,
					language: 'en',
					segments: [
						{ start: 0, end: 0.5, text: 'Good' },
						{ start: 0.5, end: 1, text: 'morning.' },
					],
					words: [
						{ start: 0, end: 0.5, word: 'Good' },
						{ start: 0.5, end: 1, word: 'morning.' },
					],
				};
			},
		}),
	})();
}
