/**
 * The entry point of a child of a `ProcessPool`: `@plinth/toolkit/processes/child`. It loads nothing of the
 * kernel, so that children start fast and stay small.
 */
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { Refusal } from './failures.ts';
import { type Frame, readFrames, writeFrame } from './frames.ts';
import { watchMemory } from './memory-watch.ts';
import { type ChildMessage, responseFd, type TaskOutcome, type TaskRequest } from './messages.ts';

export { Refusal };

const defaultCollectAbove = 150_000_000;
/** Minimum garbage, in bytes, for which a collection is worth its time. */
const minGarbageBytes = 64_000_000;

/** The result of a task: JSON, and bytes that are passed as they are. */
export interface TaskResult {
	readonly value?: unknown;
	readonly body?: Uint8Array | undefined;
}

/** Sends an update to the parent before the task is done. Resolves when it was written. */
export type SendUpdate = (value: unknown, body?: Uint8Array) => Promise<void>;

/** Runs one task. Throws a {@link Refusal} for invalid input. */
export type TaskHandler = (task: unknown, body: Buffer, sendUpdate: SendUpdate) => Promise<TaskResult>;

/** Memory limits of the process. */
export interface ChildOptions {
	/** Maximum memory during a task, in bytes; above it the process ends. Detection allows for 20 MB more. */
	readonly maxBytes: number;
	/**
	 * Memory after a task, in bytes, above which garbage is collected at once. Set it well above the process's
	 * idle size. 150 MB by default.
	 */
	readonly collectAbove?: number;
}

/**
 * Runs the tasks that arrive on stdin, and responds on a separate pipe. Ends with stdin, so that the
 * process never outlives its parent. Console output is discarded.
 */
export async function serveTasks(handler: TaskHandler, options: ChildOptions): Promise<never> {
	const { maxBytes, collectAbove = defaultCollectAbove } = options;
	// Signals are ignored, because the parent may still need its children after a signal to the process group.
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
	for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) console[name] = () => {};
	const collect = collectorAbove(collectAbove);
	const responses = new Socket({ fd: responseFd, readable: false }).on('error', end);
	const send = (message: ChildMessage, body?: Uint8Array) =>
		new Promise<void>((resolve) => writeFrame(responses, message, body, resolve));
	const memory = await watchMemory(maxBytes);
	// After the watch has started: on Linux the priority is per thread, and the watch must keep its own.
	lowerPriority();
	const work = async ({ header, body }: Frame) => {
		memory.start();
		const sendUpdate: SendUpdate = (value, bytes) => send({ kind: 'update', value }, bytes);
		const [outcome, bytes] = await runTask(() => handler((header as TaskRequest).task, body, sendUpdate));
		memory.stop();
		void send(outcome, bytes);
		setImmediate(collect);
	};
	void send({ kind: 'ready' });
	// Not awaited, so that the end of stdin is noticed during a task.
	for await (const frame of readFrames(process.stdin)) void work(frame);
	return end();
}

/** Gives the server priority on machines with few processors. */
function lowerPriority(): void {
	try {
		setPriority(10);
	} catch {
		// Not allowed everywhere, and not required.
	}
}

async function runTask(task: () => Promise<TaskResult>): Promise<readonly [TaskOutcome, Uint8Array?]> {
	try {
		const { value = {}, body } = await task();
		const outcome = { kind: 'done', value, rss: rss() } as const;
		return body ? [outcome, body] : [outcome];
	} catch (error) {
		if (!(error instanceof Refusal)) return [{ kind: 'failed', message: String(error), rss: rss() }];
		const { code, sentence, cause } = error;
		const reason = cause instanceof Error ? cause.message : undefined;
		return [{ kind: 'refused', code, sentence, cause: reason, rss: rss() }];
	}
}

/**
 * Collects garbage that Node would keep for long. After a collection the threshold rises, so that little
 * garbage does not cause another.
 */
function collectorAbove(min: number): () => void {
	let threshold = min;
	return () => {
		if (rss() <= threshold) return;
		globalThis.gc?.();
		threshold = Math.max(min, rss() + minGarbageBytes);
	};
}

const rss = () => process.memoryUsage.rss();

/** Not `process.exit`, which would wait for running native work. */
function end(): never {
	process.kill(process.pid, 'SIGKILL');
	throw new Error('The process is still running after SIGKILL.');
}
