import type { Models } from '@plinth/core';
import type { SpeechReader } from '@plinth/toolkit';
import type { AudioTools } from './audio/sent-audio.ts';
import type { TranscriptionModel } from './model.ts';

/** Transcribes audio files for other capabilities with one model. Not available without a model. */
export function speechReader(models: Models<TranscriptionModel>, id: string | undefined, tools: AudioTools) {
	return {
		isAvailable: id !== undefined,
		async read(file, param, { principal, signal, log }) {
			// Loaded by the first file, so that a server starts sooner.
			const audio = await (await import('./audio/sent-audio.ts')).checkAudio(file, param);
			const { transcribe } = await import('./transcribe.ts');
			const task = { task: 'transcribe', timestamps: [], warnings: [] } as const;
			// Without `answeredBy`: the response of the request names its own model.
			const { text } = await models.ask(id ?? '', { principal, signal, log }, ({ model, signal }) =>
				transcribe({ model, audio, task, tools, signal, log }),
			);
			return text;
		},
	} satisfies SpeechReader;
}
