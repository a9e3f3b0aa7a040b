/**
 * Settles as `work` does, or rejects with the signal's reason if that comes first. Not `Promise.race`: a long-lived
 * promise would keep every chunk of a stream in memory.
 */
export function orAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		const stop = () => reject(signal.reason);
		if (signal.aborted) stop();
		else signal.addEventListener('abort', stop, { once: true });
		const remove = () => signal.removeEventListener('abort', stop);
		work.then(resolve, reject).then(remove);
	});
}

/** Closes an iterator without waiting for it. Its errors are ignored. */
export function abandon(iterator: AsyncIterator<unknown>): void {
	(async () => iterator.return?.())().catch(() => {});
}

/** The chunks of a body. Throws the reason of `signal` when it aborts, even while the source is silent. */
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
		// Not awaited: a silent source may never answer.
		if (!isDone) abandon(iterator);
	}
}
