import type { Task } from '../tasks.ts';

/** Says what is to be done. Without a path, the picture is the frame's body. */
export interface WorkerRequest {
	readonly task: Task;
	readonly path?: string;
}

/** More memory than this in the worker ends it while it works, in bytes; until that is noticed, it may have 20 MB more. */
export const maxWorkerBytes = 575_000_000;
