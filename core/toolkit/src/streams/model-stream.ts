import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { abandon, isPlinthError, orAbort, type PlinthError, plinthError } from '@plinth/core';

/**
 * Maximum values read per tick of the event loop, so that a model that always has the next value cannot
 * block the process.
 */
const valuesPerTick = 128;

/**
 * The values of a model, bound to `signal`: once it aborts, reading rejects with its reason and the
 * source's `return` is called, also while nothing is read and when the model ignores the signal. Uncoded
 * failures become 502 `model_error`; their text stays in the log.
 */
export function fromModel<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncIterableIterator<T> {
	const iterator = source[Symbol.asyncIterator]();
	// Not awaited: a generator settles `return` only after its current step.
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
 * Waits for the first value with content, so that an earlier failure gets a status of its own. Earlier
 * values are buffered. Rejects with `emptyError()` when the source ends before.
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

/** Keeps coded errors; any other becomes 502 `model_error`, whose text stays in the log. */
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
