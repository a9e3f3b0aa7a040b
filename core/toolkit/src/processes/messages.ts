/** A task for a child. Its bytes are the body of the frame. */
export interface TaskRequest {
	readonly task: unknown;
}

/** Messages of a child. The first one is `ready`. Each request is followed by updates, if any, and one outcome. */
export type ChildMessage =
	| { readonly kind: 'ready' }
	| { readonly kind: 'update'; readonly value: unknown }
	| TaskOutcome;

/** The outcome of a task, and the memory of the process after it, in bytes. */
export type TaskOutcome = (
	| { readonly kind: 'done'; readonly value: unknown }
	| {
			readonly kind: 'refused';
			readonly code: string;
			readonly sentence?: string | undefined;
			readonly cause?: string | undefined;
	  }
	| { readonly kind: 'failed'; readonly message: string }
) & { readonly rss: number };

/** The file descriptor of responses. Not stdout, to which any library may print. */
export const responseFd = 3;

/** What a child writes to stderr before it ends because it exceeds its memory limit. */
export const outOfMemory = 'plinth: too much memory';
