import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { modelError, plinthError } from '@plinth/core';
import { Semaphore } from '@plinth/toolkit';
import type { Tinypool } from 'tinypool';

/** How long the end of a thread is awaited, and of one that may not have had the job yet. In milliseconds. */
const endMs = 5_000;
const unknownEndMs = 250;

/** Options of the threads. */
export interface ThreadsOptions {
	/** The module of a thread. Its default export comes from `serveJobs`. */
	readonly file: URL;
	/** Maximum number of threads. */
	readonly threads?: number | undefined;
	/** How long an idle thread is kept, in milliseconds; ten seconds by default. */
	readonly idleMs?: number | undefined;
}

/** What a caller adds to a job. */
export interface JobOptions<Report> {
	/** Ends the thread in the middle of the job. */
	readonly signal?: AbortSignal | undefined;
	/** Buffers that are moved to the thread, not copied. */
	readonly transfer?: readonly ArrayBuffer[];
	onReport?(report: Report): void;
}

/** What a thread receives. */
export interface ThreadTask<Job> {
	readonly job: Job;
	readonly port: MessagePort;
}

/** Threads that run one job each. They start and end on demand, and do not keep the process alive when idle. */
export class Threads<Job, Result, Report = never> {
	readonly #file: URL;
	readonly #threads: number;
	readonly #idleMs: number;
	/** Tinypool starts no thread for the jobs in its own queue when an abort has ended the last one. */
	readonly #slots: Semaphore;
	/** Threads that an abort is ending. Until then, the pool may give them a job that waits for a new thread. */
	readonly #ending = new Set<Promise<unknown>>();
	#loading: Promise<Tinypool> | undefined;
	/** The error that made a pool unusable. */
	readonly #failures = new WeakMap<Tinypool, unknown>();
	#isStopped = false;

	constructor({ file, threads = Math.min(4, availableParallelism()), idleMs = 10_000 }: ThreadsOptions) {
		this.#file = file;
		this.#threads = threads;
		this.#idleMs = idleMs;
		this.#slots = new Semaphore(threads);
	}

	/** Rejects with the signal's reason as soon as it aborts, and with `E_STOPPING` after `close`. */
	run(job: Job, options: JobOptions<Report> = {}): Promise<Result> {
		return this.#slots.run(() => this.#run(job, options), options.signal);
	}

	async #run(job: Job, { signal, transfer = [], onReport }: JobOptions<Report>): Promise<Result> {
		this.#loading ??= this.#load();
		const pool = await this.#loading;
		await Promise.all(this.#ending);
		signal?.throwIfAborted();
		if (this.#isStopped) throw plinthError('E_STOPPING');
		const { port1, port2: port } = new MessageChannel();
		let [isTaken, isEnding] = [false, false];
		port1.on('message', (report: Report | null) => {
			isTaken = true;
			if (report !== null && !signal?.aborted) onReport?.(report);
		});
		port1.unref();
		// The pool does not detect a thread that ends by `process.exit`, but the thread's port closes.
		const ended = new AbortController();
		const onClose = () => ended.abort();
		port1.on('close', onClose);
		const task: ThreadTask<Job> = { job, port };
		const either = AbortSignal.any([ended.signal, ...(signal ? [signal] : [])]);
		try {
			return await pool.run(task, { transferList: [port, ...transfer], signal: either });
		} catch (cause) {
			isEnding = !ended.signal.aborted && (cause as Error).name === 'AbortError';
			signal?.throwIfAborted();
			if (this.#isStopped) throw plinthError('E_STOPPING');
			throw modelError('The model stopped unexpectedly. Try again.', this.#failures.get(pool) ?? cause);
		} finally {
			port1.off('close', onClose);
			if (isEnding) this.#awaitEnd(port1, isTaken ? endMs : unknownEndMs);
			else port1.close();
		}
	}

	/** The port of a thread closes when the thread has ended. */
	#awaitEnd(port: MessagePort, ms: number): void {
		const end = once(port, 'close', { signal: AbortSignal.timeout(ms) })
			.catch(() => port.close())
			.finally(() => this.#ending.delete(end));
		this.#ending.add(end);
	}

	/** Ends all threads; running and later jobs reject with `E_STOPPING`. */
	async close(): Promise<void> {
		this.#isStopped = true;
		await (await this.#loading)?.destroy();
	}

	async #load(): Promise<Tinypool> {
		const { Tinypool } = await import('tinypool');
		const pool = new Tinypool({
			filename: this.#file.href,
			runtime: 'worker_threads',
			minThreads: 0,
			maxThreads: this.#threads,
			idleTimeout: this.#idleMs,
			// Not those of the process: a thread needs no conditions, and `--eval` or `--inspect` would conflict.
			execArgv: [],
			// Small: the large buffers of a thread lie outside its heap.
			resourceLimits: { maxYoungGenerationSizeMb: 4 },
		});
		// A thread failed before its first job, or while it was idle. The pool would never run its waiting jobs.
		pool.on('error', (error) => {
			this.#failures.set(pool, error);
			this.#loading = undefined;
			void pool.destroy();
		});
		return pool;
	}
}

/** The module of a thread beside the module with this `import.meta.url`: a source, or the built file. */
export function threadFile(moduleUrl: string, name = './worker'): URL {
	return new URL(moduleUrl.endsWith('.ts') ? `${name}.ts` : `${name}.js`, moduleUrl);
}
