import { Worker } from 'node:worker_threads';
import type { Logger } from '@plinth/core';
import { toError, unavailable, uncopyable } from '../errors.ts';
import type { Connection } from './connection.ts';
import type { Command, Outcome } from './group.ts';
import type { Commands, FromWriter, ToWriter, WriterData } from './writer.ts';

/** The input of a command. */
export type InputOf<N extends keyof Commands> = Commands[N] extends (connection: Connection, input: infer I) => unknown
	? I
	: never;

interface Waiting {
	readonly command: Command;
	resolve(value: unknown): void;
	reject(error: unknown): void;
}

const writerFile = new URL(import.meta.url.endsWith('.ts') ? './writer.ts' : './writer.js', import.meta.url);

/**
 * Sends commands to the writer thread of one file. Commands of one turn of the event loop form a group; commands that
 * arrive while a group commits form the next. If the thread ends unexpectedly, the commands of its group reject with
 * `E_STORE_UNAVAILABLE`, and the next group starts a new thread.
 */
export class WriterClient {
	readonly #file: string;
	readonly #log: Logger;
	#worker: Worker | undefined;
	#opening: Promise<void> | undefined;
	#waiting: Waiting[] = [];
	#committing: Waiting[] = [];
	#scheduled = false;
	#closed = false;
	#idle: (() => void)[] = [];
	/** Number of groups sent so far. */
	groups = 0;

	constructor(file: string, log: Logger) {
		this.#file = file;
		this.#log = log;
	}

	/** Starts the thread unless it is starting. It opens the file and migrates it to the current schema. */
	open(): Promise<void> {
		this.#opening ??= this.#start().finally(() => {
			this.#opening = undefined;
		});
		return this.#opening;
	}

	async #start(): Promise<void> {
		const worker = new Worker(writerFile, {
			workerData: { file: this.#file } satisfies WriterData,
			name: 'plinth-sqlite-writer',
			// Flags of the process, such as `--input-type`, may be invalid for a file. Node 22 prints its warning about
			// SQLite in the main thread already.
			execArgv: ['--disable-warning=ExperimentalWarning'],
		});
		await new Promise<void>((resolve, reject) => {
			const fail = (error: unknown): void => {
				reject(error);
				this.#handleLoss(worker, error);
			};
			worker.on('message', (message: FromWriter) => {
				if ('outcomes' in message) this.#settle(message.outcomes);
				else if (message.opened) resolve();
				else reject(toError(message.failure, this.#file));
			});
			worker.on('error', fail);
			worker.on('exit', (code) => fail(new Error(`The writer thread ended (${code}).`)));
		});
		worker.unref();
		this.#worker = worker;
	}

	/**
	 * Resolves with the command's value once its group is durable. Rejects with `E_STORE_UNAVAILABLE` once `close`
	 * was called.
	 */
	write<N extends keyof Commands>(name: N, input: InputOf<N>): Promise<ReturnType<Commands[N]>> {
		return new Promise((resolve, reject) => {
			if (this.#closed) {
				reject(unavailable(this.#file, new Error('The store was closed.')));
				return;
			}
			this.#waiting.push({
				command: { name, input },
				resolve: resolve as (value: unknown) => void,
				reject,
			});
			this.#schedule();
		});
	}

	/** Commits the waiting commands, closes the file and ends the thread. */
	async close(): Promise<void> {
		this.#closed = true;
		while (this.#waiting.length > 0 || this.#committing.length > 0) {
			await new Promise<void>((resolve) => this.#idle.push(resolve));
		}
		await this.#opening?.catch(() => {});
		const worker = this.#worker;
		this.#worker = undefined;
		if (!worker) return;
		const ended = new Promise((resolve) => worker.once('exit', resolve));
		worker.ref();
		worker.postMessage('close' satisfies ToWriter);
		await ended;
	}

	/** Ends the thread as a crash would. For tests. */
	kill(): void {
		void this.#worker?.terminate();
	}

	#schedule(): void {
		if (this.#scheduled || this.#committing.length > 0) return;
		this.#scheduled = true;
		queueMicrotask(() => {
			this.#scheduled = false;
			void this.#send();
		});
	}

	async #send(): Promise<void> {
		this.#committing = this.#waiting;
		this.#waiting = [];
		try {
			if (!this.#worker) await this.open();
		} catch (error) {
			this.#reject(unavailable(this.#file, error));
			return;
		}
		// A process that waits for a commit must not end before it.
		this.#worker?.ref();
		this.#post();
	}

	/**
	 * Sends the group. A call with a value that cannot be copied to another thread rejects; the other calls are not
	 * affected.
	 */
	#post(): void {
		const members = this.#committing;
		try {
			this.#worker?.postMessage(members.map(({ command }) => command) satisfies ToWriter);
			this.groups += 1;
		} catch (error) {
			const uncopied = members.filter(({ command }) => !isCopyable(command));
			const refused = new Set(uncopied.length > 0 ? uncopied : members);
			this.#committing = members.filter((member) => !refused.has(member));
			for (const { command, reject } of refused) reject(uncopyable(command.name, error));
			if (this.#committing.length > 0) this.#post();
			else this.#finishGroup();
		}
	}

	#settle(outcomes: readonly Outcome[]): void {
		const members = this.#committing;
		this.#finishGroup();
		members.forEach(({ resolve, reject }, index) => {
			const outcome = outcomes[index];
			if (outcome?.ok) resolve(outcome.value);
			else reject(toError(outcome?.failure ?? noAnswer, this.#file));
		});
	}

	#finishGroup(): void {
		this.#worker?.unref();
		this.#startNext();
	}

	#handleLoss(worker: Worker, error: unknown): void {
		if (this.#worker !== worker) return;
		this.#worker = undefined;
		this.#log.error({ err: error, file: this.#file }, 'The SQLite writer thread was lost.');
		this.#reject(unavailable(this.#file, error));
	}

	#reject(error: Error): void {
		const members = this.#committing;
		this.#startNext();
		for (const { reject } of members) reject(error);
	}

	#startNext(): void {
		this.#committing = [];
		if (this.#waiting.length > 0) this.#schedule();
		else for (const wake of this.#idle.splice(0)) wake();
	}
}

function isCopyable(command: Command): boolean {
	try {
		structuredClone(command);
		return true;
	} catch {
		return false;
	}
}

const noAnswer = { kind: 'other', message: 'The writer thread gave no answer.' } as const;
