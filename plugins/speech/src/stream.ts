import { abandon, modelError, orAbort, type PlinthError } from '@plinth/core';
import { toModelFailure } from '@plinth/toolkit';

/** Waits for a model, or an encoder, no longer than its caller does. What it says afterwards is closed unread. */
export async function settledBy<T extends { readonly body: AsyncIterable<Uint8Array> }>(
	answer: Promise<T>,
	signal: AbortSignal,
): Promise<T> {
	try {
		return await orAbort(signal, answer);
	} catch (error) {
		if (!signal.aborted) throw toModelFailure(error);
		answer.then(({ body }) => abandon(body[Symbol.asyncIterator]())).catch(() => {});
		throw signal.reason;
	}
}

/** A model that said yes and made nothing. */
export function noAudio(): PlinthError {
	return modelError('The model returned no audio.');
}
