/**
 * Yields the values of `source` and calls `cleanup` once at the end, on a failure, or on `return`. Unlike a
 * generator's `finally`, this also works when reading never started.
 */
export function withCleanup<T>(source: AsyncIterable<T>, cleanup: () => void): AsyncIterableIterator<T> {
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
