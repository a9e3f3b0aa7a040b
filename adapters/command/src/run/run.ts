import type { Clock, Logger } from '@plinth/core';
import { ResultFileError, type RunFolder } from './folder.ts';
import { runVariable } from './orphans.ts';
import { Program } from './program.ts';
import type { Watchdog } from './watchdog.ts';

/** Options shared by the runs of a model. */
export interface RunOptions {
	/** The absolute path of the program. */
	readonly file: string;
	readonly env: Readonly<Record<string, string>>;
	readonly timeoutSeconds: number;
	readonly maxOutputBytes: number;
	readonly guard: Watchdog;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Options of one start. */
export interface StartOptions {
	readonly args: readonly string[];
	/** The complete stdin. */
	readonly input: string;
	/** Receives the lines of stderr. */
	readonly onLine?: ((line: string) => void) | undefined;
}

/** One run of a program in a private folder. An abort or the timeout ends it. */
export class Run {
	readonly folder: RunFolder;
	/** Aborts when the client disconnects or the server stops. */
	readonly signal: AbortSignal;
	/** Resolves when all processes have ended and the folder is removed. */
	readonly closed: Promise<void>;
	readonly #options: RunOptions;
	readonly #closing = Promise.withResolvers<void>();
	readonly #onAbort = () => this.#stop(this.signal.reason);
	#program: Program | undefined;
	#cancelTimer: () => void = () => {};

	constructor(folder: RunFolder, signal: AbortSignal, options: RunOptions) {
		this.folder = folder;
		this.signal = signal;
		this.#options = options;
		this.closed = this.#closing.promise.then(() => this.#end());
		if (signal.aborted) this.#onAbort();
		else signal.addEventListener('abort', this.#onAbort, { once: true });
	}

	/** Starts the program, once. Throws the signal's reason when it has aborted. */
	start({ args, input, onLine }: StartOptions): Program {
		this.signal.throwIfAborted();
		const { file, env, guard, clock, maxOutputBytes, timeoutSeconds } = this.#options;
		const { path, name: mark } = this.folder;
		const program = new Program({
			file,
			args,
			input,
			onLine,
			env: { ...environment(path), ...env, [runVariable]: mark },
			mark,
			folder: path,
			maxOutputBytes,
			clock,
		});
		this.#program = program;
		const { pid } = program;
		if (pid !== undefined) {
			guard.add(pid);
			// Immediately, because the id may be reused.
			void program.ended.then(() => guard.remove(pid));
		}
		this.#cancelTimer = clock.after(timeoutSeconds * 1_000, () => {
			this.#stop(program.failure(`took more than ${timeoutSeconds} seconds`));
		});
		return program;
	}

	/** Reads a result file. Rejects with a failure of the program when it is invalid. */
	async read(name: string): Promise<Buffer> {
		try {
			return await this.folder.read(name, this.#options.maxOutputBytes);
		} catch (error) {
			this.signal.throwIfAborted();
			throw error instanceof ResultFileError ? this.failure(error.message, error) : error;
		}
	}

	/** An error for the caller; `action` is what the program did. */
	failure(action: string, cause?: unknown): Error {
		return this.#program?.failure(action, cause) ?? new Error(action, { cause });
	}

	/** Ends the run. May be called several times. */
	close(): Promise<void> {
		this.#closing.resolve();
		return this.closed;
	}

	#stop(reason: unknown): void {
		this.#program?.stop(reason);
		void this.close();
	}

	async #end(): Promise<void> {
		const { guard, log } = this.#options;
		this.#cancelTimer();
		this.signal.removeEventListener('abort', this.#onAbort);
		this.#program?.stop(new Error('The run has ended.'));
		await this.#program?.ended;
		await this.folder.remove().catch((err) => log.warn({ err }, 'the folder of a run could not be removed'));
		guard.remove(this.folder.name);
	}
}

/** Excludes all other variables, which may be secret. */
function environment(folder: string): Record<string, string> {
	const { PATH = '/usr/local/bin:/usr/bin:/bin', LANG = 'C.UTF-8' } = process.env;
	return { PATH, LANG, HOME: folder, TMPDIR: folder };
}
