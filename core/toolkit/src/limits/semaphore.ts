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
		const release = await this.acquire(signal);
		const work = (async () => task())().finally(release);
		return signal ? orAbort(signal, work) : work;
	}

	/** Waits for a slot, at most until the signal aborts. Resolves to a function that releases it, once. */
	async acquire(signal?: AbortSignal): Promise<() => void> {
		signal?.throwIfAborted();
		await (this.#free > 0 ? this.#free-- : this.#wait(signal));
		// The signal may have aborted after the slot was granted.
		if (signal?.aborted) this.#release();
		signal?.throwIfAborted();
		const { promise, resolve } = Promise.withResolvers<void>();
		void promise.then(() => this.#release());
		return resolve;
	}

	#wait(signal?: AbortSignal): Promise<void> {
		const slot = Promise.withResolvers<void>();
		this.#queue.push(slot.resolve);
		const abort = () => {
			const index = this.#queue.indexOf(slot.resolve);
			// Already granted: `acquire` is about to use the slot.
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
