import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Probe } from './latency.ts';

/** Starts a probe in a worker thread, so that work in this thread does not distort its measurements. */
export async function startProbeThread(url: string): Promise<Probe> {
	const thread = new Worker(new URL('./latency-worker-thread.ts', import.meta.url), { workerData: url });
	await once(thread, 'online');
	const stop = async () => {
		const received = once(thread, 'message');
		thread.postMessage('stop');
		const [times] = (await received) as [readonly number[]];
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
