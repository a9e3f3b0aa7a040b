/**
 * What runs in a child of a `ProcessPool`: `@plinth/core/processes/child`. It loads nothing of the kernel, so that children start fast
 * and stay small.
 */
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { Refusal } from './failures.ts';
import { type Frame, readFrames, writeFrame } from './frames.ts';
import { watchMemory } from './memory-watch.ts';
import { type Answer, answersFd, type Outcome, type Request } from './messages.ts';

export { Refusal };

const usualRest = 150_000_000;
/** A collection is worth its time when there may be so much of it, in bytes. */
const garbage = 64_000_000;

/** What a task gives: JSON, and bytes that stay as they are. */
export interface TaskResult {
	readonly value?: unknown;
	readonly body?: Uint8Array | undefined;
}

/** Sends the parent something before the task is done. Resolves when it has left. */
export type Tell = (value: unknown, body?: Uint8Array) => Promise<void>;

/** Does one task. Throws a {@link Refusal} for what is wrong with what it was given. */
export type Perform = (task: unknown, body: Buffer, tell: Tell) => Promise<TaskResult>;

/** How the process is bounded. */
export interface ChildOptions {
	/** More memory than this during a task ends the process, in bytes; until that is noticed, it may have 20 MB more. */
	readonly maxBytes: number;
	/** More memory than this after a task, in bytes, is given back at once: well above what the process holds at rest. 150 MB when left out. */
	readonly collectAbove?: number;
}

/**
 * Does the tasks that come in over stdin, and answers over a pipe of its own. Ends with stdin, so that the process never outlives its
 * parent. What is printed is heard by nobody.
 */
export async function serveTasks(perform: Perform, options: ChildOptions): Promise<never> {
	const { maxBytes, collectAbove = usualRest } = options;
	// The parent decides when its children end: it may still need them after a signal to the whole process group.
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
	for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) console[name] = () => {};
	const collect = collectorAbove(collectAbove);
	const answers = new Socket({ fd: answersFd, readable: false }).on('error', end);
	const send = (answer: Answer, body?: Uint8Array) =>
		new Promise<void>((resolve) => writeFrame(answers, answer, body, resolve));
	const memory = await watchMemory(maxBytes);
	// Behind it: on Linux that is a matter of each thread, and who watches must not wait for a busy machine.
	lowerPriority();
	const work = async ({ header, body }: Frame) => {
		memory.start();
		const tell: Tell = (value, bytes) => send({ kind: 'news', value }, bytes);
		const [outcome, bytes] = await ended(() => perform((header as Request).task, body, tell));
		memory.stop();
		void send(outcome, bytes);
		setImmediate(collect);
	};
	void send({ kind: 'ready' });
	// Not awaited: the end of stdin must be seen during a task too.
	for await (const frame of readFrames(process.stdin)) void work(frame);
	return end();
}

/** Where processors are few, the server answers first. */
function lowerPriority(): void {
	try {
		setPriority(10);
	} catch {
		// Not allowed everywhere; it is a courtesy.
	}
}

async function ended(task: () => Promise<TaskResult>): Promise<readonly [Outcome, Uint8Array?]> {
	try {
		const { value = {}, body } = await task();
		const outcome = { kind: 'done', value, rss: rss() } as const;
		return body ? [outcome, body] : [outcome];
	} catch (error) {
		return [error instanceof Refusal ? refused(error) : failed(error)];
	}
}

function refused({ code, sentence, cause }: Refusal): Outcome {
	const reason = cause instanceof Error ? cause.message : undefined;
	return { kind: 'refused', code, sentence, cause: reason, rss: rss() };
}

function failed(error: unknown): Outcome {
	return { kind: 'failed', message: String(error), rss: rss() };
}

/** What was sent is only garbage now, which Node would keep for long. Where little of it is, the next look waits until there is more. */
function collectorAbove(least: number): () => void {
	let above = least;
	return () => {
		if (rss() <= above) return;
		globalThis.gc?.();
		above = Math.max(least, rss() + garbage);
	};
}

const rss = () => process.memoryUsage.rss();

/** Not `process.exit`, which would wait for native work under way. */
function end(): never {
	process.kill(process.pid, 'SIGKILL');
	throw new Error('The process goes on although it was killed.');
}
