import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { outOfMemory } from './messages.ts';

/** Interval of the memory checks, in milliseconds: a decoder can fill some 10 MB in this time. */
const everyMs = 5;

/** Watches the memory of this process between `start` and `stop`. */
export interface MemoryWatch {
	start(): void;
	stop(): void;
}

/**
 * Kills this process when it exceeds `maxBytes` while the watch is on, and writes the reason to stderr.
 * Also kills it when its parent has exited. A separate thread checks, because the work often blocks the
 * main thread, which then does not notice the end of stdin either.
 */
export async function watchMemory(maxBytes: number): Promise<MemoryWatch> {
	const state = new Int32Array(new SharedArrayBuffer(8));
	const options = { state, maxBytes, everyMs, lastWords: outOfMemory };
	// The loop makes little garbage.
	const resourceLimits = { maxYoungGenerationSizeMb: 1 };
	const thread = new Worker(`(${watch})()`, { eval: true, workerData: options, resourceLimits });
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

/** The source of the thread, which starts faster than a separate file. It must not reference anything outside. */
function watch(): never {
	const { workerData } = process.getBuiltinModule('node:worker_threads');
	const { writeSync } = process.getBuiltinModule('node:fs');
	const { state, maxBytes, everyMs, lastWords } = workerData;
	const parent = process.ppid;
	for (;;) {
		// Sleeps until the watch is on, then for one interval.
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
