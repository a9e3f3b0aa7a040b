import type { Models } from '@plinth/core';
import type { SpeechReader } from '@plinth/toolkit';
import { type AudioTools, checkAudio } from './audio/sent-audio.ts';
import type { TranscriptionModel } from './model.ts';
import { transcribe } from './transcribe.ts';

/** Reads the sound files of other capabilities with one model; with none, it is not available. */
export function speechReader(models: Models<TranscriptionModel>, id: string | undefined, tools: AudioTools) {
	return {
		isAvailable: id !== undefined,
		async read(file, param, { principal, signal, log }) {
			const audio = await checkAudio(file, param);
			const task = { task: 'transcribe', timestamps: [], warnings: [] } as const;
			// Without `answeredBy`: the answer of the request has the name of its own model.
			const { text } = await models.ask(id ?? '', { principal, signal, log }, ({ model, signal }) =>
				transcribe({ model, audio, task, tools, signal, log }),
			);
			return text;
		},
	} satisfies SpeechReader;
}
