import type { Clock } from '../../contract/ports/clock.ts';

/** The clock of the machine. Its timers never keep the process alive. */
export const systemClock: Clock = {
	now: () => Date.now(),
	after(ms, task) {
		const timer = setTimeout(task, ms).unref();
		return () => clearTimeout(timer);
	},
};
