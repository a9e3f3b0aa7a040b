/**
 * What runs in a child of a `ProcessPool`: `@plinth/core/processes/child`. It loads nothing of the kernel, so that children start fast
 * and stay small.
 */
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { Refusal } from './failures.ts';
import { type Frame, readFrames, writeFrame } from './frames.ts';
import { watchMemory } from './memory-watch.ts';
import { type ChildMessage, responseFd, type TaskOutcome, type TaskRequest } from './messages.ts';

export { Refusal };

const defaultCollectAbove = 150_000_000;
/** A collection is worth its time when there may be so much of it, in bytes. */
const minGarbageBytes = 64_000_000;

/** What a task gives: JSON, and bytes that stay as they are. */
export interface TaskResult {
	readonly value?: unknown;
	readonly body?: Uint8Array | undefined;
}

/** Sends the parent something before the task is done. Resolves when it has left. */
export type SendUpdate = (value: unknown, body?: Uint8Array) => Promise<void>;

/** Does one task. Throws a {@link Refusal} for what is wrong with what it was given. */
export type TaskHandler = (
	task: unknown,
	body: Buffer,
	sendUpdate: SendUpdate,
) => Promise<TaskResult>;

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
export async function serveTasks(handler: TaskHandler, options: ChildOptions): Promise<never> {
	const { maxBytes, collectAbove = defaultCollectAbove } = options;
	// The parent decides when its children end: it may still need them after a signal to the whole process group.
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
	for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) console[name] = () => {};
	const collect = collectorAbove(collectAbove);
	const responses = new Socket({ fd: responseFd, readable: false }).on('error', end);
	const send = (answer: ChildMessage, body?: Uint8Array) =>
		new Promise<void>((resolve) => writeFrame(responses, answer, body, resolve));
	const memory = await watchMemory(maxBytes);
	// Behind it: on Linux that is a matter of each thread, and who watches must not wait for a busy machine.
	lowerPriority();
	const work = async ({ header, body }: Frame) => {
		memory.start();
		const sendUpdate: SendUpdate = (value, bytes) => send({ kind: 'news', value }, bytes);
		const [outcome, bytes] = await runTask(() =>
			handler((header as TaskRequest).task, body, sendUpdate),
		);
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

async function runTask(
	task: () => Promise<TaskResult>,
): Promise<readonly [TaskOutcome, Uint8Array?]> {
	try {
		const { value = {}, body } = await task();
		const outcome = { kind: 'done', value, rss: rss() } as const;
		return body ? [outcome, body] : [outcome];
	} catch (error) {
		return [error instanceof Refusal ? refused(error) : failed(error)];
	}
}

function refused({ code, sentence, cause }: Refusal): TaskOutcome {
	const reason = cause instanceof Error ? cause.message : undefined;
	return { kind: 'refused', code, sentence, cause: reason, rss: rss() };
}

function failed(error: unknown): TaskOutcome {
	return { kind: 'failed', message: String(error), rss: rss() };
}

/** What was sent is only garbage now, which Node would keep for long. Where little of it is, the next look waits until there is more. */
function collectorAbove(min: number): () => void {
	let threshold = min;
	return () => {
		if (rss() <= threshold) return;
		globalThis.gc?.();
		threshold = Math.max(min, rss() + minGarbageBytes);
	};
}

const rss = () => process.memoryUsage.rss();

/** Not `process.exit`, which would wait for native work under way. */
function end(): never {
	process.kill(process.pid, 'SIGKILL');
	throw new Error('The process goes on although it was killed.');
}
