import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { outOfMemory } from './messages.ts';

/** How often memory is looked at: a decoder fills some 10 MB in this time. */
const everyMs = 5;

/** Looks at the memory of this process while it is told to. */
export interface MemoryWatch {
	start(): void;
	stop(): void;
}

/**
 * Kills this process when it takes more than `maxBytes` while the watch is on, and says on stderr why; and when its parent is gone. A thread
 * of its own looks, because what takes memory or has no end often blocks the main one, which then does not see the end of stdin either.
 */
export async function watchMemory(maxBytes: number): Promise<MemoryWatch> {
	const state = new Int32Array(new SharedArrayBuffer(8));
	const options = { state, maxBytes, everyMs, lastWords: outOfMemory };
	const thread = new Worker(`(${watch})()`, { eval: true, workerData: options });
	await once(thread, 'online');
	thread.unref();
	return {
		start() {
			Atomics.store(state, 0, 1);
			Atomics.notify(state, 0);
		},
		stop: () => void Atomics.store(state, 0, 0),
	};
}

/** Becomes the text of the thread, which is quicker than a file of its own: it may refer to nothing outside. */
function watch(): never {
	const { workerData } = process.getBuiltinModule('node:worker_threads');
	const { writeSync } = process.getBuiltinModule('node:fs');
	const { state, maxBytes, everyMs, lastWords } = workerData;
	const parent = process.ppid;
	for (;;) {
		// Sleeps until the watch is on, then for a moment.
		Atomics.wait(state, 0, 0);
		Atomics.wait(state, 1, 0, everyMs);
		const isOrphan = process.ppid !== parent;
		if (!isOrphan && process.memoryUsage.rss() <= maxBytes) continue;
		try {
			if (!isOrphan) writeSync(2, lastWords);
		} finally {
			process.kill(process.pid, 'SIGKILL');
		}
	}
}
