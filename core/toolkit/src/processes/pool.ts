import { Semaphore } from '../limits/semaphore.ts';
import { TaskProcess } from './child-process.ts';
import { Crash, OutOfMemory } from './failures.ts';
import type { ProcessOptions, TaskResponse, TaskRun } from './options.ts';

/** Size of the pool. */
export interface ProcessPoolOptions extends ProcessOptions {
	/** Maximum number of processes. */
	readonly workers: number;
	/** How long a process is kept without work, in milliseconds. */
	readonly idleMs: number;
	/**
	 * How long a task waits for a running process before another one starts, in milliseconds; 0 by default. A process
	 * may take longer to start than a task takes, and keeps its memory until it ends.
	 */
	readonly waitMs?: number;
}

/**
 * Runs tasks in child processes, so that their memory and time are bounded and a crash of native code stays
 * contained. Processes start and end on demand.
 */
export class ProcessPool {
	readonly #options: ProcessPoolOptions;
	readonly #slots: Semaphore;
	readonly #processes = new Set<TaskProcess>();
	readonly #idle = new Map<TaskProcess, NodeJS.Timeout>();
	/** One function for each task that waits for a process: a call ends the wait. */
	#waiting: (() => void)[] = [];
	#isClosed = false;

	constructor(options: ProcessPoolOptions) {
		this.#options = options;
		this.#slots = new Semaphore(options.workers);
	}

	/** The ids of the running processes. */
	get pids(): readonly number[] {
		return [...this.#processes].flatMap(({ pid }) => pid ?? []);
	}

	/**
	 * Runs a task as soon as a process is free. Rejects with a `Refusal` when the child refuses it, with
	 * `TaskTimeout` or `OutOfMemory`, and with a `Crash` when it crashes two processes. Rejects with the
	 * signal's reason as soon as it aborts: a waiting task then never starts.
	 */
	run(task: unknown, run: TaskRun = {}): Promise<TaskResponse> {
		return this.#slots.run(() => this.#runWithRetry(task, run), run.signal);
	}

	/** Kills all processes; running and later tasks reject. */
	async close(): Promise<void> {
		this.#isClosed = true;
		const processes = [...this.#processes];
		for (const process of processes) process.kill(this.#closedError());
		await Promise.all(processes.map(({ ended }) => ended));
	}

	/**
	 * Retries a crash once, in a new process. Also retries when memory ran out in a process that had run earlier tasks.
	 */
	async #runWithRetry(task: unknown, run: TaskRun): Promise<TaskResponse> {
		let idle = this.#takeIdle();
		if (!idle && this.#options.waitMs && this.#usable() > 0) idle = await this.#waitForIdle(this.#options.waitMs);
		if (!idle) run.signal?.throwIfAborted();
		if (this.#isClosed) throw this.#closedError();
		const process = idle ?? this.#startProcess();
		const { isUsed } = process;
		try {
			return await this.#runIn(process, task, run);
		} catch (error) {
			const isFinal = !(error instanceof Crash || (error instanceof OutOfMemory && isUsed));
			if (isFinal) throw error;
		}
		run.signal?.throwIfAborted();
		if (this.#isClosed) throw this.#closedError();
		if (this.#usable() >= this.#options.workers) this.#takeIdle()?.kill();
		return await this.#runIn(this.#startProcess(), task, run);
	}

	async #runIn(process: TaskProcess, task: unknown, run: TaskRun): Promise<TaskResponse> {
		try {
			return await process.run(task, run);
		} finally {
			if (process.isUsable) this.#addIdle(process);
		}
	}

	#startProcess(): TaskProcess {
		const process = new TaskProcess(this.#options);
		this.#processes.add(process);
		void process.ended.then(() => {
			this.#processes.delete(process);
			this.#removeIdle(process);
			this.#waiting.shift()?.();
		});
		return process;
	}

	/** The number of processes that are not about to end. */
	#usable(): number {
		return [...this.#processes].filter(({ isUsable }) => isUsable).length;
	}

	#addIdle(process: TaskProcess): void {
		const timer = setTimeout(() => {
			this.#removeIdle(process);
			process.kill();
		}, this.#options.idleMs);
		this.#idle.set(process, timer.unref());
		this.#waiting.shift()?.();
	}

	/** Takes the process that was used last, so that the others end when one is enough. */
	#takeIdle(): TaskProcess | undefined {
		for (const process of [...this.#idle.keys()].reverse()) {
			this.#removeIdle(process);
			if (process.isUsable) return process;
		}
		return undefined;
	}

	/** Waits at most `ms` until a process becomes idle or ends. */
	async #waitForIdle(ms: number): Promise<TaskProcess | undefined> {
		const { promise, resolve } = Promise.withResolvers<void>();
		const timer = setTimeout(resolve, ms);
		this.#waiting.push(resolve);
		await promise;
		clearTimeout(timer);
		this.#waiting = this.#waiting.filter((other) => other !== resolve);
		return this.#takeIdle();
	}

	#removeIdle(process: TaskProcess): void {
		clearTimeout(this.#idle.get(process));
		this.#idle.delete(process);
	}

	#closedError(): Error {
		return new Error(`The ${this.#options.name} was stopped.`);
	}
}
