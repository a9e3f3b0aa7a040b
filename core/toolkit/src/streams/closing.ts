/** The same values. Calls `close` once when they are over, or when nobody wants the rest, also where nobody has begun to read: a generator's `finally` would not run then. */
export function closing<T>(source: AsyncIterable<T>, close: () => void): AsyncIterableIterator<T> {
	const iterator = source[Symbol.asyncIterator]();
	let isOpen = true;
	const closeOnce = () => {
		if (isOpen) close();
		isOpen = false;
	};
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		async next() {
			try {
				const step = await iterator.next();
				if (step.done) closeOnce();
				return step;
			} catch (error) {
				closeOnce();
				throw error;
			}
		},
		async return() {
			closeOnce();
			await iterator.return?.();
			return { done: true, value: undefined };
		},
	};
}
