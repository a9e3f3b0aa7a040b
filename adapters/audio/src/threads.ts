import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type Clock, modelError, plinthError } from '@plinth/core';
import type { Tinypool } from 'tinypool';
import type { EncodingResponse, EncodingTask } from './messages.ts';

/** Options of the threads. */
export interface ThreadsOptions {
	readonly clock: Clock;
	/** The module of a thread. */
	readonly file: URL;
	/** Maximum number of threads. */
	readonly threads: number;
	/** Maximum number of encodings at the same time, of all threads together. */
	readonly concurrency: number;
	/** Timeout of a response, in milliseconds; all threads are then terminated, and new ones start. */
	readonly responseTimeoutMs: number;
	/** How long an idle thread is kept, in milliseconds. */
	readonly idleMs: number;
}

/** Threads that encode streams. They start and end on demand. */
export class Threads {
	readonly #options: ThreadsOptions;
	#loading: Promise<Tinypool> | undefined;
	#pool: Tinypool | undefined;
	#isStopped = false;

	constructor(options: ThreadsOptions) {
		this.#options = options;
	}

	/** Number of threads. */
	get size(): number {
		return this.#pool?.threads.length ?? 0;
	}

	/** Begins an encoding. Rejects with `E_STOPPING` after `stop`. */
	async open(settings: EncodingTask['settings']): Promise<Encoding> {
		this.#loading ??= this.#load();
		const pool = await this.#loading;
		if (this.#isStopped) throw plinthError('E_STOPPING');
		const { port1, port2: port } = new MessageChannel();
		const task: EncodingTask = { settings, port };
		// Without a signal: a task that has one gets a thread of its own.
		const run = pool.run(task, { transferList: [port] });
		const encoding = new Encoding(port1, this.#options, () => this.#giveUp(pool));
		run.catch((cause: unknown) =>
			encoding.fail(
				this.#isStopped
					? plinthError('E_STOPPING')
					: modelError('The audio codec stopped unexpectedly. Try again.', cause),
			),
		);
		return encoding;
	}

	/** Ends all threads; running and later encodings reject with `E_STOPPING`. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		await (await this.#loading)?.destroy();
	}

	#giveUp(pool: Tinypool): void {
		if (this.#pool === pool) this.#loading = undefined;
		void pool.destroy();
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
			// Else a thread would sleep while its encodings wait for samples.
			useAtomics: false,
			// Without those of the process: a thread needs no conditions, and `--eval` or `--inspect` would conflict.
			execArgv: [],
			// Small: the large buffers of a thread lie outside its heap.
			resourceLimits: { maxYoungGenerationSizeMb: 4 },
		});
		// Of a thread that fails while it is idle. Without a listener it would end the process.
		this.#pool.on('error', () => {});
		return this.#pool;
	}
}

type EncodingOptions = Pick<ThreadsOptions, 'clock' | 'responseTimeoutMs'>;

/** One stream that is being encoded. Calls do not overlap. */
export class Encoding {
	readonly #port: MessagePort;
	readonly #options: EncodingOptions;
	readonly #giveUp: () => void;
	#cancelTimer: () => void = () => {};
	#reject: (error: Error) => void = () => {};
	#error: Error | undefined;

	constructor(port: MessagePort, options: EncodingOptions, giveUp: () => void) {
		this.#port = port;
		this.#options = options;
		this.#giveUp = giveUp;
	}

	/** Rejects the call under way and all later ones. */
	fail(error: Error): void {
		this.#error = error;
		this.#reject(error);
	}

	/** Encodes s16le samples, whose buffer is transferred; `null` ends it. Rejects with `E_MODEL_FAILED`. */
	async push(samples: Uint8Array<ArrayBuffer> | null): Promise<Uint8Array> {
		if (this.#error) throw this.#error;
		const { clock, responseTimeoutMs } = this.#options;
		this.#cancelTimer = clock.after(responseTimeoutMs, this.#giveUp);
		const { promise, resolve, reject } = Promise.withResolvers<EncodingResponse>();
		this.#port.once('message', resolve);
		this.#reject = reject;
		this.#port.postMessage(samples, samples ? [samples.buffer] : []);
		try {
			const response = await promise;
			if ('failure' in response) throw modelError('The audio could not be encoded.', response.failure);
			return response;
		} finally {
			this.#cancelTimer();
		}
	}

	/** Ends it at any time. */
	close(): void {
		this.#cancelTimer();
		this.#port.close();
	}
}
