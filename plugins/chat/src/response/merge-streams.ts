import { abandon } from '@plinth/core';

/** A value and the index of its source. */
export interface Indexed<T> {
	readonly index: number;
	readonly value: T;
}

/**
 * Merges several sources in order of arrival, reading at most `concurrency` at a time, in the given order. Requests
 * the next value of a source only after the previous one was consumed. A failure of one source ends all.
 */
export async function* mergeStreams<T>(
	sources: readonly (() => AsyncIterable<T>)[],
	concurrency: number,
): AsyncGenerator<Indexed<T>> {
	const steps = new StepQueue<T>();
	const queue = [...sources.entries()];
	const reading = new Map<number, AsyncIterator<T>>();
	const openNext = () => {
		const [index, source] = queue.shift() ?? [];
		if (index === undefined || !source) return;
		const iterator = source()[Symbol.asyncIterator]();
		reading.set(index, iterator);
		steps.request(index, iterator);
	};
	try {
		for (let count = 0; count < concurrency; count++) openNext();
		while (reading.size > 0) {
			const { index, step } = await steps.next();
			const iterator = reading.get(index);
			if (step.done || !iterator) {
				reading.delete(index);
				openNext();
				continue;
			}
			yield { index, value: step.value };
			steps.request(index, iterator);
		}
	} finally {
		for (const iterator of reading.values()) abandon(iterator);
	}
}

interface Step<T> {
	readonly index: number;
	readonly step: IteratorResult<T>;
}

/**
 * Results of the iterators in order of arrival. Not `Promise.race`: a silent source would accumulate one
 * reaction per value of the others.
 */
class StepQueue<T> {
	readonly #steps: Step<T>[] = [];
	#failure: { readonly error: unknown } | undefined;
	#wake = () => {};

	request(index: number, iterator: AsyncIterator<T>): void {
		iterator.next().then(
			(step) => {
				this.#steps.push({ index, step });
				this.#wake();
			},
			(error: unknown) => {
				this.#failure ??= { error };
				this.#wake();
			},
		);
	}

	async next(): Promise<Step<T>> {
		for (;;) {
			if (this.#failure) throw this.#failure.error;
			const step = this.#steps.shift();
			if (step) return step;
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
	}
}
