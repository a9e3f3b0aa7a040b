import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Crash, OutOfMemory, Refusal, TaskTimeout } from './failures.ts';
import { type Frame, readFrames, writeFrame } from './frames.ts';
import { killOnExit } from './kill-on-exit.ts';
import {
	type ChildMessage,
	outOfMemory,
	responseFd,
	type TaskOutcome,
	type TaskRequest,
} from './messages.ts';
import type { ProcessOptions, TaskResponse, TaskRun } from './options.ts';

/** How much of stderr is kept, in characters, and after how many bytes nobody listens any more. */
const stderrTailLength = 4_096;
const maxStderrBytes = 1_048_576;
/** How long last words may be on their way, in milliseconds. */
const stderrTimeoutMs = 200;

/** One process, which does one task at a time. It keeps its parent alive only while it works. */
export class TaskProcess {
	/** Resolves when the process is gone. */
	readonly ended: Promise<void>;
	readonly #options: ProcessOptions;
	readonly #child: ChildProcess;
	readonly #closed: Promise<unknown>;
	/** Typed as pipes are, which can be told not to keep the process alive. */
	readonly #pipes: readonly Socket[];
	readonly #stdin: Socket;
	readonly #frames: AsyncGenerator<Frame>;
	#stderrTail = '';
	#tasks = 0;
	#isReady = false;
	#hasEnded = false;
	#killReason: Error | undefined;

	/** Starts the process. Throws where there is no file descriptor left for its pipes. */
	constructor(options: ProcessOptions) {
		this.#options = options;
		this.#child = spawnChild(options);
		this.ended = new Promise((resolve) => {
			const onEnd = () => {
				this.#hasEnded = true;
				resolve();
			};
			// `error` comes instead of `exit` where no process could be made. Unheard, it would end the parent.
			this.#child.on('exit', onEnd).on('error', onEnd);
		});
		this.#closed = once(this.#child, 'close').catch(() => {});
		const [stdin, , stderr, answers] = (this.#child.stdio ?? []) as (Socket | null | undefined)[];
		if (!stdin || !stderr || !answers) {
			throw new Error(`The ${options.name} cannot start a process: no file descriptor is free.`);
		}
		this.#pipes = [stdin, stderr, answers];
		this.#stdin = stdin;
		this.#frames = readFrames(answers);
		this.#listen(stderr);
		// Whatever breaks a pipe ends the frames too.
		for (const pipe of this.#pipes) pipe.on('error', () => {});
		this.#keepAlive(false);
	}

	/** Whether it can do another task. */
	get isUsable(): boolean {
		return !this.#hasEnded;
	}

	/** Whether it has ever been able to. */
	get hasStarted(): boolean {
		return this.#isReady;
	}

	/** Whether it has done a task, which may have left something in its memory. */
	get isUsed(): boolean {
		return this.#tasks > 0;
	}

	/** Of the process; nothing where none could be made. */
	get pid(): number | undefined {
		return this.#child.pid;
	}

	/** Ends it at once. A task under way rejects with `reason`, or as after a crash. */
	kill(reason?: Error): void {
		this.#hasEnded = true;
		this.#killReason ??= reason;
		this.#child.kill('SIGKILL');
		// Whoever waits for its end shall see it.
		this.#child.ref();
	}

	/** Does a task, one at a time. Rejects with a `Refusal`, `Overtime`, `OutOfMemory`, `Crash`, or with what else went wrong. */
	async run(task: unknown, run: TaskRun): Promise<TaskResponse> {
		this.#keepAlive(true);
		let cancelTimer = () => {};
		try {
			await this.#start();
			run.signal?.throwIfAborted();
			// Not before: who leaves while it starts would take it from the next one.
			cancelTimer = this.#killAfterAbort(run.signal);
			return await this.#request(task, run);
		} finally {
			cancelTimer();
			if (this.isUsable) this.#keepAlive(false);
		}
	}

	/** From when the signal aborts it has a moment. Returns what lets it live. */
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
			throw (
				this.#killReason ??
				new Error(`A process of the ${this.#options.name} does not start.`, { cause })
			);
		} finally {
			clearTimeout(deadline);
		}
	}

	async #request(
		task: unknown,
		{ body, timeoutMs = this.#options.taskTimeoutMs, onUpdate }: TaskRun,
	) {
		const deadline = new Deadline(timeoutMs, () =>
			this.kill(new TaskTimeout('The task took too long.')),
		);
		try {
			writeFrame(this.#stdin, { task } satisfies TaskRequest, body);
			for (;;) {
				const frame = await this.#next();
				const answer = frame.header as ChildMessage | null;
				if (answer?.kind === 'news')
					this.#handleUpdate(() => onUpdate?.(answer.value, frame.body, deadline));
				else return this.#settle(answer, frame.body);
			}
		} finally {
			deadline.clear();
		}
	}

	#settle(answer: ChildMessage | null, body: Buffer): TaskResponse {
		if (answer?.kind !== 'done' && answer?.kind !== 'refused' && answer?.kind !== 'failed') {
			throw this.#protocolError();
		}
		const { maxTasks = Number.POSITIVE_INFINITY, maxIdleBytes } = this.#options;
		this.#tasks++;
		if (this.#tasks >= maxTasks || answer.rss > maxIdleBytes) this.kill();
		return toResponse(answer, body);
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
		return new Crash(`A process of the ${this.#options.name} answers nonsense.`, { cause });
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

	/** Why it ended by itself, as far as it could say. */
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

	#listen(stderr: Socket): void {
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

/** Until when a task may go on. */
class Deadline {
	readonly #onExpired: () => void;
	#end: number;
	#timer: NodeJS.Timeout;

	constructor(ms: number, onExpired: () => void) {
		this.#onExpired = onExpired;
		this.#end = performance.now() + ms;
		this.#timer = setTimeout(onExpired, ms);
	}

	extend(ms: number): void {
		this.clear();
		this.#end += ms;
		this.#timer = setTimeout(this.#onExpired, Math.max(0, this.#end - performance.now()));
	}

	clear(): void {
		clearTimeout(this.#timer);
	}
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

/** No options of the parent's process: its conditions are for sources alone, and `--inspect` would harm. */
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

/** Nothing of the parent's, which may hold secrets. Few arenas, so that what one thread freed is used by the others. */
function environment(): NodeJS.ProcessEnv {
	const { SystemRoot } = process.env;
	return { MALLOC_ARENA_MAX: '2', ...(SystemRoot === undefined ? {} : { SystemRoot }) };
}
