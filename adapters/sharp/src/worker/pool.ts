import { type EncodedImage, Semaphore } from '@plinth/core';
import { maxSeconds, Refusal } from '../failures.ts';
import type { AnswerTo, Task } from '../tasks.ts';
import { Crash, Worker, type WorkerTimes } from './worker.ts';

/** How worker processes are run. */
export interface WorkerPoolOptions extends WorkerTimes {
	/** How many there may be. */
	readonly workers: number;
	/** How long one without work is kept, in milliseconds. */
	readonly idleMs: number;
	/** What they run. */
	readonly file: URL;
}

const defaults: WorkerPoolOptions = {
	workers: 1,
	idleMs: 10_000,
	taskMs: maxSeconds * 1_000,
	abandonedMs: 500,
	file: new URL(import.meta.url.endsWith('.ts') ? './child.ts' : './child.js', import.meta.url),
};

/**
 * Decodes pictures in processes of their own, so that their memory is bounded and a decoder that crashes takes nothing with it. The
 * processes start when they are needed and end when they are not.
 */
export class WorkerPool {
	readonly #options: WorkerPoolOptions;
	readonly #places: Semaphore;
	readonly #workers = new Set<Worker>();
	readonly #idle = new Map<Worker, NodeJS.Timeout>();
	#isClosed = false;

	constructor(options: Partial<WorkerPoolOptions> = {}) {
		this.#options = { ...defaults, ...options };
		this.#places = new Semaphore(this.#options.workers);
	}

	/** Of the processes that there are now. */
	get pids(): readonly number[] {
		return [...this.#workers].flatMap(({ pid }) => pid ?? []);
	}

	/**
	 * Does a task as soon as a worker is free. Rejects with a `Refusal` for what is wrong with the picture, also when workers crash over
	 * it twice; and with the signal's reason as soon as it aborts: a waiting task then never starts.
	 */
	run<T extends Task>(image: EncodedImage, task: T, signal?: AbortSignal): Promise<AnswerTo<T>> {
		return this.#places.run(() => this.#tryTwice(image, task, signal), signal);
	}

	/** Ends all workers; tasks under way and later ones reject. */
	async close(): Promise<void> {
		this.#isClosed = true;
		const workers = [...this.#workers];
		for (const worker of workers) worker.kill(closed());
		await Promise.all(workers.map(({ ended }) => ended));
	}

	async #tryTwice<T extends Task>(image: EncodedImage, task: T, signal?: AbortSignal) {
		try {
			return await this.#try(image, task, signal);
		} catch (error) {
			if (!(error instanceof Crash)) throw error;
		}
		signal?.throwIfAborted();
		try {
			return await this.#try(image, task, signal);
		} catch (cause) {
			throw cause instanceof Crash
				? new Refusal('E_IMAGE_UNREADABLE', undefined, { cause })
				: cause;
		}
	}

	async #try<T extends Task>(image: EncodedImage, task: T, signal?: AbortSignal) {
		if (this.#isClosed) throw closed();
		const worker = this.#rested() ?? this.#started();
		try {
			return await worker.run(image, task, signal);
		} finally {
			if (worker.isUsable) this.#rest(worker);
		}
	}

	#started(): Worker {
		const { file } = this.#options;
		const worker = new Worker(file, this.#options);
		this.#workers.add(worker);
		void worker.ended.then(() => {
			this.#workers.delete(worker);
			this.#wake(worker);
		});
		return worker;
	}

	#rest(worker: Worker): void {
		const timer = setTimeout(() => {
			this.#wake(worker);
			worker.kill();
		}, this.#options.idleMs);
		this.#idle.set(worker, timer.unref());
	}

	#rested(): Worker | undefined {
		for (const worker of this.#idle.keys()) {
			this.#wake(worker);
			if (worker.isUsable) return worker;
		}
		return undefined;
	}

	#wake(worker: Worker): void {
		clearTimeout(this.#idle.get(worker));
		this.#idle.delete(worker);
	}
}

function closed(): Error {
	return new Error('The image codec was stopped.');
}
