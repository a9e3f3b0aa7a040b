/** The worker thread of `startProbeThread`. */
import { parentPort, workerData } from 'node:worker_threads';
import { probe } from './latency.ts';

const running = probe(workerData as string);
parentPort?.once('message', async () => parentPort?.postMessage(await running.stop()));
