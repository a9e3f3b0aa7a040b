import { type ModelContext, orAbort, plinthError, type services } from '@plinth/core';
import { Semaphore } from '@plinth/toolkit';
import type { Template } from '../protocol/argv.ts';
import type { ProgramOptions } from '../protocol/options.ts';
import { RunFolder } from './folder.ts';
import { findProgram } from './path.ts';
import { Run, type RunOptions } from './run.ts';
import { Watchdog } from './watchdog.ts';

/** The options of a model that concern its runs. Without `waiting`, the queue has no limit. */
export type RunsOptions = { readonly argv: Template } & Omit<ProgramOptions, 'waiting'> &
	Partial<Pick<ProgramOptions, 'waiting'>>;

/** The context of a model. */
export type Context = Pick<ModelContext<unknown, { clock: typeof services.clock }>, 'services' | 'log' | 'onStop'>;

/** The runs of one model, with limited concurrency and a bounded queue. They stop with the model. */
export class Runs {
	readonly #options: RunOptions & RunsOptions;
	readonly #slots: Semaphore;
	readonly #watchdog = new Watchdog();
	readonly #open = new Set<Run>();
	readonly #stop = new AbortController();
	#admitted = 0;

	/** Throws when the program does not exist. */
	constructor(options: RunsOptions, { services: { clock }, log, onStop }: Context) {
		const [program = ''] = options.argv.flat();
		const file = findProgram(program, options.env.PATH ?? process.env.PATH);
		this.#options = { ...options, file, watchdog: this.#watchdog, clock, log };
		this.#slots = new Semaphore(options.concurrency);
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
	 * Waits for a slot, which the run keeps until its program has ended, and creates a run with a folder. Rejects with
	 * the signal's reason, or with `E_MODEL_BUSY`, 429, when the queue is full.
	 */
	async open(signal: AbortSignal): Promise<Run> {
		const { concurrency, waiting = Number.POSITIVE_INFINITY } = this.#options;
		if (this.#admitted >= concurrency + waiting) throw plinthError('E_MODEL_BUSY');
		this.#admitted++;
		const combined = AbortSignal.any([signal, this.#stop.signal]);
		let release = () => {};
		const freeSlot = () => {
			this.#admitted--;
			release();
		};
		try {
			release = await this.#slots.acquire(combined);
			const folder = await RunFolder.create();
			this.#watchdog.add(folder.name);
			const run = new Run(folder, combined, this.#options);
			this.#open.add(run);
			void run.closed.finally(() => {
				this.#open.delete(run);
				freeSlot();
			});
			return run;
		} catch (error) {
			freeSlot();
			throw error;
		}
	}

	/** Ends all runs, and waits until they have ended. */
	async stop(): Promise<void> {
		this.#stop.abort(plinthError('E_STOPPING'));
		await Promise.all([...this.#open].map(({ closed }) => closed));
		await this.#watchdog.stop();
	}
}
