import { Semaphore } from '../limits/semaphore.ts';
import { TaskProcess } from './child-process.ts';
import { Crash, OutOfMemory } from './failures.ts';
import type { ProcessOptions, TaskResponse, TaskRun } from './options.ts';

/** How many processes there are. */
export interface ProcessPoolOptions extends ProcessOptions {
	/** At most. */
	readonly workers: number;
	/** How many are kept although there is nothing to do; none unless set. */
	readonly warm?: number;
	/** How long the others are kept without work, in milliseconds. */
	readonly idleMs: number;
}

/**
 * Does tasks in processes of their own, so that their memory and time are bounded and native code that crashes takes nothing with it.
 * The processes start when they are needed and end when they are not.
 */
export class ProcessPool {
	readonly #options: ProcessPoolOptions;
	readonly #slots: Semaphore;
	readonly #processes = new Set<TaskProcess>();
	readonly #idle = new Map<TaskProcess, NodeJS.Timeout>();
	#isKeptWarm = false;
	#isClosed = false;

	constructor(options: ProcessPoolOptions) {
		this.#options = options;
		this.#slots = new Semaphore(options.workers);
	}

	/** Of the processes that there are now. */
	get pids(): readonly number[] {
		return [...this.#processes].flatMap(({ pid }) => pid ?? []);
	}

	/** Starts what is kept warm, now and whenever one of them ends. */
	keepWarm(): void {
		this.#isKeptWarm = true;
		while (this.#needsWarmProcess()) {
			try {
				this.#addIdle(this.#startProcess());
			} catch {
				// For want of file descriptors: the next task tries again, and says so.
				return;
			}
		}
	}

	/**
	 * Does a task as soon as a process is free. Rejects with a `Refusal` where the child refuses it, with `Overtime` or `OutOfMemory`, with
	 * a `Crash` when processes crash over it twice; and with the signal's reason as soon as it aborts: a waiting task then never starts.
	 */
	run(task: unknown, run: TaskRun = {}): Promise<TaskResponse> {
		return this.#slots.run(() => this.#runWithRetry(task, run), run.signal);
	}

	/** Ends all processes; tasks under way and later ones reject. */
	async close(): Promise<void> {
		this.#isClosed = true;
		const processes = [...this.#processes];
		for (const process of processes) process.kill(this.#closedError());
		await Promise.all(processes.map(({ ended }) => ended));
	}

	/** What crashes is tried once more; so is what finds no memory beside what earlier tasks have left: in a new process, whose memory is its own. */
	async #runWithRetry(task: unknown, run: TaskRun): Promise<TaskResponse> {
		if (this.#isClosed) throw this.#closedError();
		const process = this.#takeIdle() ?? this.#startProcess();
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
			// One that does not even start would not do so the next time either.
			if (this.#isKeptWarm && process.hasStarted) this.keepWarm();
		});
		return process;
	}

	#needsWarmProcess(): boolean {
		const { warm = 0, workers } = this.#options;
		return !this.#isClosed && this.#usable() < Math.min(warm, workers);
	}

	/** How many there are without those that are about to end. */
	#usable(): number {
		return [...this.#processes].filter(({ isUsable }) => isUsable).length;
	}

	#addIdle(process: TaskProcess): void {
		const timer = setTimeout(() => {
			const { warm = 0 } = this.#options;
			if (this.#isKeptWarm && this.#usable() <= warm) return;
			this.#removeIdle(process);
			process.kill();
		}, this.#options.idleMs);
		this.#idle.set(process, timer.unref());
	}

	#takeIdle(): TaskProcess | undefined {
		for (const process of this.#idle.keys()) {
			this.#removeIdle(process);
			if (process.isUsable) return process;
		}
		return undefined;
	}

	#removeIdle(process: TaskProcess): void {
		clearTimeout(this.#idle.get(process));
		this.#idle.delete(process);
	}

	#closedError(): Error {
		return new Error(`The ${this.#options.name} was stopped.`);
	}
}
