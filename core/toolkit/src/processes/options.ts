/** How processes are run, and when they are replaced. */
export interface ProcessOptions {
	/** Whose processes they are, as messages name it: `image codec`. */
	readonly name: string;
	/** What they run: a module that calls `serveTasks`. */
	readonly file: URL;
	/** A task may take this long, from when the process has it, in milliseconds, unless it has a limit of its own. So may a start. */
	readonly taskTimeoutMs: number;
	/** A task that nobody waits for any more may go on this long, in milliseconds; then its process is killed. */
	readonly abortGraceMs: number;
	/** More memory than this after a task, in bytes, and the process is replaced. */
	readonly maxIdleBytes: number;
	/** After so many tasks the process is replaced. */
	readonly maxTasks?: number;
	/** Bounds JavaScript's own heap, in MiB. */
	readonly heapMb?: number;
	/** Of it, half of what new objects have room in before they are collected, in MiB: less is slower and takes less memory. */
	readonly semiSpaceMb?: number;
	/** All that they know of the environment. */
	readonly env?: Readonly<Record<string, string>>;
}

/** The surroundings of one task. */
export interface TaskRun {
	/** Bytes of the task. */
	readonly body?: Uint8Array | undefined;
	readonly signal?: AbortSignal | undefined;
	/** In place of `taskMs`. */
	readonly timeoutMs?: number;
	/** Gets what the child tells before it is done. Throws when that is no message of the task: the child is killed then, as for a wrong answer. */
	onUpdate?(value: unknown, body: Buffer, deadline: { extend(ms: number): void }): void;
}

/** What a task gave. */
export interface TaskResponse {
	readonly value: unknown;
	/** Memory of its own; empty where there is none. */
	readonly body: Buffer;
}
