import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { modelError, orAbort, plinthError } from '@plinth/core';
import { Semaphore } from '@plinth/toolkit';
import type { Tinypool } from 'tinypool';

/** Options of the threads. */
export interface ThreadsOptions {
	/** The module of a thread. Its default export comes from `serveJobs`. */
	readonly file: URL;
	/** Maximum number of threads. */
	readonly threads?: number | undefined;
	/** How long an idle thread is kept, in milliseconds; ten seconds by default. */
	readonly idleMs?: number | undefined;
}

/** Options of a job. */
export interface JobOptions<Report> {
	/** Ends the thread in the middle of the job. */
	readonly signal?: AbortSignal | undefined;
	/** Buffers that are moved to the thread, not copied. */
	readonly transfer?: readonly ArrayBuffer[];
	onReport?(report: Report): void;
}

/** The message to a thread. */
export interface ThreadTask<Job> {
	readonly job: Job;
	readonly port: MessagePort;
}

/** Threads that run one job each. They start and end on demand, and do not keep the process alive when idle. */
export class Threads<Job, Result, Report = never> {
	readonly #file: URL;
	readonly #idleMs: number;
	readonly #slots: Semaphore;
	/** Pools of one thread each. A larger pool could give a waiting job to a thread that an abort is ending. */
	readonly #pools = new Set<Tinypool>();
	readonly #idle = new Set<Tinypool>();
	/** The errors of threads that failed before their first job, or while idle. */
	readonly #failures = new WeakMap<Tinypool, unknown>();
	#isStopped = false;

	constructor({ file, threads = Math.min(4, availableParallelism()), idleMs = 10_000 }: ThreadsOptions) {
		this.#file = file;
		this.#idleMs = idleMs;
		this.#slots = new Semaphore(threads);
	}

	/**
	 * Rejects with the signal's reason as soon as it aborts, and with `E_STOPPING` after `close`. The slot of an aborted
	 * job is free when its thread has ended.
	 */
	run(job: Job, options: JobOptions<Report> = {}): Promise<Result> {
		const { signal } = options;
		const result = this.#slots.run(() => this.#run(job, options), signal);
		return signal ? orAbort(signal, result) : result;
	}

	async #run(job: Job, { signal, transfer = [], onReport }: JobOptions<Report>): Promise<Result> {
		const pool = await this.#takePool();
		const { port1, port2: port } = new MessageChannel();
		port1.on('message', (report: Report) => {
			if (!signal?.aborted) onReport?.(report);
		});
		port1.unref();
		const end = () => this.#end(pool);
		// The pool does not detect a thread that ends by `process.exit`, but the thread's port closes.
		port1.on('close', end);
		signal?.addEventListener('abort', end);
		try {
			signal?.throwIfAborted();
			const task: ThreadTask<Job> = { job, port };
			const result = await pool.run(task, { transferList: [port, ...transfer] });
			this.#idle.add(pool);
			return result;
		} catch (cause) {
			end();
			signal?.throwIfAborted();
			if (this.#isStopped) throw plinthError('E_STOPPING');
			throw modelError('The model stopped unexpectedly. Try again.', this.#failures.get(pool) ?? cause);
		} finally {
			port1.off('close', end);
			port1.close();
			signal?.removeEventListener('abort', end);
		}
	}

	/** Ends all threads; running and later jobs reject with `E_STOPPING`. */
	async close(): Promise<void> {
		this.#isStopped = true;
		const pools = [...this.#pools];
		this.#pools.clear();
		await Promise.all(pools.map((pool) => pool.destroy()));
	}

	async #takePool(): Promise<Tinypool> {
		const { Tinypool } = await import('tinypool');
		if (this.#isStopped) throw plinthError('E_STOPPING');
		// The thread that was used last, so that the others end when one is enough.
		const idle = [...this.#idle].at(-1);
		if (idle) {
			this.#idle.delete(idle);
			return idle;
		}
		const pool = new Tinypool({
			filename: this.#file.href,
			runtime: 'worker_threads',
			minThreads: 0,
			maxThreads: 1,
			idleTimeout: this.#idleMs,
			// Not the flags of the process: a thread needs no conditions, and `--eval` or `--inspect` would conflict.
			execArgv: [],
			// Small, because the large buffers of a thread are outside its heap.
			resourceLimits: { maxYoungGenerationSizeMb: 4 },
		});
		this.#pools.add(pool);
		pool.on('error', (error) => {
			this.#failures.set(pool, error);
			this.#end(pool);
		});
		return pool;
	}

	/** Ends the thread of a pool. Its job, if any, rejects. */
	#end(pool: Tinypool): void {
		this.#idle.delete(pool);
		if (this.#pools.delete(pool)) void pool.destroy();
	}
}

/** The module of a thread, next to the module with this `import.meta.url`: the source or the built file. */
export function threadFile(moduleUrl: string, name = './worker'): URL {
	return new URL(moduleUrl.endsWith('.ts') ? `${name}.ts` : `${name}.js`, moduleUrl);
}
