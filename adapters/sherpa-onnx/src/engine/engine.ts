import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type ModelContext, modelError, type Needs } from '@plinth/core';
import { ProcessPool, type TaskResponse, type TaskRun } from '@plinth/toolkit/processes';
import { z } from 'zod';
import type { EngineRequest, EngineTask } from './tasks.ts';

const packageName = 'sherpa-onnx-node';
const limits = {
	file: new URL(import.meta.url.endsWith('.ts') ? './child.ts' : './child.js', import.meta.url),
	workers: 1,
	/** The maximum of a timer: the model stays loaded until `unload`. */
	idleMs: 2_147_483_647,
	/** Timeout for a piece of text or a window of audio, including the loading of the model. */
	taskTimeoutMs: 600_000,
	/** How long an aborted task may continue. Then its process is killed, and the model must be loaded again. */
	abortGraceMs: 10_000,
	maxIdleBytes: Number.POSITIVE_INFINITY,
};

/** Options of both kinds of models. */
export const engineOptions = {
	/** The folder of the model. */
	folder: z.string().min(1),
	/** Threads of the engine. */
	// In YAML configs, the value of `${NAME}` is a string.
	threads: z.coerce.number<number | string>().int().min(1).max(256).default(2),
};

/** sherpa-onnx in a process of its own, with one model. The process starts with the first task. */
export class Engine {
	readonly #name: string;
	readonly #file: string;
	#pool: ProcessPool | undefined;

	/** Finds the package beside the config. Throws an error with remedies when there is none. */
	constructor({ id, folder, onStop }: Pick<ModelContext<unknown, Needs>, 'id' | 'folder' | 'onStop'>) {
		this.#name = `engine of ${id}`;
		this.#file = findPackage(folder);
		onStop(() => this.unload());
	}

	/** Loads the engine once, without a model. Rejects with remedies when that fails. */
	async check(): Promise<void> {
		try {
			await this.run({ kind: 'probe' });
		} catch (error) {
			const { cause } = error as { cause: Error };
			const remedy = 'Install it again without --omit=optional, so that the binary for this machine is there';
			throw new Error(`${packageName} does not load: ${cause.message}. ${remedy}, ${otherAdapter}.`, { cause });
		} finally {
			await this.unload();
		}
	}

	/** Runs a task after earlier ones. Repeats it once if the process ends, then rejects with `E_MODEL_FAILED`. */
	async run(task: EngineTask, run: TaskRun = {}): Promise<TaskResponse> {
		this.#pool ??= new ProcessPool({ ...limits, name: this.#name });
		try {
			return await this.#pool.run({ ...task, engine: this.#file } satisfies EngineRequest, run);
		} catch (cause) {
			run.signal?.throwIfAborted();
			throw modelError('The engine of the model failed. The log of the server has the reason.', cause);
		}
	}

	/** Ends the process, which releases the memory of the model. The next task starts another one. */
	async unload(): Promise<void> {
		const pool = this.#pool;
		this.#pool = undefined;
		await pool?.close();
	}
}

const otherAdapter = 'or choose another adapter for the model';

/** Finds the package. `importFrom` is not used, because it would load the native code into the server. */
function findPackage(folder: string): string {
	try {
		return createRequire(join(folder, 'plinth.config.js')).resolve(packageName);
	} catch (cause) {
		const remedy = `Run npm install ${packageName}@1.13 there, ${otherAdapter}`;
		throw new Error(`The package ${packageName} is not installed beside ${folder}. ${remedy}.`, { cause });
	}
}
