import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { outOfMemory } from './messages.ts';

/** Interval of the memory checks, in milliseconds: a decoder can fill some 10 MB in this time. */
const intervalMs = 5;

/**
 * Kills this process when it exceeds `maxBytes` between `start` and `stop`, and writes the reason to stderr. Also kills
 * it when its parent has exited. A separate thread checks, because the work often blocks the main thread, which then
 * does not notice the end of stdin either.
 */
export async function watchMemory(maxBytes: number) {
	const state = new Int32Array(new SharedArrayBuffer(8));
	const options = { state, maxBytes, intervalMs, message: outOfMemory };
	// The loop allocates little.
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
	const { state, maxBytes, intervalMs, message } = workerData;
	const parent = process.ppid;
	for (;;) {
		// Sleeps until the watch is started, then for one interval.
		Atomics.wait(state, 0, 0);
		Atomics.wait(state, 1, 0, intervalMs);
		const isOrphan = process.ppid !== parent;
		if (!isOrphan && process.memoryUsage.rss() <= maxBytes) continue;
		try {
			if (!isOrphan) writeSync(2, message);
		} finally {
			process.kill(process.pid, 'SIGKILL');
		}
	}
}
