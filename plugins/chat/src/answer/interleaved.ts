import { abandon } from '@plinth/core';

/** A value, and which of several sources it came from. */
export interface Placed<T> {
	readonly index: number;
	readonly value: T;
}

/**
 * The values of several sources as they come, at most `concurrency` of them read at a time, in the order in which they are given. Each source is asked for its
 * next value only when the last one was taken. A failure of one ends all.
 */
export async function* interleaved<T>(
	sources: readonly (() => AsyncIterable<T>)[],
	concurrency: number,
): AsyncGenerator<Placed<T>> {
	const steps = new Steps<T>();
	const waiting = [...sources.entries()];
	const reading = new Map<number, AsyncIterator<T>>();
	const open = () => {
		const [index, source] = waiting.shift() ?? [];
		if (index === undefined || !source) return;
		const iterator = source()[Symbol.asyncIterator]();
		reading.set(index, iterator);
		steps.ask(index, iterator);
	};
	try {
		for (let count = 0; count < concurrency; count++) open();
		while (reading.size > 0) {
			const { index, step } = await steps.next();
			const iterator = reading.get(index);
			if (step.done || !iterator) {
				reading.delete(index);
				open();
				continue;
			}
			yield { index, value: step.value };
			steps.ask(index, iterator);
		}
	} finally {
		for (const iterator of reading.values()) abandon(iterator);
	}
}

interface Step<T> {
	readonly index: number;
	readonly step: IteratorResult<T>;
}

/** What iterators answer, first come, first served. No `Promise.race`: a silent source would keep a reaction for every piece of the others. */
class Steps<T> {
	readonly #come: Step<T>[] = [];
	#failure: { readonly error: unknown } | undefined;
	#wake = () => {};

	ask(index: number, iterator: AsyncIterator<T>): void {
		iterator.next().then(
			(step) => {
				this.#come.push({ index, step });
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
			const step = this.#come.shift();
			if (step) return step;
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
	}
}
