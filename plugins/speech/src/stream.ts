import {
	isPlinthError,
	letGo,
	modelError,
	orAbort,
	type PlinthError,
	plinthError,
} from '@plinth/core';

/**
 * A model's stream, tied to `signal`: once it aborts, reading rejects with its reason and the source's `return` has been called,
 * also while nobody reads and when the model ignores the signal. Uncoded failures become the model's.
 */
export function fromModel(
	source: AsyncIterable<Uint8Array>,
	signal: AbortSignal,
): AsyncIterableIterator<Uint8Array> {
	const iterator = source[Symbol.asyncIterator]();
	// Nobody waits for it: a generator settles this only after the step it is in.
	const onAbort = () => letGo(iterator);
	if (signal.aborted) onAbort();
	else signal.addEventListener('abort', onAbort, { once: true });
	const release = () => signal.removeEventListener('abort', onAbort);
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		async next() {
			try {
				signal.throwIfAborted();
				const step = await orAbort(signal, iterator.next());
				if (step.done) release();
				return step;
			} catch (error) {
				release();
				throw signal.aborted ? signal.reason : toModelFailure(error);
			}
		},
		async return() {
			release();
			await iterator.return?.();
			return { done: true, value: undefined };
		},
	};
}

/** Waits for the first bytes, so that a failure before them still gets a status of its own. A stream without bytes is one. */
export async function begun(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
	const iterator = source[Symbol.asyncIterator]();
	for (;;) {
		const step = await iterator.next();
		if (step.done) throw noAudio();
		if (step.value.byteLength > 0) return resume(step.value, iterator);
	}
}

/** Waits for a model no longer than its caller does. What it says afterwards is closed unread. */
export async function settledBy<T extends { readonly body: AsyncIterable<Uint8Array> }>(
	answer: Promise<T>,
	signal: AbortSignal,
): Promise<T> {
	try {
		return await orAbort(signal, answer);
	} catch (error) {
		if (!signal.aborted) throw toModelFailure(error);
		answer.then(({ body }) => letGo(body[Symbol.asyncIterator]())).catch(() => {});
		throw signal.reason;
	}
}

/** A model that said yes and made nothing. */
export function noAudio(): PlinthError {
	return modelError('The model returned no audio.');
}

/** Coded errors stay; any other becomes 502 `model_error`, and its text stays in the log. */
function toModelFailure(cause: unknown): unknown {
	return isPlinthError(cause) ? cause : plinthError('E_MODEL_FAILED', { cause });
}

async function* resume(
	first: Uint8Array,
	rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
	try {
		yield first;
		for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
	} finally {
		await rest.return?.();
	}
}
