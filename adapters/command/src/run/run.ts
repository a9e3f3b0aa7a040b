import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Clock, type Logger, modelError, orAbort, type PlinthError, untilAborted } from '@plinth/core';
import type { ProgramOptions } from '../protocol/options.ts';
import type { RunFolder } from './folder.ts';
import { killOrphans, runVariable, sendSignal } from './orphans.ts';
import type { Watchdog } from './watchdog.ts';

/** Time from SIGTERM to SIGKILL, in milliseconds. */
const graceMs = 2_000;
/** How long to wait for the rest of stderr after all processes have ended, in milliseconds. */
const stderrTimeoutMs = 500;
/** Length of the end of stderr that is kept for the log, in characters. */
const tailLength = 1_600;

/** Options shared by the runs of a model. */
export interface RunOptions extends Pick<ProgramOptions, 'env' | 'timeoutSeconds' | 'maxOutputBytes'> {
	/** The absolute path of the program. */
	readonly file: string;
	readonly watchdog: Watchdog;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Options of one start. */
interface StartOptions {
	readonly args: readonly string[];
	/** The complete stdin. */
	readonly input: string;
	/** Receives the lines of stderr, which may also end with a carriage return. */
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
	#stderrTail = '';
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
		this.closed = orAbort(this.signal, new Promise<void>(() => {})).catch(() => this.#cleanUp());
	}

	/** Starts the program, once. Throws when the signal has aborted, or the system has no free process. */
	start({ args, input, onLine }: StartOptions): void {
		this.signal.throwIfAborted();
		const { file, watchdog, clock, timeoutSeconds } = this.#options;
		const { path: cwd, name: mark } = this.folder;
		// Other variables are not passed on, because they may be secret.
		const { PATH = '/usr/local/bin:/usr/bin:/bin', LANG = 'C.UTF-8' } = process.env;
		const env = { PATH, LANG, HOME: cwd, TMPDIR: cwd, ...this.#options.env, [runVariable]: mark };
		const child: ChildProcess = spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' });
		this.#child = child;
		this.#ended = this.#end(child, mark);
		if (child.pid !== undefined) watchdog.add(child.pid);
		// The program may ignore its stdin.
		child.stdin?.on('error', () => {}).end(input);
		child.stderr?.on('error', () => {});
		child.stderr?.on('data', (bytes: Buffer) => {
			this.#stderrTail = (this.#stderrTail + bytes.toString('utf8')).slice(-tailLength);
			this.#countOutput(bytes);
		});
		if (onLine && child.stderr) createInterface(child.stderr).on('line', onLine);
		this.#cancelTimeout = clock.after(timeoutSeconds * 1_000, () => {
			this.#fail(`took more than ${timeoutSeconds} seconds`);
		});
	}

	/** The output of the program. Throws the signal's reason at once. */
	async *stdout(): AsyncGenerator<Buffer> {
		const stdout = untilAborted(this.#child?.stdout ?? new Uint8Array(), this.signal);
		for await (const chunk of stdout as AsyncIterable<Buffer>) {
			this.#countOutput(chunk);
			yield chunk;
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

	/** Ends the program after a grace period, because its result is complete. This is not a failure. */
	stopAfterGrace(): void {
		if (this.#hasExited || this.signal.aborted) return;
		this.#cancelKill = this.#options.clock.after(graceMs, () => {
			this.#isStopExpected = true;
			this.#terminate();
		});
	}

	/** Reads a result file. Rejects with a failure of the program when it is invalid. */
	read(name: string): Promise<Buffer> {
		return this.folder.read(name, this.#options.maxOutputBytes, (action, cause) => {
			this.signal.throwIfAborted();
			return this.failure(action, cause);
		});
	}

	/** An error for the caller; `action` is what the program did. */
	failure(action: string, cause?: unknown): PlinthError {
		const tail = this.#stderrTail.trim();
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
		// Synchronously: the id of the group cannot be reused while it has processes.
		child.once('exit', () => this.#signalGroup('SIGKILL'));
		await once(child, 'exit').catch((cause) => this.#fail('could not be started', cause));
		this.#hasExited = true;
		this.#cancelKill();
		const { pid, stderr } = child;
		if (pid === undefined) return;
		// Immediately, because the id may be reused.
		this.#options.watchdog.remove(pid);
		await killOrphans(mark, pid);
		// Without /proc, a process may still have stderr open.
		const signal = AbortSignal.timeout(stderrTimeoutMs);
		if (stderr && !stderr.closed) await once(stderr, 'close', { signal }).catch(() => {});
	}

	async #cleanUp(): Promise<void> {
		const { watchdog, log } = this.#options;
		this.#cancelTimeout();
		this.#child?.stdout?.destroy();
		if (this.#child && !this.#hasExited) this.#terminate();
		await this.#ended;
		await this.folder.remove().catch((err) => log.warn({ err }, 'the folder of a run could not be removed'));
		watchdog.remove(this.folder.name);
	}
}
