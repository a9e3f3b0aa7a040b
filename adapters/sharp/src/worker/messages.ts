import type { Task } from '../tasks.ts';

/** A request to the worker. Without a path, the picture is the body of the frame. */
export interface WorkerRequest {
	readonly task: Task;
	readonly path?: string;
}

/** Maximum memory of the worker during a task, in bytes; above it the worker ends. Detection allows for 20 MB more. */
export const maxWorkerBytes = 575_000_000;
