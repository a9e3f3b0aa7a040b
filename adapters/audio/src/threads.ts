import { plinthError } from '@plinth/core';
import { EncoderThread, type ThreadOptions } from './thread.ts';

/** How many threads there are. */
export interface ThreadsOptions extends ThreadOptions {
	/** At most. */
	readonly threads: number;
	/** How long one is kept without work, in milliseconds. */
	readonly idleMs: number;
}

/** Threads that start when they are needed and end when they are not. */
export class Threads {
	readonly #options: ThreadsOptions;
	readonly #all = new Map<EncoderThread, () => void>();
	#isStopped = false;

	constructor(options: ThreadsOptions) {
		this.#options = options;
	}

	/** How many there are now. */
	get size(): number {
		return this.#all.size;
	}

	/** The thread with the least to do, or a new one where all are busy. Throws `E_STOPPING` after `stop`. */
	acquire(): EncoderThread {
		if (this.#isStopped) throw plinthError('E_STOPPING');
		const [least] = [...this.#all.keys()]
			.filter(({ isUsable }) => isUsable)
			.sort((a, b) => a.load - b.load);
		const isReused = least && (least.load === 0 || this.#all.size >= this.#options.threads);
		const thread = isReused ? least : this.#startThread();
		this.#all.get(thread)?.();
		return thread;
	}

	/** Says that an encoding of the thread is over. */
	release(thread: EncoderThread): void {
		if (thread.load > 0 || !this.#all.has(thread)) return;
		const { clock, idleMs } = this.#options;
		this.#all.get(thread)?.();
		this.#all.set(
			thread,
			clock.after(idleMs, () => void thread.stop()),
		);
	}

	/** Ends all threads; encodings under way and later ones reject with `E_STOPPING`. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		await Promise.all([...this.#all.keys()].map((thread) => thread.stop()));
	}

	#startThread(): EncoderThread {
		const thread = new EncoderThread(this.#options);
		this.#all.set(thread, () => {});
		void thread.ended.then(() => {
			this.#all.get(thread)?.();
			this.#all.delete(thread);
		});
		return thread;
	}
}
