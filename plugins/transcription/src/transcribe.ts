import { isPlinthError, type Logger, modelError, orAbort, PlinthError } from '@plinth/core';
import { toModelFailure } from '@plinth/toolkit';
import { type AudioTools, type CheckedAudio, sentAudio } from './audio/sent-audio.ts';
import type { Transcription, TranscriptionModel } from './model.ts';
import type { AudioTask } from './request/abilities.ts';

/** One call of a model. */
export interface TranscribeCall {
	readonly model: TranscriptionModel;
	readonly audio: CheckedAudio;
	readonly task: AudioTask;
	readonly tools: AudioTools;
	readonly signal: AbortSignal;
	readonly log: Logger;
	/** Receives final text. */
	readonly onDelta?: (text: string) => void;
}

/**
 * Calls a model. The result has all warnings, and a length even if the model returns none. Rejects with coded errors,
 * and with the reason of the signal, even if the model ignores the signal.
 */
export async function transcribe(call: TranscribeCall): Promise<Transcription> {
	const { model, audio, tools, signal, log, onDelta } = call;
	const { warnings, ...task } = call.task;
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

/** Errors of models and decoders name `file`. Replaces it with the parameter that the client sent. */
function withParam(error: unknown, param: string): unknown {
	if (!isPlinthError(error) || error.param !== 'file' || param === 'file') return error;
	// The message already contains the remedy; the new error would append it again.
	const { remedy: _, ...spec } = error.spec;
	return new PlinthError(error.code, spec, { message: error.message, param, cause: error });
}
