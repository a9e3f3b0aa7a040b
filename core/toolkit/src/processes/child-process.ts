import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Crash, OutOfMemory, Refusal, TaskTimeout } from './failures.ts';
import { type Frame, readFrames, writeFrame } from './frames.ts';
import { killOnExit } from './kill-on-exit.ts';
import { type ChildMessage, outOfMemory, responseFd, type TaskOutcome, type TaskRequest } from './messages.ts';
import type { ProcessOptions, TaskResponse, TaskRun } from './options.ts';

/** The end of stderr that is kept, in characters, and the bytes after which stderr is closed. */
const stderrTailLength = 4_096;
const maxStderrBytes = 1_048_576;
/** How long to wait for the rest of stderr, in milliseconds. */
const stderrTimeoutMs = 200;

/** A child process that runs one task at a time. It keeps its parent alive only during a task. */
export class TaskProcess {
	/** Resolves when the process has exited. */
	readonly ended: Promise<void>;
	readonly #options: ProcessOptions;
	readonly #child: ChildProcess;
	readonly #closed: Promise<unknown>;
	/** Sockets, because only these have `ref` and `unref`. */
	readonly #pipes: readonly Socket[];
	readonly #stdin: Socket;
	readonly #frames: AsyncGenerator<Frame>;
	#stderrTail = '';
	#tasks = 0;
	#isReady = false;
	#hasEnded = false;
	#killReason: Error | undefined;

	/** Starts the process. Throws when no file descriptor is free. */
	constructor(options: ProcessOptions) {
		this.#options = options;
		this.#child = spawnChild(options);
		this.ended = new Promise((resolve) => {
			const onEnd = () => {
				this.#hasEnded = true;
				resolve();
			};
			// `error` replaces `exit` when the process could not be started. Without a listener it would end the parent.
			this.#child.on('exit', onEnd).on('error', onEnd);
		});
		this.#closed = once(this.#child, 'close').catch(() => {});
		const [stdin, , stderr, responses] = (this.#child.stdio ?? []) as (Socket | null | undefined)[];
		if (!stdin || !stderr || !responses) {
			throw new Error(`The ${options.name} cannot start a process: no file descriptor is free.`);
		}
		this.#pipes = [stdin, stderr, responses];
		this.#stdin = stdin;
		this.#frames = readFrames(responses);
		this.#keepTail(stderr);
		// A broken pipe also ends the frames.
		for (const pipe of this.#pipes) pipe.on('error', () => {});
		this.#keepAlive(false);
	}

	/** Whether it can run another task. */
	get isUsable(): boolean {
		return !this.#hasEnded;
	}

	/** Whether it has run a task, which may have left data in its memory. */
	get isUsed(): boolean {
		return this.#tasks > 0;
	}

	/** The process id; undefined when it could not be started. */
	get pid(): number | undefined {
		return this.#child.pid;
	}

	/** Kills the process. A running task rejects with `reason`, or as after a crash. */
	kill(reason?: Error): void {
		this.#hasEnded = true;
		this.#killReason ??= reason;
		this.#child.kill('SIGKILL');
		// Keeps the parent alive until `exit` is reported.
		this.#child.ref();
	}

	/** Runs one task. Rejects with a `Refusal`, `TaskTimeout`, `OutOfMemory`, `Crash`, or another error. */
	async run(task: unknown, run: TaskRun): Promise<TaskResponse> {
		this.#keepAlive(true);
		let cancelTimer = () => {};
		try {
			await this.#start();
			run.signal?.throwIfAborted();
			// After the start: an abort during the start must not kill the process for the next task.
			cancelTimer = this.#killAfterAbort(run.signal);
			return await this.#request(task, run);
		} finally {
			cancelTimer();
			if (this.isUsable) this.#keepAlive(false);
		}
	}

	/** Kills the process some time after an abort. Returns a function that cancels this. */
	#killAfterAbort(signal: AbortSignal | undefined): () => void {
		let killTimer: NodeJS.Timeout | undefined;
		const onAbort = () => {
			killTimer = setTimeout(() => this.kill(), this.#options.abortGraceMs);
		};
		signal?.addEventListener('abort', onAbort, { once: true });
		return () => {
			clearTimeout(killTimer);
			signal?.removeEventListener('abort', onAbort);
		};
	}

	async #start(): Promise<void> {
		if (this.#isReady) return;
		const deadline = setTimeout(() => this.kill(), this.#options.taskTimeoutMs);
		try {
			await this.#next();
			this.#isReady = true;
		} catch (cause) {
			throw this.#killReason ?? new Error(`A process of the ${this.#options.name} did not start.`, { cause });
		} finally {
			clearTimeout(deadline);
		}
	}

	async #request(task: unknown, { body, timeoutMs = this.#options.taskTimeoutMs, onUpdate }: TaskRun) {
		const deadline = deadlineIn(timeoutMs, () => this.kill(new TaskTimeout('The task took too long.')));
		try {
			writeFrame(this.#stdin, { task } satisfies TaskRequest, body);
			for (;;) {
				const frame = await this.#next();
				const message = frame.header as ChildMessage | null;
				if (message?.kind === 'update') this.#handleUpdate(() => onUpdate?.(message.value, frame.body, deadline));
				else return this.#finish(message, frame.body);
			}
		} finally {
			deadline.clear();
		}
	}

	#finish(message: ChildMessage | null, body: Buffer): TaskResponse {
		if (message?.kind !== 'done' && message?.kind !== 'refused' && message?.kind !== 'failed') {
			throw this.#protocolError();
		}
		const { maxTasks = Number.POSITIVE_INFINITY, maxIdleBytes } = this.#options;
		this.#tasks++;
		if (this.#tasks >= maxTasks || message.rss > maxIdleBytes) this.kill();
		return toResponse(message, body);
	}

	#handleUpdate(handle: () => void): void {
		try {
			handle();
		} catch (cause) {
			throw this.#protocolError(cause);
		}
	}

	#protocolError(cause?: unknown): Crash {
		this.kill();
		return new Crash(`A process of the ${this.#options.name} sent an invalid response.`, { cause });
	}

	async #next(): Promise<Frame> {
		let cause: unknown;
		try {
			const next = await this.#frames.next();
			if (!next.done) return next.value;
		} catch (error) {
			cause = error;
		}
		this.kill();
		throw this.#killReason ?? (await this.#exitError(cause));
	}

