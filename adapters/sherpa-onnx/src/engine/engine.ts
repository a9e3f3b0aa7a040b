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
	/** The longest time of a timer: the model stays until it is unloaded. */
	idleMs: 2_147_483_647,
	/** A piece of text or a window of audio may take this long, with the loading of the model. */
	taskTimeoutMs: 600_000,
	/** How long an aborted one may go on before its process is killed and the model must load again. */
	abortGraceMs: 10_000,
	maxIdleBytes: Number.POSITIVE_INFINITY,
};

/** Options of both kinds of models. */
export const engineOptions = {
	/** The folder of the model. */
	folder: z.string().min(1),
	/** Threads of the engine. */
	// Configs in YAML hold `${NAME}`, which arrives as a string.
	threads: z.coerce.number<number | string>().int().min(1).max(256).default(2),
};

/** sherpa-onnx in a process of its own, with one model. The process starts with the first task. */
export class Engine {
	readonly #name: string;
	readonly #file: string;
	#pool: ProcessPool | undefined;

	/** Finds the package beside the config. Throws with remedies where there is none. */
	constructor({ id, folder, onStop }: Pick<ModelContext<unknown, Needs>, 'id' | 'folder' | 'onStop'>) {
		this.#name = `engine of ${id}`;
		this.#file = findPackage(folder);
		onStop(() => this.unload());
	}

	/** Loads the engine once, without a model. Rejects with remedies where that fails. */
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

	/** Runs a task after those before it. A process that ends meanwhile is replaced once; then `E_MODEL_FAILED`. */
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

/** Not `importFrom`, which would load the native code into the server. */
function findPackage(folder: string): string {
	try {
		return createRequire(join(folder, 'plinth.config.js')).resolve(packageName);
	} catch (cause) {
		const remedy = `Run npm install ${packageName}@1.13 there, ${otherAdapter}`;
		throw new Error(`The package ${packageName} is not installed beside ${folder}. ${remedy}.`, { cause });
	}
}
