import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Job, JobAnswers, JobMessage, WorkerMessage } from './jobs.ts';

/** How long a worker waits for more work before it ends. */
const IDLE_MS = 10_000;

const workerFile = new URL(
	import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js',
	import.meta.url,
);

/** What a caller gives along with a job. */
export interface JobOptions {
	readonly signal: AbortSignal;
	/** Called with the number of frames that are done since the last call. */
	onFrames?(count: number): void;
}

/** Worker threads that draw and encode. They start when they are needed and never keep the process alive when idle. */
export interface Pool {
	/** How many jobs run at the same time. */
	readonly size: number;
	/** Runs a job; rejects with the signal's reason as soon as it aborts. Jobs start in the order of the calls. */
	run<J extends Job>(job: J, options: JobOptions): Promise<JobAnswers[J['kind']]>;
	/** Ends all workers; jobs under way and later ones reject. */
	close(): Promise<void>;
}

/** One a core, four at most: the server's own thread has little to do meanwhile, and the system shares fairly. */
export function defaultWorkers(): number {
	return Math.min(4, availableParallelism());
}

interface Task {
	readonly message: JobMessage;
	readonly options: JobOptions;
	settle(outcome: { answer: JobAnswers[keyof JobAnswers] } | { error: unknown }): void;
}

interface Thread {
	readonly worker: Worker;
	task: Task | undefined;
	idle: NodeJS.Timeout | undefined;
}

/** Makes a pool of at most `size` workers. `file` is the worker's code. */
export function createPool(size: number, file: URL = workerFile): Pool {
	const threads = new Set<Thread>();
	const queue: Task[] = [];
	let closed = false;

	const start = (): Thread => {
		// No options of the process: the worker imports nothing that needs its conditions, and `--eval` or `--inspect` would harm.
		const thread: Thread = {
			worker: new Worker(file, { execArgv: [] }),
			task: undefined,
			idle: undefined,
		};
		threads.add(thread);
		thread.worker.on('message', (message: WorkerMessage) => receive(thread, message));
		thread.worker.on('error', (cause) => drop(thread, cause));
		thread.worker.on('messageerror', (cause) => drop(thread, cause));
		thread.worker.on('exit', (code) => drop(thread, new Error(`It exited with code ${code}.`)));
		return thread;
	};

	const drop = (thread: Thread, cause: unknown): void => {
		if (!threads.delete(thread)) return;
		clearTimeout(thread.idle);
		void thread.worker.terminate();
		const error = new Error('A worker thread of the builtin video model crashed.', { cause });
		thread.task?.settle({ error: closed ? closedError() : error });
		thread.task = undefined;
		next();
	};

	const receive = (thread: Thread, message: WorkerMessage): void => {
		const { task } = thread;
		if (message.kind === 'frames') {
			task?.options.onFrames?.(message.count);
			return;
		}
		thread.task = undefined;
		task?.settle(message.kind === 'answer' ? { answer: message.answer } : { error: message.error });
		next();
		if (thread.task === undefined) rest(thread);
	};

	const rest = (thread: Thread): void => {
		thread.worker.unref();
		thread.idle = setTimeout(() => drop(thread, undefined), IDLE_MS).unref();
	};

	const hand = (task: Task, thread: Thread): void => {
		clearTimeout(thread.idle);
		thread.worker.ref();
		thread.task = task;
		thread.worker.postMessage(task.message);
	};

	const next = (): void => {
		while (queue.length > 0 && !closed) {
			const free = [...threads].find((thread) => thread.task === undefined);
			if (!free && threads.size >= size) return;
			const task = queue.shift() as Task;
			try {
				hand(task, free ?? start());
			} catch (cause) {
				// The system may have no thread left: that ends this job, not the process.
				task.settle({ error: new Error('No worker thread could be started.', { cause }) });
			}
		}
	};

	return {
		size,
		run: <J extends Job>(job: J, options: JobOptions) =>
			new Promise<JobAnswers[J['kind']]>((resolve, reject) => {
				const { signal } = options;
				if (closed) throw closedError();
				signal.throwIfAborted();
				const stop = new Int32Array(new SharedArrayBuffer(4));
				const abort = (): void => {
					// The worker looks at the flag between two frames; the caller does not wait for that.
					Atomics.store(stop, 0, 1);
					const waiting = queue.indexOf(task);
					if (waiting >= 0) queue.splice(waiting, 1);
					reject(signal.reason);
				};
				const task: Task = {
					message: { job, stop },
					options: {
						signal,
						onFrames: (count) => {
							if (!signal.aborted) options.onFrames?.(count);
						},
					},
					settle: (outcome) => {
						signal.removeEventListener('abort', abort);
						if ('error' in outcome) reject(outcome.error);
						else resolve(outcome.answer as JobAnswers[J['kind']]);
					},
				};
				signal.addEventListener('abort', abort, { once: true });
				queue.push(task);
				next();
			}),
		close: async () => {
			closed = true;
			for (const task of queue.splice(0)) task.settle({ error: closedError() });
			const ending = [...threads].map(({ worker }) => worker);
			for (const thread of [...threads]) drop(thread, undefined);
			await Promise.all(ending.map((worker) => worker.terminate()));
		},
	};
}

function closedError(): Error {
	return new Error('The builtin video model was stopped.');
}
