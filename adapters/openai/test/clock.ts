import type { Clock } from '@plinth/core';

/** A clock on which short waits are over at once, and long ones never are. */
export interface ImpatientClock extends Clock {
	/** The waits that were over at once, in milliseconds. */
	readonly waits: number[];
}

/** Makes one. A wait of at most `most` milliseconds moves time by itself in the next turn of the event loop; longer ones, such as deadlines, stand. */
export function impatientClock(most = 20_000): ImpatientClock {
	let now = Date.UTC(2026, 0, 1);
	const waits: number[] = [];
	return {
		waits,
		now: () => now,
		after(ms, task) {
			if (ms > most) return () => {};
			let isWanted = true;
			setImmediate(() => {
				if (!isWanted) return;
				waits.push(ms);
				now += ms;
				task();
			});
			return () => {
				isWanted = false;
			};
		},
	};
}
