import type { Clock } from '@plinth/core';

/** The system clock plus an offset that a test can change. Timers are not affected by the offset. */
export class ClockAhead implements Clock {
	/** Milliseconds by which this clock is ahead. */
	aheadMs = 0;

	now(): number {
		return Date.now() + this.aheadMs;
	}

	after(ms: number, task: () => void): () => void {
		const timer = setTimeout(task, ms).unref();
		return () => clearTimeout(timer);
	}
}
