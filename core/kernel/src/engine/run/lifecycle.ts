import type { Logger } from '../../contract/ports/logger.ts';
import { BootError, bootProblem } from '../boot/problem.ts';
import { explainFailure } from './step-failure.ts';

type Task = () => Promise<void> | void;

interface LifecycleSettings {
	/** How long one step or one task of the stop may take, in milliseconds. */
	readonly timeoutMs: number;
	readonly log: Logger;
	/** By config path, the environment variable that a value came from. */
	readonly variables?: ReadonlyMap<string, string>;
}

/** Runs the steps of start and stop, each with a deadline that names its owner, and unwinds them in reverse. */
export class Lifecycle {
	readonly #settings: LifecycleSettings;
	readonly #undo = new StopTasks();

	constructor(settings: LifecycleSettings) {
		this.#settings = settings;
	}

	/** Runs one step of the start. Its failure becomes a `BootError` that names owner and phase. */
	async step<T>(phase: string, owner: string, path: string, task: () => T | Promise<T>): Promise<T> {
		const { timeoutMs, variables = new Map() } = this.#settings;
		try {
			return await deadline(Promise.resolve().then(task), timeoutMs);
		} catch (cause) {
			if (cause instanceof BootError) throw cause;
			const code = cause instanceof StepTimeout ? 'E_STEP_TIMEOUT' : 'E_STEP_FAILED';
			const { message, remedy } = explainFailure(cause, { phase, path, variables });
			throw new BootError([bootProblem(code, { owner, path }, message, remedy)], { cause });
		}
	}

	/** Remembers how to undo what has been done. A failing or late task is logged, and the rest still runs. */
	onUnwind(owner: string, task: Task): void {
		this.#undo.add(() => this.#attempt(owner, task));
	}

	/** Remembers the disposal of a part, and returns its own list of tasks, each with a deadline, for `dispose` to run. */
	disposeOnUnwind(owner: string, dispose: () => Promise<void>) {
		this.#undo.add(dispose);
		const tasks = new StopTasks();
		return { add: (task: Task) => tasks.add(() => this.#attempt(owner, task)), run: () => tasks.run() };
	}

	/** Undoes everything in reverse, one at a time. */
	unwind(): Promise<void> {
		return this.#undo.run();
	}

	async #attempt(owner: string, task: Task): Promise<void> {
		const { timeoutMs, log } = this.#settings;
		try {
			await deadline(Promise.resolve().then(task), timeoutMs);
		} catch (err) {
			log.error({ err, owner }, 'a part did not stop cleanly');
		}
	}
}

/** Tasks that run in reverse, one at a time. A task that is added after the run runs at once. */
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

/** Rejects when the promise has not settled in time. In real time: a step that hangs would stop a fake clock too. */
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

/** Waits for a promise at most `ms`. True when it has settled; its owner reports a failure. */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
	return deadline(promise, ms).then(
		() => true,
		(error) => !(error instanceof StepTimeout),
	);
}
