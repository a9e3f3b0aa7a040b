import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** How long a worker waits for more work before it ends. */
const IDLE_MS = 10_000;

/**
 * What a worker can do: for each kind of job a function from the job to its answer.
 * Its second parameter is what the worker reports while it works; `never` where it reports nothing.
 */
export type JobTable<Jobs> = { [Kind in keyof Jobs]: (job: never, report: never) => unknown };
/** A job as it is sent to a worker: plain data with the name of its kind. */
export type JobOf<Jobs extends JobTable<Jobs>, Kind extends keyof Jobs> = Parameters<Jobs[Kind]>[0] & {
	readonly kind: Kind;
};
/** What a worker reports while it works on a job. */
export type ReportOf<Jobs extends JobTable<Jobs>, Kind extends keyof Jobs> = Parameters<Jobs[Kind]>[1];

/** To a worker: a job, and the flag that stops it as soon as it is not 0. */
export interface JobMessage {
	readonly job: { readonly kind: PropertyKey };
	readonly stop: Int32Array;
}

/** From a worker: something about the job under way, the answer, or why there is none. */
export type WorkerMessage =
	| { readonly kind: 'report'; readonly report: unknown }
	| { readonly kind: 'answer'; readonly answer: unknown }
	| { readonly kind: 'failure'; readonly error: unknown };

/** What a caller gives along with a job. */
export interface JobOptions<Report> {
	readonly signal: AbortSignal;
	/** Memory of the job that goes to the worker instead of being copied; the caller has it no more. */
	readonly given?: readonly ArrayBuffer[];
	/** Called with what the worker reports, not after the signal has aborted. */
	onReport?(report: Report): void;
}

/** Worker threads. They start when they are needed and never keep the process alive when idle. */
export interface Pool<Jobs extends JobTable<Jobs>> {
	/** How many jobs run at the same time. */
	readonly size: number;
	/** Runs a job; rejects with the signal's reason as soon as it aborts. Jobs start in the order of the calls. */
	run<Kind extends keyof Jobs>(
		job: JobOf<Jobs, Kind>,
		options: JobOptions<ReportOf<Jobs, Kind>>,
	): Promise<ReturnType<Jobs[Kind]>>;
	/** Ends all workers; jobs under way and later ones reject. */
	close(): Promise<void>;
}

/** One a core, four at most: the server's own thread has little to do meanwhile, and the system shares fairly. */
export function defaultWorkers(): number {
	return Math.min(4, availableParallelism());
}

/** The code of a worker, next to the module with this `import.meta.url`: a source beside sources, else what was built. */
export function workerFile(moduleUrl: string, name = './worker'): URL {
	return new URL(moduleUrl.endsWith('.ts') ? `${name}.ts` : `${name}.js`, moduleUrl);
}

interface Task {
	readonly message: JobMessage;
	readonly given: readonly ArrayBuffer[];
	report(report: unknown): void;
	settle(outcome: { answer: unknown } | { error: unknown }): void;
}

interface Thread {
	readonly worker: Worker;
	task: Task | undefined;
	idle: NodeJS.Timeout | undefined;
}

/** Makes a pool of at most `size` workers that run `file`. `label` names their owner in errors: `builtin video model`. */
export function createPool<Jobs extends JobTable<Jobs>>(size: number, file: URL, label: string): Pool<Jobs> {
	const threads = new Set<Thread>();
	const queue: Task[] = [];
	let closed = false;
	const closedError = (): Error => new Error(`The ${label} was stopped.`);

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
		const error = new Error(`A worker thread of the ${label} crashed.`, { cause });
		thread.task?.settle({ error: closed ? closedError() : error });
		thread.task = undefined;
		next();
	};

	const receive = (thread: Thread, message: WorkerMessage): void => {
		const { task } = thread;
		if (message.kind === 'report') {
			task?.report(message.report);
			return;
		}
		thread.task = undefined;
		task?.settle(message.kind === 'answer' ? { answer: message.answer } : { error: message.error });
		next();
		if (thread.task === undefined) rested(thread);
	};

	const rested = (thread: Thread): Thread => {
		thread.worker.unref();
		thread.idle = setTimeout(() => drop(thread, undefined), IDLE_MS).unref();
		return thread;
	};

	const hand = (task: Task, thread: Thread): void => {
		// First of all, because it throws over a job that cannot be sent: the thread then stays free.
		thread.worker.postMessage(task.message, [...task.given]);
		clearTimeout(thread.idle);
		thread.worker.ref();
		thread.task = task;
	};

	const next = (): void => {
		while (queue.length > 0 && !closed) {
			const free = [...threads].find((thread) => thread.task === undefined);
			if (!free && threads.size >= size) return;
			const task = queue.shift() as Task;
			try {
				hand(task, free ?? rested(start()));
			} catch (cause) {
				// The system may have no thread left: that ends this job, not the process.
				const message = `The ${label} could not hand a job to a worker thread.`;
				task.settle({ error: new Error(message, { cause }) });
			}
		}
	};

	return {
		size,
		run: <Kind extends keyof Jobs>(
			job: JobOf<Jobs, Kind>,
			{ signal, given = [], onReport }: JobOptions<ReportOf<Jobs, Kind>>,
		) =>
			new Promise<ReturnType<Jobs[Kind]>>((resolve, reject) => {
				if (closed) throw closedError();
				signal.throwIfAborted();
				const stop = new Int32Array(new SharedArrayBuffer(4));
				const abort = (): void => {
					// The worker looks at the flag between two steps; the caller does not wait for that.
					Atomics.store(stop, 0, 1);
					const waiting = queue.indexOf(task);
					if (waiting >= 0) queue.splice(waiting, 1);
					reject(signal.reason);
				};
				const task: Task = {
					message: { job, stop },
					given,
					report: (report) => {
						if (!signal.aborted) onReport?.(report as ReportOf<Jobs, Kind>);
					},
					settle: (outcome) => {
						signal.removeEventListener('abort', abort);
						if ('error' in outcome) reject(outcome.error);
						else resolve(outcome.answer as ReturnType<Jobs[Kind]>);
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
