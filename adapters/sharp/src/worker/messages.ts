import type { RefusalCode } from '../failures.ts';
import type { Task } from '../tasks.ts';

/** Says what is to be done. Without a path, the picture is the frame's body. */
export interface Request {
	readonly task: Task;
	readonly path?: string;
}

/** The first answer says that the worker is there; each later one answers a request. */
export type Answer = { readonly kind: 'ready' } | Outcome;

/** How a task ended, and how much memory the process has after it, in bytes. */
export type Outcome = (
	| { readonly kind: 'done'; readonly value: object }
	| {
			readonly kind: 'refused';
			readonly code: RefusalCode;
			readonly sentence?: string | undefined;
			readonly cause?: string | undefined;
	  }
	| { readonly kind: 'failed'; readonly message: string }
) & { readonly rss: number };

/** More memory than this in the worker ends it while it works, in bytes; until that is noticed, it may have 20 MB more. */
export const maxWorkerBytes = 575_000_000;
