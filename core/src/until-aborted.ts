/** The chunks of a body, until `signal` aborts: then it throws the signal's reason, also while the source is silent. */
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
	let abort = (): void => {};
	const aborted = new Promise<never>((_resolve, reject) => {
		abort = () => reject(signal?.reason);
	});
	aborted.catch(() => {});
	signal?.addEventListener('abort', abort);
	try {
		for (;;) {
			const step = await Promise.race([iterator.next(), aborted]);
			if (step.done) return;
			yield step.value;
			signal?.throwIfAborted();
		}
	} finally {
		signal?.removeEventListener('abort', abort);
		// Not awaited: a silent source may never answer.
		void Promise.resolve(iterator.return?.()).catch(() => {});
	}
}
