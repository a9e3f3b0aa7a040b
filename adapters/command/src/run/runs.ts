import { type Clock, type Logger, orAbort, plinthError } from '@plinth/core';
import { Semaphore } from '@plinth/toolkit';
import { RunFolder } from './folder.ts';
import { findProgram } from './path.ts';
import { Run } from './run.ts';
import { Watchdog } from './watchdog.ts';

/** The options of a model that concern its runs. */
export interface RunsOptions {
	readonly argv: readonly (string | readonly string[])[];
	readonly env: Readonly<Record<string, string>>;
	readonly timeoutSeconds: number;
	readonly maxOutputBytes: number;
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

/** Creates the runs of a model, and stops them with it. Throws when the program does not exist. */
export function createRuns(options: RunsOptions, { services, log, onStop }: ModelContext): Runs {
	const [program = ''] = options.argv.flat();
	const file = findProgram(program, options.env.PATH ?? process.env.PATH);
	const runs = new Runs(file, options, services.clock, log);
	onStop(() => runs.stop());
	return runs;
}

/** The runs of one model, with limited concurrency and a bounded queue. */
export class Runs {
	readonly #file: string;
	readonly #options: RunsOptions;
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #slots: Semaphore;
	readonly #guard = new Watchdog();
	readonly #open = new Set<Run>();
	readonly #stop = new AbortController();
	#admitted = 0;

	constructor(file: string, options: RunsOptions, clock: Clock, log: Logger) {
		this.#file = file;
		this.#options = options;
		this.#clock = clock;
		this.#log = log;
		this.#slots = new Semaphore(options.concurrency);
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
			const run = new Run(folder, combined, {
				...this.#options,
				file: this.#file,
				guard: this.#guard,
				clock: this.#clock,
				log: this.#log,
			});
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
		const { concurrency, waiting = Number.POSITIVE_INFINITY } = this.#options;
		if (this.#admitted >= concurrency + waiting) throw plinthError('E_MODEL_BUSY');
		this.#admitted++;
		const acquired = Promise.withResolvers<() => void>();
		const released = Promise.withResolvers<void>();
		const hold = () => {
			acquired.resolve(released.resolve);
			return released.promise.finally(() => this.#admitted--);
		};
		// An abort removes a queued request, but does not release the slot of a running program.
		this.#slots.run(hold, signal).catch(acquired.reject);
		return acquired.promise.catch((error) => {
			this.#admitted--;
			throw error;
		});
	}
}
