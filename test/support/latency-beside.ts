import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Probe } from './latency.ts';

/** A probe of a server in a thread of its own, which what this one does meanwhile does not slow down. */
export async function probeBeside(url: string): Promise<Probe> {
	const thread = new Worker(new URL('./latency-thread.ts', import.meta.url), { workerData: url });
	await once(thread, 'online');
	const stop = async () => {
		const told = once(thread, 'message');
		thread.postMessage('stop');
		const [times] = (await told) as [readonly number[]];
		await thread.terminate();
		return times;
	};
	let stopped: Promise<readonly number[]> | undefined;
	return {
		stop() {
			stopped ??= stop();
			return stopped;
		},
	};
}
