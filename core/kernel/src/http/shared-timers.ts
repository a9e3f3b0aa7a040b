import type { Clock } from '../contract/ports/clock.ts';
import { UnorderedList, type UnorderedListItem } from './unordered-list.ts';

/** Waits of one length that begin within so many milliseconds hang on one timer. */
const sharedMs = 100;

/** Waits that began at about the same time. */
interface Batch {
	readonly startedAt: number;
	readonly waits: UnorderedList<Wait>;
	readonly cancel: () => void;
}

interface Wait extends UnorderedListItem {
	/** Milliseconds behind the start of its batch. */
	readonly offset: number;
	readonly task: () => void;
}

/**
 * The same clock for many waits of few lengths that nearly always end before their time, as deadlines do: joining and leaving cost
 * two steps in a bag in place of a timer. A wait that does last gets a timer for its last tenth of a second, so it is as exact as
 * one of its own, and a jump of the wall clock does not matter to it.
 */
export function sharedTimers(clock: Clock): Clock {
	const latest = new Map<number, Batch>();

	function join(ms: number, now: number): Batch {
		const batch = latest.get(ms);
		const age = batch ? now - batch.startedAt : -1;
		if (batch && age >= 0 && age < sharedMs) return batch;
		const waits = new UnorderedList<Wait>();
		const made: Batch = { startedAt: now, waits, cancel: clock.after(ms, () => ring(ms, made)) };
		latest.set(ms, made);
		// Nobody would cancel it later.
		if (batch?.waits.size === 0) batch.cancel();
		return made;
	}

	function ring(ms: number, batch: Batch): void {
		if (latest.get(ms) === batch) latest.delete(ms);
		for (const wait of batch.waits.all()) {
			// A task before it may have cancelled it.
			if (!batch.waits.delete(wait)) continue;
			if (wait.offset === 0) wait.task();
			else finish(batch, wait);
		}
	}

	/** Waits for the rest, and can still be cancelled meanwhile. */
	function finish(batch: Batch, wait: Wait): void {
		batch.waits.add(wait);
		clock.after(wait.offset, () => {
			if (batch.waits.delete(wait)) wait.task();
		});
	}

	return {
		now: () => clock.now(),
		after(ms, task) {
			const now = clock.now();
			const batch = join(ms, now);
			const wait = { offset: now - batch.startedAt, task, listIndex: -1 };
			batch.waits.add(wait);
			return () => {
				batch.waits.delete(wait);
				if (batch.waits.size === 0 && latest.get(ms) !== batch) batch.cancel();
			};
		},
	};
}
