import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, type Logger, modelError, type PlinthError } from '@plinth/core';
import { ResultFileError, type RunFolder } from './folder.ts';
import { killOrphans, runVariable, sendSignal } from './orphans.ts';
import { StderrReader } from './stderr-reader.ts';
import type { Watchdog } from './watchdog.ts';

/** Time from SIGTERM to SIGKILL, in milliseconds. */
const graceMs = 2_000;
/** How long to wait for the rest of stderr after all processes have ended, in milliseconds. */
const stderrTimeoutMs = 500;

/** Options shared by the runs of a model. */
export interface RunOptions {
	/** The absolute path of the program. */
	readonly file: string;
	readonly env: Readonly<Record<string, string>>;
	readonly timeoutSeconds: number;
	/** Maximum bytes on stdout and stderr together, and of a result file. */
	readonly maxOutputBytes: number;
	readonly guard: Watchdog;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Options of one start. */
interface StartOptions {
	readonly args: readonly string[];
	/** The complete stdin. */
	readonly input: string;
	/** Receives the lines of stderr. */
	readonly onLine?: ((line: string) => void) | undefined;
}

/**
 * One run of an external program, in a private folder and its own process group. When it ends, all processes that it
 * has started are killed. Failures are `E_MODEL_FAILED` with a neutral message; stderr is in their cause, which only
 * the log shows.
 */
export class Run {
	readonly folder: RunFolder;
	/** Aborts when the client disconnects, the server stops, the program exceeds a limit, or the run is closed. */
	readonly signal: AbortSignal;
	/** Resolves when all processes have ended and the folder is removed. */
	readonly closed: Promise<void>;
	readonly #options: RunOptions;
	readonly #stop = new AbortController();
	readonly #stderr = new StderrReader();
	#child: ChildProcess | undefined;
	#ended: Promise<void> | undefined;
	#hasExited = false;
	#isStopExpected = false;
	#outputBytes = 0;
	#cancelTimeout: () => void = () => {};
	#cancelKill: () => void = () => {};

	constructor(folder: RunFolder, signal: AbortSignal, options: RunOptions) {
		this.folder = folder;
		this.signal = AbortSignal.any([signal, this.#stop.signal]);
		this.#options = options;
		const aborted = Promise.withResolvers<unknown>();
		this.closed = aborted.promise.then(() => this.#cleanUp());
		if (this.signal.aborted) aborted.resolve(undefined);
		else this.signal.addEventListener('abort', aborted.resolve, { once: true });
	}

	/** Starts the program, once. Throws when the signal has aborted, or the system has no free process. */
	start({ args, input, onLine }: StartOptions): void {
		this.signal.throwIfAborted();
		const { file, guard, clock, timeoutSeconds } = this.#options;
		const { path: cwd, name: mark } = this.folder;
		const env = { ...environment(cwd), ...this.#options.env, [runVariable]: mark };
		const child: ChildProcess = spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' });
		this.#child = child;
		this.#ended = this.#end(child, mark);
		if (child.pid !== undefined) guard.add(child.pid);
		// The program may ignore its stdin.
		child.stdin?.on('error', () => {}).end(input);
		child.stderr?.on('error', () => {});
		child.stderr?.on('data', (bytes: Buffer) => {
			this.#stderr.add(bytes, onLine);
			this.#countOutput(bytes);
		});
		this.#cancelTimeout = clock.after(timeoutSeconds * 1_000, () => {
			this.#fail(`took more than ${timeoutSeconds} seconds`);
		});
	}

	/** The output of the program. Throws the signal's reason at once. */
	async *stdout(): AsyncGenerator<Buffer> {
		try {
			for await (const chunk of this.#child?.stdout ?? []) {
				this.#countOutput(chunk);
				this.signal.throwIfAborted();
				yield chunk;
			}
		} catch (error) {
			throw this.signal.aborted ? this.signal.reason : error;
		}
		this.signal.throwIfAborted();
	}

	/** Waits for the end of the program. Rejects when its exit code reports a failure. */
	async waitForSuccess(): Promise<void> {
		await this.#ended;
		this.signal.throwIfAborted();
		const { exitCode, signalCode } = this.#child ?? {};
		if (exitCode === 0 || this.#isStopExpected) return;
		throw this.failure(signalCode ? `was ended by ${signalCode}` : `ended with exit code ${exitCode}`);
	}

	/** Ends the program after a grace period, because its work is done. This is not a failure. */
	stopAfterGrace(): void {
		if (this.#hasExited || this.signal.aborted) return;
		this.#cancelKill = this.#options.clock.after(graceMs, () => {
			this.#isStopExpected = true;
			this.#terminate();
		});
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
	failure(action: string, cause?: unknown): PlinthError {
		const tail = this.#stderr.tail.trim();
		const detail = tail === '' ? 'Its stderr is empty.' : `The end of its stderr: ${tail}`;
		return modelError(`The program behind this model ${action}.`, new Error(detail, cause ? { cause } : {}));
	}

	/** Ends the run. May be called several times. */
	close(): Promise<void> {
		this.#stop.abort(new Error('The run has ended.'));
		return this.closed;
	}

	#fail(action: string, cause?: unknown): void {
		this.#stop.abort(this.failure(action, cause));
	}

	#countOutput(bytes: Buffer): void {
		const { maxOutputBytes } = this.#options;
		this.#outputBytes += bytes.byteLength;
		if (this.#outputBytes > maxOutputBytes) this.#fail(`printed more than ${maxOutputBytes} bytes`);
	}

	#terminate(): void {
		this.#cancelKill();
		this.#signalGroup('SIGTERM');
		this.#cancelKill = this.#options.clock.after(graceMs, () => this.#signalGroup('SIGKILL'));
	}

	#signalGroup(signal: NodeJS.Signals): void {
		if (this.#child?.pid !== undefined) sendSignal(-this.#child.pid, signal);
	}

	async #end(child: ChildProcess, mark: string): Promise<void> {
		const exited = Promise.withResolvers<void>();
		child.once('exit', () => {
			this.#hasExited = true;
			// Synchronously: the id of the group cannot be reused while it has processes.
			this.#signalGroup('SIGKILL');
			exited.resolve();
		});
		child.once('error', (cause) => {
			this.#hasExited = true;
			this.#fail('could not be started', cause);
			exited.resolve();
		});
		await exited.promise;
		this.#cancelKill();
		const { pid, stderr } = child;
		if (pid === undefined) return;
		// Immediately, because the id may be reused.
		this.#options.guard.remove(pid);
		await killOrphans(mark, pid);
		// Without /proc a process may still hold stderr.
		const timeout = delay(stderrTimeoutMs, undefined, { ref: false });
		if (!stderr?.closed) await Promise.race([new Promise((resolve) => stderr?.once('close', resolve)), timeout]);
	}

	async #cleanUp(): Promise<void> {
		const { guard, log } = this.#options;
		this.#cancelTimeout();
		this.#child?.stdout?.destroy();
		if (this.#child && !this.#hasExited) this.#terminate();
		await this.#ended;
		await this.folder.remove().catch((err) => log.warn({ err }, 'the folder of a run could not be removed'));
		guard.remove(this.folder.name);
	}
}

/** Excludes all other variables, which may be secret. */
function environment(folder: string): Record<string, string> {
	const { PATH = '/usr/local/bin:/usr/bin:/bin', LANG = 'C.UTF-8' } = process.env;
	return { PATH, LANG, HOME: folder, TMPDIR: folder };
}
