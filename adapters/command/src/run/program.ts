import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, modelError, type PlinthError } from '@plinth/core';
import { killOrphans } from './orphans.ts';
import { StderrReader } from './stderr-reader.ts';

/** From being asked to end until being killed. */
const graceMs = 2_000;
/** How long last words may be on their way once everybody who could say them is gone. */
const stderrTimeoutMs = 500;

/** How a program is started. */
export interface ProgramOptions {
	/** Absolute. */
	readonly file: string;
	readonly args: readonly string[];
	/** All that it knows of the environment. */
	readonly env: Readonly<Record<string, string>>;
	/** The mark in that environment. */
	readonly mark: string;
	/** Where it runs. */
	readonly folder: string;
	/** All of its stdin. */
	readonly input: string;
	/** Most bytes on stdout and stderr together. */
	readonly maxOutputBytes: number;
	/** Gets the lines of stderr. */
	readonly onLine?: ((line: string) => void) | undefined;
	readonly clock: Clock;
}

/**
 * One run of a program that is not ours, in a group of processes of its own. When it ends, for whatever reason, all that it has started ends
 * with it. Failures are `E_MODEL_FAILED` with a neutral sentence; what was said on stderr is their cause, which only the log shows.
 */
export class Program {
	/** Resolves when none of its processes is left. */
	readonly ended: Promise<void>;
	readonly #options: ProgramOptions;
	readonly #child: ChildProcess;
	readonly #stderr: StderrReader;
	#outcome: Outcome | undefined;
	#stopped: { readonly reason: unknown } | undefined;
	#isStopExpected = false;
	#cancelTimer: () => void = () => {};
	#outputBytes = 0;

	/** Starts it. Throws where the system has no process or file descriptor left. */
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
		// One that does not read what it is asked is its own affair.
		this.#child.stdin?.on('error', () => {});
		this.#child.stdin?.end(options.input);
		this.#child.stderr?.on('error', () => {});
		this.#child.stderr?.on('data', (bytes: Buffer) => {
			this.#stderr.add(bytes);
			this.#countOutput(bytes);
		});
	}

	/** Of its group; nothing where it could not be started. */
	get pid(): number | undefined {
		return this.#child.pid;
	}

	/** What it prints. Throws the reason for which it was stopped, at once. */
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

	/** Waits for its end. Rejects with the reason for which it was stopped, or where it says by its exit code that it has failed. */
	async waitForSuccess(): Promise<void> {
		await this.ended;
		if (this.#stopped) throw this.#stopped.reason;
		const { code, signal } = this.#outcome ?? {};
		if (code === 0 || this.#isStopExpected) return;
		const outcome = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
		throw this.failure(outcome);
	}

	/** An error that tells the caller what the program did. */
	failure(action: string, cause?: unknown): PlinthError {
		const tail = this.#stderr.tail;
		const detail = tail === '' ? 'It said nothing on stderr.' : `The end of its stderr: ${tail}`;
		return modelError(
			`The program behind this model ${action}.`,
			new Error(detail, cause === undefined ? {} : { cause }),
		);
	}

	/** Ends it for a reason, which everybody who waits for it gets. */
	stop(reason: unknown): void {
		if (this.#stopped) return;
		this.#stopped = { reason };
		this.#child.stdout?.destroy();
		if (!this.#outcome) this.#terminate();
	}

	/** Gives it a moment to end by itself, because it has done its work; no reason to fail. */
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

	/** To its whole group. */
	#signal(signal: NodeJS.Signals): void {
		const { pid } = this.#child;
		if (pid === undefined) return;
		try {
			process.kill(-pid, signal);
		} catch {
			// Nobody is left in it.
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
				// Before anything else can happen: nobody else may get this number as long as somebody is in the group.
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
		// Where there is no /proc somebody may still hold it.
		const timeout = delay(stderrTimeoutMs, undefined, { ref: false });
		await Promise.race([new Promise((resolve) => stderr.once('close', resolve)), timeout]);
	}
}

/** How it ended, as the system tells. */
interface Outcome {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
}
