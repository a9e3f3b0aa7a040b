import type { Clock } from '@plinth/core';

/** The machine's clock, which a test can set ahead. What waits for a time to pass still waits as long as on the machine. */
export class ClockAhead implements Clock {
	/** Milliseconds by which it is fast. */
	aheadMs = 0;

	now(): number {
		return Date.now() + this.aheadMs;
	}

	after(ms: number, task: () => void): () => void {
		const timer = setTimeout(task, ms).unref();
		return () => clearTimeout(timer);
	}
}
