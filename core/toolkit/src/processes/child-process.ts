import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Crash, OutOfMemory, Overtime, Refusal } from './failures.ts';
import { type Frame, readFrames, writeFrame } from './frames.ts';
import { killOnExit } from './kill-on-exit.ts';
import { type Answer, answersFd, type Outcome, outOfMemory, type Request } from './messages.ts';
import type { ProcessOptions, TaskAnswer, TaskRun } from './options.ts';

/** How much of stderr is kept, in characters, and after how many bytes nobody listens any more. */
const lastWordsLength = 4_096;
const maxWords = 1_048_576;
/** How long last words may be on their way, in milliseconds. */
const timeoutMs = 200;

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
	#lastWords = '';
	#tasks = 0;
	#isReady = false;
	#isGone = false;
	#killedFor: Error | undefined;

	/** Starts the process. Throws where there is no file descriptor left for its pipes. */
	constructor(options: ProcessOptions) {
		this.#options = options;
		this.#child = started(options);
		this.ended = new Promise((resolve) => {
			const gone = () => {
				this.#isGone = true;
				resolve();
			};
			// `error` comes instead of `exit` where no process could be made. Unheard, it would end the parent.
			this.#child.on('exit', gone).on('error', gone);
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
		return !this.#isGone;
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
		this.#isGone = true;
		this.#killedFor ??= reason;
		this.#child.kill('SIGKILL');
		// Whoever waits for its end shall see it.
		this.#child.ref();
	}

	/** Does a task, one at a time. Rejects with a `Refusal`, `Overtime`, `OutOfMemory`, `Crash`, or with what else went wrong. */
	async run(task: unknown, run: TaskRun): Promise<TaskAnswer> {
		this.#keepAlive(true);
		let cancelTimer = () => {};
		try {
			await this.#start();
			run.signal?.throwIfAborted();
			// Not before: who leaves while it starts would take it from the next one.
			cancelTimer = this.#killWhenAbandoned(run.signal);
			return await this.#ask(task, run);
		} finally {
			cancelTimer();
			if (this.isUsable) this.#keepAlive(false);
		}
	}

	/** From when the signal aborts it has a moment. Returns what lets it live. */
	#killWhenAbandoned(signal: AbortSignal | undefined): () => void {
		let patience: NodeJS.Timeout | undefined;
		const abandon = () => {
			patience = setTimeout(() => this.kill(), this.#options.abandonedMs);
		};
		signal?.addEventListener('abort', abandon, { once: true });
		return () => {
			clearTimeout(patience);
			signal?.removeEventListener('abort', abandon);
		};
	}

	async #start(): Promise<void> {
		if (this.#isReady) return;
		const limit = setTimeout(() => this.kill(), this.#options.taskMs);
		try {
			await this.#next();
			this.#isReady = true;
		} catch (cause) {
			throw (
				this.#killedFor ??
				new Error(`A process of the ${this.#options.name} does not start.`, { cause })
			);
		} finally {
			clearTimeout(limit);
		}
	}

	async #ask(task: unknown, { body, limitMs = this.#options.taskMs, heard }: TaskRun) {
		const limit = new Limit(limitMs, () => this.kill(new Overtime('The task took too long.')));
		try {
			writeFrame(this.#stdin, { task } satisfies Request, body);
			for (;;) {
				const frame = await this.#next();
				const answer = frame.header as Answer | null;
				if (answer?.kind === 'news') this.#tell(() => heard?.(answer.value, frame.body, limit));
				else return this.#settle(answer, frame.body);
			}
		} finally {
			limit.clear();
		}
	}

	#settle(answer: Answer | null, body: Buffer): TaskAnswer {
		if (answer?.kind !== 'done' && answer?.kind !== 'refused' && answer?.kind !== 'failed') {
			throw this.#nonsense();
		}
		const { maxTasks = Number.POSITIVE_INFINITY, maxRestingBytes } = this.#options;
		this.#tasks++;
		if (this.#tasks >= maxTasks || answer.rss > maxRestingBytes) this.kill();
		return answerFrom(answer, body);
	}

	#tell(news: () => void): void {
		try {
			news();
		} catch (cause) {
			throw this.#nonsense(cause);
		}
	}

	#nonsense(cause?: unknown): Crash {
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
		throw this.#killedFor ?? (await this.#fate(cause));
	}

	/** Why it ended by itself, as far as it could say. */
	async #fate(cause: unknown): Promise<Error> {
		await Promise.race([this.#closed, delay(timeoutMs)]);
		const said = this.#lastWords;
		if (said.includes(outOfMemory) || said.includes('JavaScript heap out of memory')) {
			return new OutOfMemory('The task took too much memory.');
		}
		return new Crash(`A process of the ${this.#options.name} has ended. ${said}`.trim(), { cause });
	}

	#listen(stderr: Socket): void {
		let heard = 0;
		stderr.on('data', (bytes: Buffer) => {
			this.#lastWords = (this.#lastWords + bytes.toString('latin1')).slice(-lastWordsLength);
			heard += bytes.byteLength;
			if (heard > maxWords) stderr.destroy();
		});
	}

	#keepAlive(isWanted: boolean): void {
		for (const handle of [this.#child, ...this.#pipes]) {
			if (isWanted) handle.ref();
			else handle.unref();
		}
	}
}

/** Until when a task may go on. */
class Limit {
	readonly #late: () => void;
	#end: number;
	#timer: NodeJS.Timeout;

	constructor(ms: number, late: () => void) {
		this.#late = late;
		this.#end = performance.now() + ms;
		this.#timer = setTimeout(late, ms);
	}

	extend(ms: number): void {
		this.clear();
		this.#end += ms;
		this.#timer = setTimeout(this.#late, Math.max(0, this.#end - performance.now()));
	}

	clear(): void {
		clearTimeout(this.#timer);
	}
}

function answerFrom(outcome: Outcome, body: Buffer): TaskAnswer {
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
function started({ file, heapMb, youngMb, env }: ProcessOptions): ChildProcess {
	const flags = ['--expose-gc'];
	if (heapMb !== undefined) flags.push(`--max-old-space-size=${heapMb}`);
	if (youngMb !== undefined) flags.push(`--max-semi-space-size=${youngMb}`);
	if (file.pathname.endsWith('.ts')) flags.push('--conditions=@plinth/source');
	const stdio: ('pipe' | 'ignore')[] = ['pipe', 'ignore', 'pipe'];
	stdio[answersFd] = 'pipe';
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