	/** The error for a process that ended by itself, from its stderr. */
	async #exitError(cause: unknown): Promise<Error> {
		await Promise.race([this.#closed, delay(stderrTimeoutMs)]);
		const stderr = this.#stderrTail;
		if (stderr.includes(outOfMemory) || stderr.includes('JavaScript heap out of memory')) {
			return new OutOfMemory('The task took too much memory.');
		}
		return new Crash(`A process of the ${this.#options.name} has ended. ${stderr}`.trim(), {
			cause,
		});
	}

	#keepTail(stderr: Socket): void {
		let received = 0;
		stderr.on('data', (bytes: Buffer) => {
			this.#stderrTail = (this.#stderrTail + bytes.toString('latin1')).slice(-stderrTailLength);
			received += bytes.byteLength;
			if (received > maxStderrBytes) stderr.destroy();
		});
	}

	#keepAlive(isNeeded: boolean): void {
		for (const handle of [this.#child, ...this.#pipes]) {
			if (isNeeded) handle.ref();
			else handle.unref();
		}
	}
}

/** A deadline of a task, which can be extended. */
function deadlineIn(ms: number, onExpired: () => void) {
	let end = performance.now() + ms;
	let timer = setTimeout(onExpired, ms);
	const clear = () => clearTimeout(timer);
	const extend = (more: number) => {
		clear();
		end += more;
		timer = setTimeout(onExpired, Math.max(0, end - performance.now()));
	};
	return { extend, clear };
}

function toResponse(outcome: TaskOutcome, body: Buffer): TaskResponse {
	switch (outcome.kind) {
		case 'done':
			return { value: outcome.value, body };
		case 'refused': {
			const cause = outcome.cause === undefined ? undefined : new Error(outcome.cause);
			throw new Refusal(outcome.code, outcome.sentence, { cause });
		}
		case 'failed':
			throw new Error(outcome.message);
	}
}

/**
 * Starts the process without the parent's `execArgv`: its conditions apply only to sources, and `--inspect`
 * would conflict.
 */
function spawnChild({ file, heapMb, semiSpaceMb, env }: ProcessOptions): ChildProcess {
	const flags = ['--expose-gc'];
	if (heapMb !== undefined) flags.push(`--max-old-space-size=${heapMb}`);
	if (semiSpaceMb !== undefined) flags.push(`--max-semi-space-size=${semiSpaceMb}`);
	if (file.pathname.endsWith('.ts')) flags.push('--conditions=@plinth/source');
	const stdio: ('pipe' | 'ignore')[] = ['pipe', 'ignore', 'pipe'];
	stdio[responseFd] = 'pipe';
	const child = spawn(process.execPath, [...flags, fileURLToPath(file)], {
		env: { ...environment(), ...env },
		stdio,
		windowsHide: true,
	});
	killOnExit(child);
	return child;
}

/**
 * Excludes the parent's variables, which may hold secrets. Few malloc arenas, so that threads reuse each other's freed
 * memory, and constant thresholds, so that glibc frees large blocks at once.
 */
function environment(): NodeJS.ProcessEnv {
	const { SystemRoot } = process.env;
	const malloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '32768', MALLOC_TRIM_THRESHOLD_: '131072' };
	return { ...malloc, ...(SystemRoot === undefined ? {} : { SystemRoot }) };
}
