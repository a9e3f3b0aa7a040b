/** The same values. Calls `close` once when they are over, or when nobody wants the rest, also where nobody has begun to read: a generator's `finally` would not run then. */
export function withCleanup<T>(
	source: AsyncIterable<T>,
	cleanup: () => void,
): AsyncIterableIterator<T> {
	const iterator = source[Symbol.asyncIterator]();
	let isPending = true;
	const cleanUpOnce = () => {
		if (isPending) cleanup();
		isPending = false;
	};
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		async next() {
			try {
				const step = await iterator.next();
				if (step.done) cleanUpOnce();
				return step;
			} catch (error) {
				cleanUpOnce();
				throw error;
			}
		},
		async return() {
			cleanUpOnce();
			await iterator.return?.();
			return { done: true, value: undefined };
		},
	};
}
