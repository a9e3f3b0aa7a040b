/** How processes run, and when they are replaced. */
export interface ProcessOptions {
	/** The name in error messages: `image codec`. */
	readonly name: string;
	/** The module to run, which calls `serveTasks`. */
	readonly file: URL;
	/** Timeout of a task, from when the process receives it, and of the start of a process, in milliseconds. */
	readonly taskTimeoutMs: number;
	/** How long an aborted task may continue, in milliseconds; then its process is killed. */
	readonly abortGraceMs: number;
	/** Memory after a task, in bytes, above which the process is replaced. */
	readonly maxIdleBytes: number;
	/** Number of tasks after which the process is replaced. */
	readonly maxTasks?: number;
	/** Maximum JavaScript heap, in MiB. */
	readonly heapMb?: number;
	/** The semi-space for new objects, in MiB: a smaller one is slower and uses less memory. */
	readonly semiSpaceMb?: number;
	/** The complete environment of the processes. */
	readonly env?: Readonly<Record<string, string>>;
}

/** Options of one task. */
export interface TaskRun {
	/** Bytes of the task. */
	readonly body?: Uint8Array | undefined;
	readonly signal?: AbortSignal | undefined;
	/** Overrides `taskTimeoutMs`. */
	readonly timeoutMs?: number;
	/**
	 * Receives the updates of the task. A throw marks the update as invalid: the child is killed, as after an
	 * invalid response.
	 */
	onUpdate?(value: unknown, body: Buffer, deadline: { extend(ms: number): void }): void;
}

/** The response to a task. */
export interface TaskResponse {
	readonly value: unknown;
	/** Not shared with other buffers; empty when there is none. */
	readonly body: Buffer;
}
