import { type Clock, type Logger, orAbort, plinthError } from '@plinth/core';
import { Semaphore } from '@plinth/toolkit';
import { RunFolder } from './folder.ts';
import { findProgram } from './path.ts';
import { Run, type RunOptions } from './run.ts';
import { Watchdog } from './watchdog.ts';

/** The options of a model that concern its runs. */
export interface RunsOptions extends Pick<RunOptions, 'env' | 'timeoutSeconds' | 'maxOutputBytes'> {
	readonly argv: readonly (string | readonly string[])[];
	/** Maximum concurrent runs. */
	readonly concurrency: number;
	/** Maximum queued requests; absent: no limit. */
	readonly waiting?: number;
}

/** The context of a model. */
export interface ModelContext {
	readonly services: { readonly clock: Clock };
	readonly log: Logger;
	onStop(task: () => Promise<void>): void;
}

/** The runs of one model, with limited concurrency and a bounded queue. They stop with the model. */
export class Runs {
	readonly #limits: RunsOptions;
	readonly #options: RunOptions;
	readonly #slots: Semaphore;
	readonly #guard = new Watchdog();
	readonly #open = new Set<Run>();
	readonly #stop = new AbortController();
	#admitted = 0;

	/** Throws when the program does not exist. */
	constructor(limits: RunsOptions, { services: { clock }, log, onStop }: ModelContext) {
		const [program = ''] = limits.argv.flat();
		const file = findProgram(program, limits.env.PATH ?? process.env.PATH);
		this.#limits = limits;
		this.#options = { ...limits, file, guard: this.#guard, clock, log };
		this.#slots = new Semaphore(limits.concurrency);
		onStop(() => this.stop());
	}

	/**
	 * Runs `work` and returns its result after the run has ended. Rejects at once on an abort or a failure,
	 * without waiting for the program, which keeps its slot until it has ended.
	 */
	async use<T>(signal: AbortSignal, work: (run: Run) => Promise<T>): Promise<T> {
		const run = await this.open(signal);
		try {
			const result = await orAbort(run.signal, work(run));
			await run.close();
			return result;
		} catch (error) {
			void run.close();
			throw error;
		}
	}

	/**
	 * Waits for a slot and creates a run with a folder. Rejects with the signal's reason, or with
	 * `E_MODEL_BUSY`, 429, when the queue is full.
	 */
	async open(signal: AbortSignal): Promise<Run> {
		const combined = AbortSignal.any([signal, this.#stop.signal]);
		const releaseSlot = await this.#acquireSlot(combined);
		try {
			const folder = await RunFolder.create();
			this.#guard.add(folder.name);
			const run = new Run(folder, combined, this.#options);
			this.#open.add(run);
			void run.closed.finally(() => {
				this.#open.delete(run);
				releaseSlot();
			});
			return run;
		} catch (error) {
			releaseSlot();
			throw error;
		}
	}

	/** Ends all runs, and waits until they have ended. */
	async stop(): Promise<void> {
		this.#stop.abort(plinthError('E_STOPPING'));
		await Promise.all([...this.#open].map(({ closed }) => closed));
		await this.#guard.stop();
	}

	/** Acquires a slot and returns a function that releases it. */
	async #acquireSlot(signal: AbortSignal): Promise<() => void> {
		const { concurrency, waiting = Number.POSITIVE_INFINITY } = this.#limits;
		if (this.#admitted >= concurrency + waiting) throw plinthError('E_MODEL_BUSY');
		this.#admitted++;
		const acquired = Promise.withResolvers<() => void>();
		const released = Promise.withResolvers<void>();
		void released.promise.then(() => this.#admitted--);
		const hold = () => {
			acquired.resolve(released.resolve);
			return released.promise;
		};
		// An abort removes a queued request, but does not release the slot of a running program.
		this.#slots.run(hold, signal).catch(acquired.reject);
		acquired.promise.catch(() => released.resolve());
		return acquired.promise;
	}
}
