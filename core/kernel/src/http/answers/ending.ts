/**
 * The same events, and `end` once they are over: read to their end, failed, or let go. Whoever holds the iterator
 * calls its `return`, also when nothing was read.
 */
export function endingWith<T>(events: AsyncIterable<T>, end: () => Promise<void>): AsyncIterable<T> {
	const iterator = events[Symbol.asyncIterator]();
	let ended: Promise<void> | undefined;
	const over = () => (ended ??= end());
	return {
		[Symbol.asyncIterator]: () => ({
			async next() {
				try {
					const step = await iterator.next();
					if (step.done) await over();
					return step;
				} catch (error) {
					await over();
					throw error;
				}
			},
			async return() {
				try {
					await iterator.return?.();
				} finally {
					await over();
				}
				return { done: true, value: undefined };
			},
		}),
	};
}
