import type { Logger } from '../../contract/ports/logger.ts';
import { BootError, bootProblem } from '../boot/problem.ts';
import { explainFailure } from './step-failure.ts';

interface Undo {
	readonly owner: string;
	readonly task: () => Promise<void> | void;
}

/** Runs the steps of start and stop, each with a deadline that names its owner, and unwinds them in reverse. */
export class Lifecycle {
	readonly #undo: Undo[] = [];
	#isUnwound = false;
	readonly #timeoutMs: number;
	readonly #log: Logger;
	readonly #variables: ReadonlyMap<string, string>;

	/** `variables`: by config path, the environment variable that a value came from. */
	constructor(timeoutMs: number, log: Logger, variables: ReadonlyMap<string, string> = new Map()) {
		this.#timeoutMs = timeoutMs;
		this.#log = log;
		this.#variables = variables;
	}

	/** Runs one step of the start. Its failure becomes a `BootError` that names owner and phase. */
	async step<T>(
		phase: string,
		owner: string,
		path: string,
		task: () => T | Promise<T>,
	): Promise<T> {
		try {
			return await deadline(Promise.resolve().then(task), this.#timeoutMs);
		} catch (cause) {
			if (cause instanceof BootError) throw cause;
			const code = cause instanceof StepTimeout ? 'E_STEP_TIMEOUT' : 'E_STEP_FAILED';
			const variables = this.#variables;
			const { message, remedy } = explainFailure(cause, { phase, path, variables });
			throw new BootError([bootProblem(code, owner, path, message, remedy)], { cause });
		}
	}

	/** Remembers how to undo what has been done. After the unwinding it is undone at once: its step came too late. */
	onUnwind(owner: string, task: () => Promise<void> | void): void {
		if (this.#isUnwound) void this.#run({ owner, task });
		else this.#undo.push({ owner, task });
	}

	/** Undoes everything in reverse, one at a time. A failing or late task is logged, and the rest still runs. */
	async unwind(): Promise<void> {
		this.#isUnwound = true;
		for (let item = this.#undo.pop(); item; item = this.#undo.pop()) await this.#run(item);
	}

	async #run({ owner, task }: Undo): Promise<void> {
		try {
			await deadline(Promise.resolve().then(task), this.#timeoutMs);
		} catch (err) {
			this.#log.error({ err, owner }, 'a part did not stop cleanly');
		}
	}
}

class StepTimeout extends Error {}

/** Rejects when the promise has not settled in time. The timer is real time on purpose: a stuck step stops fake clocks too. */
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

/** Waits for a promise, but no longer than this. True when it has settled, well or badly: failures are for its owner to report. */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
	return deadline(promise, ms).then(
		() => true,
		(error: unknown) => !(error instanceof StepTimeout),
	);
}
