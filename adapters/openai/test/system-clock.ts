import type { Clock } from '@plinth/core';

/** A clock on the system timers, for suites that measure how fast a model reacts to an abort. */
export const systemClock: Clock = {
	now: () => Date.now(),
	after(ms, task) {
		const timer = setTimeout(task, ms).unref();
		return () => clearTimeout(timer);
	},
};
