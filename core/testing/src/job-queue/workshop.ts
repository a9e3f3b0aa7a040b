import type { Accepted, ConsumeOptions, JobQueue, QueueMessage } from '@plinth/core';

/** A consumer that accepts everything and lets its attempts run until they are told to finish. */
interface Workshop {
	readonly started: QueueMessage[];
	readonly running: Map<string, () => void>;
	finish(jobId: string): void;
	finishAll(): void;
	close(): Promise<void>;
}

/** Opens a workshop on the jobs of kind `video`. */
export function open(
	queue: JobQueue,
	options: ConsumeOptions = { concurrency: 10, perTenant: 10 },
): Workshop & { closeOnly(): Promise<void> } {
	const started: QueueMessage[] = [];
	const running = new Map<string, () => void>();
	const consumer = queue.consume('video', options, async (received): Promise<Accepted> => {
		const { jobId, kind, tenant } = received;
		started.push({ jobId, kind, tenant });
		const finished = new Promise<void>((resolve) => running.set(jobId, resolve));
		return { finished };
	});
	const finish = (jobId: string): void => {
		running.get(jobId)?.();
		running.delete(jobId);
	};
	const finishAll = (): void => [...running.keys()].forEach(finish);
	return {
		started,
		running,
		finish,
		finishAll,
		closeOnly: () => consumer.close(),
		async close() {
			const closing = consumer.close();
			finishAll();
			await closing;
			finishAll();
		},
	};
}

/** A message for such a job. */
export function message(jobId: string, tenant = 'acme'): QueueMessage {
	return { jobId, kind: 'video', tenant };
}

/** Which jobs have begun, in that order. */
export function ids({ started }: Workshop): string[] {
	return started.map(({ jobId }) => jobId);
}

/** Gives a wrong queue the time to show itself. */
export async function turns(): Promise<void> {
	for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
}
