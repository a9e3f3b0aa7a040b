import type { Clock } from '@plinth/core';

/** A clock that stands still until it is told to move. */
export interface ManualClock extends Clock {
	/**
	 * Moves time forward by `ms` and runs the tasks that fall due, in order of their time, each at its own instant. After every
	 * task the event loop turns once, so that what the task started can schedule its next one. With nothing due, time moves at once.
	 */
	advance(ms: number): Promise<void>;
	/** Moves only what `now` answers, forwards or backwards, as an operator who sets the wall clock would. Tasks keep their waits. */
	jump(ms: number): void;
}

interface Task {
	readonly at: number;
	readonly run: () => void;
}

/** Makes a clock that starts at `start`, by default 2026-01-01T00:00:00Z. */
export function manualClock(start: number = Date.UTC(2026, 0, 1)): ManualClock {
	let elapsed = 0;
	let origin = start;
	const tasks = new Set<Task>();

	return {
		now: () => origin + elapsed,
		after(ms, run) {
			const task = { at: elapsed + Math.max(0, ms), run };
			tasks.add(task);
			return () => tasks.delete(task);
		},
		async advance(ms) {
			const until = elapsed + ms;
			for (let task = firstDue(tasks, until); task; task = firstDue(tasks, until)) {
				tasks.delete(task);
				elapsed = Math.max(elapsed, task.at);
				task.run();
				await new Promise((resolve) => setImmediate(resolve));
			}
			elapsed = Math.max(elapsed, until);
		},
		jump(ms) {
			origin += ms;
		},
	};
}

function firstDue(tasks: ReadonlySet<Task>, until: number): Task | undefined {
	let first: Task | undefined;
	for (const task of tasks) {
		if (task.at <= until && (!first || task.at < first.at)) first = task;
	}
	return first;
}
