/** Time, replaceable in tests. Everything in the kernel and in backends reads it from here. */
export interface Clock {
	/** Wall-clock milliseconds since the Unix epoch. */
	now(): number;
	/** Runs `task` once after `ms` milliseconds; the returned function cancels it. Never keeps the process alive. */
	after(ms: number, task: () => void): () => void;
}
