import type { Clock } from '@plinth/core';

/** A clock whose short timers fire immediately, and whose long timers never fire. */
export interface FastForwardClock extends Clock {
	/** The timers that fired, in milliseconds. */
	readonly waits: number[];
}

/**
 * Creates a clock. A timer of at most `most` milliseconds fires on the next turn of the event loop and advances the
 * time. Longer timers, such as timeouts, never fire.
 */
export function fastForwardClock(most = 20_000): FastForwardClock {
	let now = Date.UTC(2026, 0, 1);
	const waits: number[] = [];
	return {
		waits,
		now: () => now,
		after(ms, task) {
			if (ms > most) return () => {};
			let isActive = true;
			setImmediate(() => {
				if (!isActive) return;
				waits.push(ms);
				now += ms;
				task();
			});
			return () => {
				isActive = false;
			};
		},
	};
}
