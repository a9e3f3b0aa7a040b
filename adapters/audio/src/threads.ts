import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { type Clock, modelError, orAbort, plinthError } from '@plinth/core';
import { Semaphore } from '@plinth/toolkit';
import type { Tinypool } from 'tinypool';
import type { EncodingResponse, EncodingTask } from './encoding.ts';

/** Options of the threads. */
export interface ThreadsOptions {
	readonly clock: Clock;
	/** The module of a thread. */
	readonly file: URL;
	/** Maximum number of threads. */
	readonly threads: number;
	/** Maximum number of encodings at the same time, of all threads together; the others wait. */
	readonly concurrency: number;
	/** Timeout of a response, in milliseconds; all threads are then terminated, and new ones start. */
	readonly responseTimeoutMs: number;
	/** How long an idle thread is kept, in milliseconds. */
	readonly idleMs: number;
}

/** One stream that is being encoded, or a file that is being decoded. Calls do not overlap. */
export interface Encoding {
	/**
	 * Encodes s16le samples, whose buffer is transferred. `null` ends it, or requests a decoded block. Rejects with
	 * `E_MODEL_FAILED`, or with the signal's reason.
	 */
	push(samples: Uint8Array<ArrayBuffer> | null): Promise<Uint8Array<ArrayBuffer>>;
	/** Ends it. May be called at any time. */
	close(): void;
}

/** Threads that encode streams. They start and end on demand. */
export class Threads {
	readonly #options: ThreadsOptions;
	readonly #slots: Semaphore;
	#loading: Promise<Tinypool> | undefined;
	#pool: Tinypool | undefined;
	#isStopped = false;

	constructor(options: ThreadsOptions) {
		this.#options = options;
		this.#slots = new Semaphore(options.concurrency);
	}

	/** Number of threads. */
	get size(): number {
		return this.#pool?.threads.length ?? 0;
	}

	/** Starts an encoding as soon as a slot is free. */
	async open(settings: EncodingTask['settings'], signal: AbortSignal): Promise<Encoding> {
		const { clock, responseTimeoutMs } = this.#options;
		const release = await this.#slots.acquire(signal);
		this.#loading ??= this.#load();
		const pool = this.#loading;
		const { port1, port2: port } = new MessageChannel();
		const failure = new AbortController();
		this.#run(pool, { settings, port }).catch((error: Error) => failure.abort(error));
		const ended = AbortSignal.any([signal, failure.signal]);
		return {
			push: async (samples) => {
				const cancelTimer = clock.after(responseTimeoutMs, () => void this.#discard(pool));
				port1.postMessage(samples, samples ? [samples.buffer] : []);
				const [response] = (await orAbort(ended, once(port1, 'message')).finally(cancelTimer)) as [EncodingResponse];
				if ('failure' in response) throw modelError('The audio could not be encoded.', response.failure);
				return response;
			},
			close() {
				port1.close();
				release();
			},
		};
	}

	/** Ends all threads; running and later encodings reject with `E_STOPPING`. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		await (await this.#loading)?.destroy();
	}

	async #run(pool: Promise<Tinypool>, task: EncodingTask): Promise<void> {
		try {
			if (this.#isStopped) throw new Error('The threads have ended.');
			// Without a signal, because tinypool runs a task with a signal in a thread of its own.
			await (await pool).run(task, { transferList: [task.port] });
		} catch (cause) {
			if (this.#isStopped) throw plinthError('E_STOPPING');
			throw modelError('The audio codec stopped unexpectedly. Try again.', cause);
		}
	}

	async #discard(pool: Promise<Tinypool>): Promise<void> {
		if (this.#loading === pool) this.#loading = undefined;
		await (await pool).destroy();
	}

	async #load(): Promise<Tinypool> {
		const { Tinypool } = await import('tinypool');
		const { file, threads, concurrency, idleMs } = this.#options;
		this.#pool = new Tinypool({
			filename: file.href,
			runtime: 'worker_threads',
			minThreads: 0,
			maxThreads: threads,
			concurrentTasksPerWorker: Math.ceil(concurrency / threads),
			idleTimeout: idleMs,
			// With atomics, a thread would sleep while its encodings wait for samples.
			useAtomics: false,
			// Not the flags of the process: a thread needs no conditions, and `--eval` or `--inspect` would conflict.
			execArgv: [],
			// Small, because the large buffers of a thread are outside its heap.
			resourceLimits: { maxYoungGenerationSizeMb: 4 },
		});
		// A thread that fails while idle emits an error, which would end the process without a listener.
		this.#pool.on('error', () => {});
		return this.#pool;
	}
}
