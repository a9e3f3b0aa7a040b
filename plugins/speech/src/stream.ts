import { abandon, modelError, orAbort, type PlinthError } from '@plinth/core';
import { toModelFailure } from '@plinth/toolkit';

/** Waits for audio of a model or encoder until the signal aborts. Audio that arrives later is closed unread. */
export async function awaitAudio<T extends { readonly body: AsyncIterable<Uint8Array> }>(
	audio: Promise<T>,
	signal: AbortSignal,
): Promise<T> {
	try {
		return await orAbort(signal, audio);
	} catch (error) {
		if (!signal.aborted) throw toModelFailure(error);
		audio.then(({ body }) => abandon(body[Symbol.asyncIterator]())).catch(() => {});
		throw signal.reason;
	}
}

/** The error for a model that returned no bytes. */
export function noAudio(): PlinthError {
	return modelError('The model returned no audio.');
}
