import { orAbort } from '@plinth/core';

/** Limits the number of concurrent tasks; the others wait in order of arrival. */
export class Semaphore {
	#free: number;
	readonly #queue: (() => void)[] = [];

	constructor(limit: number) {
		this.#free = limit;
	}

	/**
	 * Runs `task` when a slot is free. Rejects with the signal's reason as soon as it aborts: a waiting task then never
	 * starts. A running task may be uninterruptible native code, so it keeps its slot until it settles.
	 */
	async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		signal?.throwIfAborted();
		await this.#acquire(signal);
		// The signal may have aborted after the slot was granted.
		if (signal?.aborted) this.#release();
		signal?.throwIfAborted();
		const work = Promise.resolve()
			.then(task)
			.finally(() => this.#release());
		if (!signal) return work;
		// After an abort, the task's own rejection is ignored.
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
			// Already granted: `run` is about to use the slot.
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
