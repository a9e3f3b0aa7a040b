import type { Logger } from '../../contract/ports/logger.ts';
import { BootError, bootProblem } from '../boot/problem.ts';
import { explainFailure } from './step-failure.ts';

type Task = () => Promise<void> | void;

/** Runs the steps of start and stop, each with a deadline, and undoes completed steps in reverse order. */
export class Lifecycle {
	readonly #timeoutMs: number;
	readonly #log: Logger;
	readonly #variables: ReadonlyMap<string, string>;
	readonly #undo = new StopTasks();

	/** `timeoutMs`: the limit of one step or one stop task. `variables`: the variables of values, by config path. */
	constructor(timeoutMs: number, log: Logger, variables: ReadonlyMap<string, string> = new Map()) {
		this.#timeoutMs = timeoutMs;
		this.#log = log;
		this.#variables = variables;
	}

	/** Runs one step of the start. Its failure becomes a `BootError` that names owner and phase. */
	async step<T>(phase: string, owner: string, path: string, task: () => T | Promise<T>): Promise<T> {
		try {
			return await deadline(Promise.resolve().then(task), this.#timeoutMs);
		} catch (cause) {
			if (cause instanceof BootError) throw cause;
			const code = cause instanceof StepTimeout ? 'E_STEP_TIMEOUT' : 'E_STEP_FAILED';
			const { message, remedy } = explainFailure(cause, { phase, path, variables: this.#variables });
			throw new BootError([bootProblem(code, { owner, path }, message, remedy)], { cause });
		}
	}

	/** Registers how to undo a step. A failing or late task is logged, and the other tasks still run. */
	onUnwind(owner: string, task: Task): void {
		this.#undo.add(() => this.#attempt(owner, task));
	}

	/** Registers the disposal of a part. Returns its list of tasks, each with a deadline, for `dispose` to run. */
	disposeOnUnwind(owner: string, dispose: () => Promise<void>) {
		this.#undo.add(dispose);
		const tasks = new StopTasks();
		return { add: (task: Task) => tasks.add(() => this.#attempt(owner, task)), run: () => tasks.run() };
	}

	unwind(): Promise<void> {
		return this.#undo.run();
	}

	async #attempt(owner: string, task: Task): Promise<void> {
		try {
			await deadline(Promise.resolve().then(task), this.#timeoutMs);
		} catch (err) {
			this.#log.error({ err, owner }, 'a part did not stop cleanly');
		}
	}
}

/** Tasks that run in reverse order, one at a time. A task that is added after the run starts at once. */
class StopTasks {
	readonly #tasks: (() => Promise<void>)[] = [];
	#hasRun = false;

	add(task: () => Promise<void>): void {
		if (this.#hasRun) void task();
		else this.#tasks.push(task);
	}

	async run(): Promise<void> {
		this.#hasRun = true;
		for (let task = this.#tasks.pop(); task; task = this.#tasks.pop()) await task();
	}
}

class StepTimeout extends Error {}

/** Rejects when the promise has not settled in time. Uses real time: a step that hangs would also stop a fake clock. */
async function deadline<T>(promise: Promise<T>, ms: number): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const timeout = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new StepTimeout(`it has not settled after ${ms} ms.`)), ms);
	});
	try {
		return await Promise.race([promise, timeout]);
	} finally {
		clearTimeout(timer);
	}
}

/** Waits for a promise at most `ms`. True when it has settled, also with a failure, which the caller does not see. */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
	return deadline(promise, ms).then(
		() => true,
		(error) => !(error instanceof StepTimeout),
	);
}
