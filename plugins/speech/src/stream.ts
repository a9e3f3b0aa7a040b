import { isPlinthError, modelError, type PlinthError, plinthError } from '@plinth/core';

/**
 * A model's stream, tied to `signal`: once it aborts, reading rejects with its reason and the source's `return` has been called,
 * also while nobody reads and when the model ignores the signal. Uncoded failures become the model's.
 */
export function fromModel(
	source: AsyncIterable<Uint8Array>,
	signal: AbortSignal,
): AsyncIterableIterator<Uint8Array> {
	const iterator = source[Symbol.asyncIterator]();
	const { promise: aborted, reject } = Promise.withResolvers<never>();
	aborted.catch(() => {});
	const onAbort = () => {
		reject(signal.reason);
		// Nobody waits for it: a generator settles this only after the step it is in.
		Promise.resolve(iterator.return?.()).catch(() => {});
	};
	if (signal.aborted) onAbort();
	else signal.addEventListener('abort', onAbort, { once: true });
	const release = () => signal.removeEventListener('abort', onAbort);
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		async next() {
			try {
				const step = await Promise.race([aborted, iterator.next()]);
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
	const { promise: aborted, reject } = Promise.withResolvers<never>();
	const onAbort = () => {
		reject(signal.reason);
		answer.then(({ body }) => body[Symbol.asyncIterator]().return?.()).catch(() => {});
	};
	if (signal.aborted) onAbort();
	else signal.addEventListener('abort', onAbort, { once: true });
	try {
		return await Promise.race([aborted, answer]);
	} catch (error) {
		throw signal.aborted ? signal.reason : toModelFailure(error);
	} finally {
		signal.removeEventListener('abort', onAbort);
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
