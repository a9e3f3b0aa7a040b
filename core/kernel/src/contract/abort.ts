import type { Clock } from './ports/clock.ts';

/** Settles like `work`, or rejects with the signal's reason when the signal aborts first. */
export function orAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
	// Not `Promise.race`: a long-lived promise would keep every chunk of a stream in memory.
	return new Promise((resolve, reject) => {
		const onAbort = () => reject(signal.reason);
		if (signal.aborted) onAbort();
		else signal.addEventListener('abort', onAbort, { once: true });
		const remove = () => signal.removeEventListener('abort', onAbort);
		work.then(resolve, reject).then(remove);
	});
}

/** Closes an iterator without waiting for it. Its errors are ignored. */
export function abandon(iterator: AsyncIterator<unknown>): void {
	(async () => iterator.return?.())().catch(() => {});
}

/** Resolves with whether `work` settles within `ms` milliseconds. Ignores its result and its failure. */
export function settlesWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
	const { promise, resolve } = Promise.withResolvers<boolean>();
	const cancelTimer = clock.after(ms, () => resolve(false));
	const settled = () => resolve(true);
	work.then(settled, settled);
	return promise.finally(cancelTimer);
}

/** Yields the chunks of a body. Throws the reason of `signal` when it aborts, even while the source sends nothing. */
export async function* untilAborted(
	body: Uint8Array | AsyncIterable<Uint8Array>,
	signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
	signal?.throwIfAborted();
	if (body instanceof Uint8Array) {
		yield body;
		return;
	}
	const iterator = body[Symbol.asyncIterator]();
	let isDone = false;
	try {
		for (;;) {
			const step = await (signal ? orAbort(signal, iterator.next()) : iterator.next());
			isDone = step.done ?? false;
			if (step.done) return;
			yield step.value;
			signal?.throwIfAborted();
		}
	} finally {
		// Not awaited: the `return` of a source that sends nothing may never settle.
		if (!isDone) abandon(iterator);
	}
}
