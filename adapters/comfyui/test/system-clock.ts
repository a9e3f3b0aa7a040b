import type { Clock } from '@plinth/core';

/** The clock of the machine, for suites that measure how soon a model heeds its signal. */
export const systemClock: Clock = {
	now: () => Date.now(),
	after(ms, task) {
		const timer = setTimeout(task, ms).unref();
		return () => clearTimeout(timer);
	},
};
