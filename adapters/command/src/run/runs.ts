import { type Clock, type Logger, orAbort, plinthError } from '@plinth/core';
import { Semaphore } from '@plinth/toolkit';
import { RunFolder } from './folder.ts';
import { findProgram } from './path.ts';
import { Run } from './run.ts';
import { Watchdog } from './watchdog.ts';

/** The options of a model, as far as they concern its runs. */
export interface RunsOptions {
	readonly argv: readonly (string | readonly string[])[];
	readonly env: Readonly<Record<string, string>>;
	readonly timeoutSeconds: number;
	readonly maxOutputBytes: number;
	/** At the same time. */
	readonly concurrency: number;
	/** Most requests that wait beyond those; absent: any number. */
	readonly waiting?: number;
}

/** Where a model lives. */
export interface ModelContext {
	readonly services: { readonly clock: Clock };
	readonly log: Logger;
	onStop(task: () => Promise<void>): void;
}

/** Prepares the runs of a model, and ends them with it. Throws where there is no such program. */
export function createRuns(options: RunsOptions, { services, log, onStop }: ModelContext): Runs {
	const [program = ''] = options.argv.flat();
	const file = findProgram(program, options.env.PATH ?? process.env.PATH);
	const runs = new Runs(file, options, services.clock, log);
	onStop(() => runs.stop());
	return runs;
}

/** The runs of one model: at most so many at a time, the others in a line of bounded length. */
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
	 * Does all the work of a run and returns what it made, when nothing else is left of it. Rejects at once with an abort or a failure, and
	 * nobody waits for a program that goes on: it keeps its place in the line until it has ended.
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

	/** Waits for a turn, and makes a run with a folder. Rejects with the signal's reason, or with `E_MODEL_BUSY`, 429, where the line is full. */
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

	/** Ends all runs, and waits until nothing is left of them. */
	async stop(): Promise<void> {
		this.#stop.abort(plinthError('E_STOPPING'));
		await Promise.all([...this.#open].map(({ closed }) => closed));
		await this.#guard.stop();
	}

	/** A place in the line, and what gives it back. */
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
		// An abort takes a place in the line away, but not that of a program which still runs.
		this.#slots.run(hold, signal).catch(acquired.reject);
		return acquired.promise.catch((error) => {
			this.#admitted--;
			throw error;
		});
	}
}
