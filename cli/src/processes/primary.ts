import cluster, { type Worker } from 'node:cluster';
import { stopOnSignals } from '../signals.ts';
import type { Listening } from './listen-shared.ts';

/** The longest wait before a process is started again. Each failed start doubles the wait. In milliseconds. */
const longestWaitMs = 30_000;

/**
 * Runs servers in `count` processes that share one port, until a signal arrives. The first process starts alone, so
 * that problems of the config are reported once. Replaces a process that ends, while the others continue to serve.
 */
export function supervise(count: number): void {
	const processes = new Processes(count);
	stopOnSignals(processes);
	// Kills the processes also at a second signal, and when the stop takes too long.
	process.on('exit', () => processes.signal('SIGKILL'));
	processes.start();
}

class Processes {
	readonly #count: number;
	#isStopping = false;
	/** How many processes in a row could not start. */
	#failures = 0;

	constructor(count: number) {
		this.#count = count;
	}

	start(): void {
		// Each process accepts connections itself. With SCHED_RR, the primary process passes connections on. If the receiving
		// process is killed at that moment, the connection stays open without a response.
		cluster.schedulingPolicy = cluster.SCHED_NONE;
		cluster.setupPrimary({ args: [...process.argv.slice(2), '--child'] });
		this.#fork();
	}

	/** With port 0, the first process has selected a port. */
	#startOthers({ port }: Listening): void {
		if (this.#isStopping) return;
		cluster.setupPrimary({ args: [...process.argv.slice(2), '--child', '--port', String(port)] });
		for (let n = 1; n < this.#count; n += 1) this.#fork();
	}

	/** Rejects when a process did not stop cleanly. */
	async stop(): Promise<void> {
		this.#isStopping = true;
		const ends = workers()
			.filter((worker) => !worker.isDead())
			.map(hasEndedCleanly);
		this.signal('SIGTERM');
		const failed = (await Promise.all(ends)).filter((isClean) => !isClean);
		if (failed.length > 0) throw new Error(`${failed.length} of its processes did not stop cleanly`);
	}

	signal(name: NodeJS.Signals): void {
		for (const worker of workers()) worker.process.kill(name);
	}

	#fork(): Worker {
		const worker = cluster.fork();
		let hasListened = false;
		worker.on('message', (message: Listening | object) => {
			if ('port' in message) {
				hasListened = true;
				if (worker.id === 1) this.#startOthers(message);
				return;
			}
			// Messages of the event bus go on to the other processes.
			for (const other of workers()) if (other !== worker && other.isConnected()) other.send(message);
		});
		// Sending to a process that has just ended fails. Its `exit` event follows.
		worker.on('error', () => {});
		worker.once('exit', (code, signal) => {
			if (this.#isStopping) return;
			// The first process has printed why it could not start.
			if (worker.id === 1 && !hasListened) process.exit(code || 1);
			this.#failures = hasListened ? 0 : this.#failures + 1;
			this.#replace(worker, signal ?? `code ${code}`);
		});
		return worker;
	}

	#replace({ process: { pid } }: Worker, reason: string): void {
		const waitMs = this.#failures === 0 ? 0 : Math.min(longestWaitMs, 500 * 2 ** this.#failures);
		process.stderr.write(`plinth serve: process ${pid} has ended with ${reason}; another one starts in ${waitMs} ms\n`);
		setTimeout(() => {
			if (!this.#isStopping) this.#fork();
		}, waitMs);
	}
}

/** Waits for the end of a process. A process that is still starting ends by the signal of the stop. */
function hasEndedCleanly(worker: Worker): Promise<boolean> {
	// Not `once` of `node:events`, which rejects at an `error` event.
	return new Promise((resolve) => {
		worker.once('exit', (code, signal) => resolve(code === 0 || signal === 'SIGTERM' || signal === 'SIGINT'));
	});
}

function workers(): readonly Worker[] {
	return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}
