import { resolve } from 'node:path';
import type { EncodedImage } from '@plinth/toolkit';
import { Crash, OutOfMemory, ProcessPool, type ProcessPoolOptions, TaskTimeout } from '@plinth/toolkit/processes';
import { maxSeconds, Refusal, tooMuchMemory, tooSlow } from '../failures.ts';
import type { Task, TaskResult } from '../tasks.ts';
import type { WorkerRequest } from './messages.ts';

const defaults: ProcessPoolOptions = {
	name: 'image codec',
	file: new URL(import.meta.url.endsWith('.ts') ? './child.ts' : './child.js', import.meta.url),
	workers: 1,
	idleMs: 10_000,
	taskTimeoutMs: maxSeconds * 1_000,
	abortGraceMs: 500,
	maxIdleBytes: 450_000_000,
};

/** Decodes pictures in worker processes, so that their memory is bounded and a crash of a decoder stays contained. */
export class WorkerPool {
	readonly #pool: ProcessPool;

	constructor(options: Partial<ProcessPoolOptions> = {}) {
		this.#pool = new ProcessPool({ ...defaults, ...options });
	}

	/** The ids of the running processes. */
	get pids(): readonly number[] {
		return this.#pool.pids;
	}

	/**
	 * Runs a task as soon as a worker is free. Rejects with a `Refusal` for an invalid picture, also for one that crashes
	 * two workers, and with the signal's reason as soon as it aborts: a waiting task then never starts.
	 */
	async run<T extends Task>(image: EncodedImage, task: T, signal?: AbortSignal): Promise<TaskResult<T>> {
		const isFile = 'path' in image;
		const request: WorkerRequest = isFile ? { task, path: resolve(image.path) } : { task };
		try {
			const { value, body } = await this.#pool.run(request, {
				body: isFile ? undefined : image,
				signal,
			});
			return (body.byteLength > 0 ? { ...(value as object), data: body } : value) as TaskResult<T>;
		} catch (error) {
			throw refusalOf(error) ?? error;
		}
	}

	/** Ends all workers; running and later tasks reject. */
	close(): Promise<void> {
		return this.#pool.close();
	}
}

/** The refusal of a picture that ended its worker. */
function refusalOf(error: unknown): Refusal | undefined {
	if (error instanceof TaskTimeout) return tooSlow(error);
	if (error instanceof OutOfMemory) return tooMuchMemory();
	if (!(error instanceof Crash)) return undefined;
	return new Refusal('E_IMAGE_UNREADABLE', undefined, { cause: error });
}
