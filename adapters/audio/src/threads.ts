import { plinthError } from '@plinth/core';
import { EncoderThread, type ThreadOptions } from './thread.ts';

/** Size of the thread pool. */
export interface ThreadsOptions extends ThreadOptions {
	/** Maximum number of threads. */
	readonly threads: number;
	/** How long an idle thread is kept, in milliseconds. */
	readonly idleMs: number;
}

/** A pool of threads that start and end on demand. */
export class Threads {
	readonly #options: ThreadsOptions;
	readonly #all = new Map<EncoderThread, () => void>();
	#isStopped = false;

	constructor(options: ThreadsOptions) {
		this.#options = options;
	}

	/** Number of threads. */
	get size(): number {
		return this.#all.size;
	}

	/** The least busy thread, or a new one when all are busy. Throws `E_STOPPING` after `stop`. */
	acquire(): EncoderThread {
		if (this.#isStopped) throw plinthError('E_STOPPING');
		const [least] = [...this.#all.keys()].filter(({ isUsable }) => isUsable).sort((a, b) => a.load - b.load);
		const isReused = least && (least.load === 0 || this.#all.size >= this.#options.threads);
		const thread = isReused ? least : this.#startThread();
		this.#all.get(thread)?.();
		return thread;
	}

	/** Returns a thread after an encoding. */
	release(thread: EncoderThread): void {
		if (thread.load > 0 || !this.#all.has(thread)) return;
		const { clock, idleMs } = this.#options;
		this.#all.get(thread)?.();
		this.#all.set(
			thread,
			clock.after(idleMs, () => void thread.stop()),
		);
	}

	/** Ends all threads; running and later encodings reject with `E_STOPPING`. */
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
