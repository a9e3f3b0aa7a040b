import type { Clock, Logger } from '@plinth/core';
import { ResultFileError, type RunFolder } from './folder.ts';
import { runVariable } from './orphans.ts';
import { Program } from './program.ts';
import type { Watchdog } from './watchdog.ts';

/** What the runs of a model have in common. */
export interface RunOptions {
	/** The program, absolute. */
	readonly file: string;
	readonly env: Readonly<Record<string, string>>;
	readonly timeoutSeconds: number;
	readonly maxOutputBytes: number;
	readonly guard: Watchdog;
	readonly clock: Clock;
	readonly log: Logger;
}

/** What one start of the program needs. */
export interface StartOptions {
	readonly args: readonly string[];
	/** All of its stdin. */
	readonly input: string;
	/** Gets the lines of stderr. */
	readonly onLine?: ((line: string) => void) | undefined;
}

/** One run: a private folder, a program in it, and the end of both, which comes by itself with an abort or the deadline. */
export class Run {
	readonly folder: RunFolder;
	/** Aborts when the client leaves, or the server stops. */
	readonly signal: AbortSignal;
	/** Resolves when no process and no folder is left. */
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
			// Soon: the number may be given to somebody else.
			void program.ended.then(() => guard.remove(pid));
		}
		this.#cancelTimer = clock.after(timeoutSeconds * 1_000, () => {
			this.#stop(program.failure(`took more than ${timeoutSeconds} seconds`));
		});
		return program;
	}

	/** Reads what the program made. Rejects with its failure where that is no result. */
	async read(name: string): Promise<Buffer> {
		try {
			return await this.folder.read(name, this.#options.maxOutputBytes);
		} catch (error) {
			this.signal.throwIfAborted();
			throw error instanceof ResultFileError ? this.failure(error.message, error) : error;
		}
	}

	/** An error that tells the caller what the program did. */
	failure(action: string, cause?: unknown): Error {
		return this.#program?.failure(action, cause) ?? new Error(action, { cause });
	}

	/** Ends what is left of it; to be called when nobody needs it any more, also more than once. */
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
		this.#program?.stop(new Error('The run is over.'));
		await this.#program?.ended;
		await this.folder
			.remove()
			.catch((err) => log.warn({ err }, 'the folder of a run could not be removed'));
		guard.remove(this.folder.name);
	}
}

/** Nothing else of ours, which may be secret. */
function environment(folder: string): Record<string, string> {
	const { PATH = '/usr/local/bin:/usr/bin:/bin', LANG = 'C.UTF-8' } = process.env;
	return { PATH, LANG, HOME: folder, TMPDIR: folder };
}
