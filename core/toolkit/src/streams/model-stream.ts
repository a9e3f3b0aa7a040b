import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { abandon, isPlinthError, orAbort, type PlinthError, plinthError } from '@plinth/core';

/** Values that are read in one turn of the event loop at most: a model that always has the next one would keep the process from everything else. */
const valuesPerTick = 128;

/**
 * What a model yields, tied to `signal`: once it aborts, reading rejects with its reason and the source's `return` has been called, also while
 * nobody reads and when the model ignores the signal. Uncoded failures become the model's: 502 `model_error`, their text stays in the log.
 */
export function fromModel<T>(
	source: AsyncIterable<T>,
	signal: AbortSignal,
): AsyncIterableIterator<T> {
	const iterator = source[Symbol.asyncIterator]();
	// Nobody waits for it: a generator settles this only after the step it is in.
	const onAbort = () => abandon(iterator);
	if (signal.aborted) onAbort();
	else signal.addEventListener('abort', onAbort, { once: true });
	const release = () => signal.removeEventListener('abort', onAbort);
	let count = 0;
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		async next() {
			try {
				count += 1;
				if (count % valuesPerTick === 0) await yieldToEventLoop();
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

/**
 * Waits until something worth an answer has come, so that a failure before it still gets a status of its own. What came before it is kept.
 * Rejects with `nothing()` when the source ends without.
 */
export async function awaitFirst<T>(
	source: AsyncIterable<T>,
	isContent: (value: T) => boolean,
	emptyError: () => PlinthError,
): Promise<AsyncIterable<T>> {
	const iterator = source[Symbol.asyncIterator]();
	const buffered: T[] = [];
	for (;;) {
		const step = await iterator.next();
		if (step.done) throw emptyError();
		buffered.push(step.value);
		if (isContent(step.value)) return resume(buffered, iterator);
	}
}

/** Coded errors stay; any other becomes 502 `model_error`, and its text stays in the log. */
export function toModelFailure(cause: unknown): unknown {
	return isPlinthError(cause) ? cause : plinthError('E_MODEL_FAILED', { cause });
}

async function* resume<T>(buffered: readonly T[], rest: AsyncIterator<T>): AsyncGenerator<T> {
	try {
		yield* buffered;
		for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
	} finally {
		await rest.return?.();
	}
}
