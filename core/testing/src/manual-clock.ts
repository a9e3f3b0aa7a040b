import type { Clock } from '@plinth/core';

/** A clock that only moves when a test moves it. */
export interface ManualClock extends Clock {
	/**
	 * Moves time forward by `ms`. Tasks that become due run in order of their time, each at its own instant. The event
	 * loop runs once after each task, so that the task's work can schedule the next one.
	 */
	advance(ms: number): Promise<void>;
	/** Moves only the value of `now`, forwards or backwards, as setting the wall clock does. Tasks keep their delays. */
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
