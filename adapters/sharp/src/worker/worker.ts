import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EncodedImage } from '@plinth/core';
import { Refusal, tooSlow } from '../failures.ts';
import type { AnswerTo, Task } from '../tasks.ts';
import { type Frame, readFrames, writeFrame } from './frames.ts';
import type { Outcome, Request } from './messages.ts';

/** A worker process ended, or lost its mind, before it had answered. */
export class Crash extends Error {}

/** How long things may take, in milliseconds. */
export interface WorkerTimes {
	/** One picture, from when the worker has it; then the worker is killed and the picture refused. */
	readonly taskMs: number;
	/** A picture that nobody waits for any more; then the worker is killed. */
	readonly abandonedMs: number;
}

/** More memory than this after a task, in bytes, and the worker is replaced. */
const maxRestingBytes = 450_000_000;

/** One worker process, which takes one picture at a time. It keeps the server's process alive only while it works. */
export class Worker {
	/** Resolves when the process is gone. */
	readonly ended: Promise<void>;
	readonly #child: ChildProcess;
	/** Typed as pipes are, which can be told not to keep the process alive. */
	readonly #stdin: Socket;
	readonly #stdout: Socket;
	readonly #frames: AsyncGenerator<Frame>;
	readonly #times: WorkerTimes;
	#isReady = false;
	#isGone = false;
	#killedFor: Error | undefined;

	/** Starts the process. Throws where there is no file descriptor left for its pipes. */
	constructor(file: URL, times: WorkerTimes) {
		this.#times = times;
		// No options of the server's process: the worker needs no conditions, and `--inspect` would harm.
		this.#child = spawn(process.execPath, ['--expose-gc', fileURLToPath(file)], {
			env: environment(),
			stdio: ['pipe', 'pipe', 'ignore'],
			windowsHide: true,
		});
		this.ended = new Promise((resolve) => {
			const gone = () => {
				this.#isGone = true;
				resolve();
			};
			// `error` comes instead of `exit` where no process could be made. Unheard, it would end the server.
			this.#child.on('exit', gone).on('error', gone);
		});
		const { stdin, stdout } = this.#child;
		if (!stdin || !stdout) {
			throw new Error(
				'The process that decodes images does not start: no file descriptor is free.',
			);
		}
		this.#stdin = stdin as Socket;
		this.#stdout = stdout as Socket;
		this.#frames = readFrames(this.#stdout);
		// Whatever breaks a pipe ends the frames too.
		this.#stdin.on('error', () => {});
	}

	/** Whether it can take another picture. */
	get isUsable(): boolean {
		return !this.#isGone;
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

	/** Does a task, one at a time. Rejects with a `Refusal`, with a {@link Crash}, or with what else went wrong. */
	async run<T extends Task>(
		image: EncodedImage,
		task: T,
		signal?: AbortSignal,
	): Promise<AnswerTo<T>> {
		const { taskMs, abandonedMs } = this.#times;
		let patience: NodeJS.Timeout | undefined;
		const abandon = () => {
			patience = setTimeout(() => this.kill(), abandonedMs);
		};
		signal?.addEventListener('abort', abandon, { once: true });
		this.#keepAlive(true);
		try {
			await this.#start();
			signal?.throwIfAborted();
			const limit = setTimeout(() => this.kill(tooSlow()), taskMs);
			return await this.#ask(image, task).finally(() => clearTimeout(limit));
		} finally {
			clearTimeout(patience);
			signal?.removeEventListener('abort', abandon);
			if (this.isUsable) this.#keepAlive(false);
		}
	}

	async #start(): Promise<void> {
		if (this.#isReady) return;
		const limit = setTimeout(() => this.kill(), this.#times.taskMs);
		try {
			await this.#next();
			this.#isReady = true;
		} catch (cause) {
			throw (
				this.#killedFor ?? new Error('The process that decodes images does not start.', { cause })
			);
		} finally {
			clearTimeout(limit);
		}
	}

	async #ask<T extends Task>(image: EncodedImage, task: T): Promise<AnswerTo<T>> {
		const isFile = 'path' in image;
		const request: Request = isFile ? { task, path: resolve(image.path) } : { task };
		writeFrame(this.#stdin, request, isFile ? undefined : image);
		const { header, body } = await this.#next();
		const outcome = header as Outcome;
		if (outcome.rss > maxRestingBytes) this.kill();
		return answerFrom(outcome, body) as AnswerTo<T>;
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
		throw this.#killedFor ?? new Crash('The process that decodes images has ended.', { cause });
	}

	#keepAlive(isWanted: boolean): void {
		for (const handle of [this.#child, this.#stdin, this.#stdout]) {
			if (isWanted) handle.ref();
			else handle.unref();
		}
	}
}

function answerFrom(outcome: Outcome, body: Buffer): object {
	switch (outcome.kind) {
		case 'done':
			return body.byteLength > 0 ? { ...outcome.value, data: body } : outcome.value;
		case 'refused': {
			const cause = outcome.cause === undefined ? undefined : new Error(outcome.cause);
			throw new Refusal(outcome.code, outcome.sentence, { cause });
		}
		case 'failed':
			throw new Error(outcome.message);
	}
}

/** Nothing of the server's, which may hold secrets. Few arenas, so that what one thread freed is used by the others. */
function environment(): NodeJS.ProcessEnv {
	const { SystemRoot } = process.env;
	return { MALLOC_ARENA_MAX: '2', ...(SystemRoot === undefined ? {} : { SystemRoot }) };
}
