/** What a child is asked. Bytes of the task are the frame's body. */
export interface TaskRequest {
	readonly task: unknown;
}

/** The first answer says that the child is there. Each request is answered by an outcome, and maybe by news before. */
export type ChildMessage =
	| { readonly kind: 'ready' }
	| { readonly kind: 'news'; readonly value: unknown }
	| TaskOutcome;

/** How a task ended, and how much memory the process has after it, in bytes. */
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

/** Where a child answers. Not stdout, on which any library may print. */
export const responseFd = 3;

/** What a child says on stderr before it ends because of its memory. */
export const outOfMemory = 'plinth: too much memory';
