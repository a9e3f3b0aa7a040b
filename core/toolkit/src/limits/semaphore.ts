import { orAbort } from '@plinth/core';

/** Lets a limited number of tasks run at the same time; the others wait in order of arrival. */
export class Semaphore {
	#free: number;
	readonly #queue: (() => void)[] = [];

	constructor(limit: number) {
		this.#free = limit;
	}

	/**
	 * Runs `task` when a place is free. Rejects with the signal's reason as soon as it aborts: a waiting task then never starts, and a
	 * running one, which native code cannot interrupt, keeps its place until it is over.
	 */
	async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		signal?.throwIfAborted();
		await this.#acquire(signal);
		// Aborted between its turn and now.
		if (signal?.aborted) this.#release();
		signal?.throwIfAborted();
		const work = Promise.resolve()
			.then(task)
			.finally(() => this.#release());
		if (!signal) return work;
		// When the abort wins, nobody hears of the work's own failure.
		work.catch(() => {});
		return orAbort(signal, work);
	}

	#acquire(signal?: AbortSignal): Promise<void> {
		if (this.#free > 0) {
			this.#free--;
			return Promise.resolve();
		}
		const slot = Promise.withResolvers<void>();
		this.#queue.push(slot.resolve);
		const abort = () => {
			const index = this.#queue.indexOf(slot.resolve);
			// Already called: the place is taken, and `run` is about to use it.
			if (index < 0) return;
			this.#queue.splice(index, 1);
			slot.reject(signal?.reason);
		};
		signal?.addEventListener('abort', abort, { once: true });
		return slot.promise.finally(() => signal?.removeEventListener('abort', abort));
	}

	#release(): void {
		const next = this.#queue.shift();
		if (next) next();
		else this.#free++;
	}
}
