import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, modelError, type PlinthError } from '@plinth/core';
import { killOrphans } from './orphans.ts';
import { StderrReader } from './stderr-reader.ts';

/** Time from SIGTERM to SIGKILL, in milliseconds. */
const graceMs = 2_000;
/** How long to wait for the rest of stderr after all processes have ended, in milliseconds. */
const stderrTimeoutMs = 500;

/** How a program is started. */
export interface ProgramOptions {
	/** Absolute path. */
	readonly file: string;
	readonly args: readonly string[];
	/** The complete environment. */
	readonly env: Readonly<Record<string, string>>;
	/** The value of the run's variable in the environment. */
	readonly mark: string;
	/** The working directory. */
	readonly folder: string;
	/** The complete stdin. */
	readonly input: string;
	/** Maximum bytes on stdout and stderr together. */
	readonly maxOutputBytes: number;
	/** Receives the lines of stderr. */
	readonly onLine?: ((line: string) => void) | undefined;
	readonly clock: Clock;
}

/**
 * One run of an external program in its own process group. When it ends, all processes that it has started are
 * killed. Failures are `E_MODEL_FAILED` with a neutral message; stderr is in their cause, which only the log shows.
 */
export class Program {
	/** Resolves when all of its processes have ended. */
	readonly ended: Promise<void>;
	readonly #options: ProgramOptions;
	readonly #child: ChildProcess;
	readonly #stderr: StderrReader;
	#outcome: Outcome | undefined;
	#stopped: { readonly reason: unknown } | undefined;
	#isStopExpected = false;
	#cancelTimer: () => void = () => {};
	#outputBytes = 0;

	/** Starts the program. Throws when the system has no free process or file descriptor. */
	constructor(options: ProgramOptions) {
		this.#options = options;
		this.#stderr = new StderrReader(options.onLine);
		this.#child = spawn(options.file, options.args, {
			cwd: options.folder,
			env: options.env,
			detached: true,
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		this.ended = this.#end();
		// The program may ignore its stdin.
		this.#child.stdin?.on('error', () => {});
		this.#child.stdin?.end(options.input);
		this.#child.stderr?.on('error', () => {});
		this.#child.stderr?.on('data', (bytes: Buffer) => {
			this.#stderr.add(bytes);
			this.#countOutput(bytes);
		});
	}

	/** The id of its process group; undefined when it could not be started. */
	get pid(): number | undefined {
		return this.#child.pid;
	}

	/** The output of the program. Throws the reason of `stop` at once. */
	async *stdout(): AsyncGenerator<Buffer> {
		const { stdout } = this.#child;
		try {
			for await (const chunk of (stdout ?? []) as Readable) {
				this.#countOutput(chunk);
				if (this.#stopped) break;
				yield chunk;
			}
		} catch (error) {
			if (!this.#stopped) throw error;
		}
		if (this.#stopped) throw this.#stopped.reason;
	}

	/** Waits for the end of the program. Rejects with the reason of `stop`, or when its exit code reports a failure. */
	async waitForSuccess(): Promise<void> {
		await this.ended;
		if (this.#stopped) throw this.#stopped.reason;
		const { code, signal } = this.#outcome ?? {};
		if (code === 0 || this.#isStopExpected) return;
		const outcome = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
		throw this.failure(outcome);
	}

	/** An error for the caller; `action` is what the program did. */
	failure(action: string, cause?: unknown): PlinthError {
		const tail = this.#stderr.tail;
		const detail = tail === '' ? 'Its stderr is empty.' : `The end of its stderr: ${tail}`;
		return modelError(
			`The program behind this model ${action}.`,
			new Error(detail, cause === undefined ? {} : { cause }),
		);
	}

	/** Ends the program; `reason` rejects all pending calls. */
	stop(reason: unknown): void {
		if (this.#stopped) return;
		this.#stopped = { reason };
		this.#child.stdout?.destroy();
		if (!this.#outcome) this.#terminate();
	}

	/** Ends the program after a grace period, because its work is done. This is not a failure. */
	stopAfterGrace(): void {
		if (this.#outcome || this.#stopped) return;
		this.#cancelTimer = this.#options.clock.after(graceMs, () => {
			this.#isStopExpected = true;
			this.#terminate();
		});
	}

	#terminate(): void {
		this.#cancelTimer();
		this.#signal('SIGTERM');
		this.#cancelTimer = this.#options.clock.after(graceMs, () => this.#signal('SIGKILL'));
	}

	/** Sends a signal to the process group. */
	#signal(signal: NodeJS.Signals): void {
		const { pid } = this.#child;
		if (pid === undefined) return;
		try {
			process.kill(-pid, signal);
		} catch {
			// The group has no processes.
		}
	}

	#countOutput(bytes: Buffer): void {
		const { maxOutputBytes } = this.#options;
		this.#outputBytes += bytes.byteLength;
		if (this.#outputBytes <= maxOutputBytes) return;
		this.stop(this.failure(`printed more than ${maxOutputBytes} bytes`));
	}

	async #end(): Promise<void> {
		await new Promise<void>((resolve) => {
			this.#child.once('exit', (code, signal) => {
				this.#outcome = { code, signal };
				// Synchronously: the id of the group cannot be reused while it has processes.
				this.#signal('SIGKILL');
				resolve();
			});
			this.#child.once('error', (cause) => {
				this.#stopped ??= { reason: this.failure('could not be started', cause) };
				this.#outcome = { code: null, signal: null };
				this.#child.stdout?.destroy();
				resolve();
			});
		});
		this.#cancelTimer();
		if (this.pid !== undefined) await killOrphans(this.#options.mark, this.pid);
		const { stderr } = this.#child;
		if (!stderr || stderr.closed) return;
		// Without /proc a process may still hold stderr.
		const timeout = delay(stderrTimeoutMs, undefined, { ref: false });
		await Promise.race([new Promise((resolve) => stderr.once('close', resolve)), timeout]);
	}
}

/** The exit code or signal. */
interface Outcome {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
}
