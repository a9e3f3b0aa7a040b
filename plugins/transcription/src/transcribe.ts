import { isPlinthError, type Logger, modelError, orAbort, PlinthError } from '@plinth/core';
import { toModelFailure } from '@plinth/toolkit';
import { type AudioTools, type CheckedAudio, sentAudio } from './audio/sent-audio.ts';
import type { Transcription, TranscriptionModel } from './model.ts';
import type { AudioTask } from './request/abilities.ts';

/** One call of a model. */
export interface Hearing {
	readonly model: TranscriptionModel;
	readonly audio: CheckedAudio;
	readonly task: AudioTask;
	readonly tools: AudioTools;
	readonly signal: AbortSignal;
	readonly log: Logger;
	/** Receives text that will not change any more. */
	readonly onDelta?: (text: string) => void;
}

/**
 * Calls a model. The result has all warnings, and a length also where the model tells none. Rejects with coded errors,
 * and with the reason of the signal, also when the model ignores it.
 */
export async function transcribe(hearing: Hearing): Promise<Transcription> {
	const { model, audio, tools, signal, log, onDelta } = hearing;
	const { warnings, ...task } = hearing.task;
	const file = sentAudio(audio, tools, signal);
	const delta = (text: string) => {
		if (text !== '' && !signal.aborted) onDelta?.(text);
	};
	try {
		// An async function: a synchronous throw of the model becomes a rejection.
		const pending = (async () => model.transcribe({ audio: file, ...task }, { signal, log, delta }))();
		const result = await orAbort(signal, pending);
		if (typeof result?.text !== 'string') throw modelError('The model returned no text.');
		const all = new Set([...warnings, ...(result.warnings ?? [])]);
		return { ...result, seconds: result.seconds ?? file.seconds(), warnings: all.size > 0 ? [...all] : undefined };
	} catch (error) {
		throw signal.aborted ? signal.reason : toModelFailure(withParam(error, audio.param));
	}
}

/** Models and decoders name the file `file`, however the client has sent it. */
function withParam(error: unknown, param: string): unknown {
	if (!isPlinthError(error) || error.param !== 'file' || param === 'file') return error;
	// The message already contains the remedy; the new error would append it again.
	const { remedy: _, ...spec } = error.spec;
	return new PlinthError(error.code, spec, { message: error.message, param, cause: error });
}
