import assert from 'node:assert/strict';
import type { Accepted, ConsumeOptions, JobQueue, QueueMessage } from '../ports/job-queue.ts';
import { type ConformanceCase, caseMaker, type Subject } from './conformance.ts';
import { eventually } from './eventually.ts';

/** A fresh queue in which nothing waits. */
export interface JobQueueSubject extends Subject {
	readonly queue: JobQueue;
}

/** What is under test. */
export interface JobQueueSuiteOptions {
	create(): Promise<JobQueueSubject>;
}

/** A consumer that accepts everything and lets its attempts run until they are told to finish. */
interface Workshop {
	readonly started: QueueMessage[];
	readonly running: Map<string, () => void>;
	finish(jobId: string): void;
	finishAll(): void;
	close(): Promise<void>;
}

/** Every sentence of the `JobQueue` contract as a case. */
export function jobQueueSuite({ create }: JobQueueSuiteOptions): ConformanceCase[] {
	const it = caseMaker(create);
	return [
		it('a consumer receives what is rung later', async ({ queue }) => {
			const workshop = open(queue);
			await queue.enqueue(message('a'));
			await eventually('the message arrives', () => workshop.started.length === 1);
			assert.deepEqual(workshop.started, [message('a')]);
			await workshop.close();
		}),
		it('a consumer receives what was rung before it came', async ({ queue }) => {
			await queue.enqueue(message('a'));
			const workshop = open(queue);
			await eventually('the message arrives', () => workshop.started.length === 1);
			await workshop.close();
		}),
		it('a consumer receives its own kind only', async ({ queue }) => {
			const workshop = open(queue);
			await queue.enqueue({ ...message('s'), kind: 'speech' });
			await queue.enqueue(message('v'));
			await eventually('a message arrives', () => workshop.started.length > 0);
			assert.deepEqual(ids(workshop), ['v']);
			await workshop.close();
		}),
		it('many messages all arrive, each once', async ({ queue }) => {
			const workshop = open(queue, { concurrency: 100, perTenant: 100 });
			const names = Array.from({ length: 60 }, (_, i) => `job-${i}`);
			await Promise.all(names.map((name) => queue.enqueue(message(name))));
			await eventually('all arrive', () => workshop.started.length >= names.length);
			assert.deepEqual(ids(workshop).sort(), names.sort());
			await workshop.close();
		}),
		it('a message is forgotten once its handler has settled', async ({ queue }) => {
			const workshop = open(queue);
			await queue.enqueue(message('a'));
			await eventually('the message arrives', () => workshop.running.has('a'));
			await workshop.close();
			const second = open(queue);
			await queue.enqueue(message('b'));
			await eventually('the next message arrives', () => second.started.length > 0);
			assert.deepEqual(ids(second), ['b']);
			await second.close();
		}),
		it('depth counts what waits, kind by kind', async ({ queue }) => {
			await queue.enqueue(message('a'));
			await queue.enqueue(message('b', 'umbrella'));
			await queue.enqueue({ ...message('c'), kind: 'speech' });
			assert.deepEqual([await queue.depth('video'), await queue.depth('speech')], [2, 1]);
		}),
		it('ringing twice for a waiting job leaves one message', async ({ queue }) => {
			await queue.enqueue(message('a'));
			await queue.enqueue(message('a'));
			assert.equal(await queue.depth('video'), 1);
		}),
		it('a job can be rung for again while it runs', async ({ queue }) => {
			const workshop = open(queue);
			await queue.enqueue(message('a'));
			await eventually('it runs', () => workshop.running.has('a'));
			await queue.enqueue(message('a'));
			await eventually('it arrives again', () => workshop.started.length === 2);
			await workshop.close();
		}),
		it('no more attempts run at once than concurrency allows', async ({ queue }) => {
			const workshop = open(queue, { concurrency: 2, perTenant: 2 });
			for (const name of ['a', 'b', 'c', 'd']) await queue.enqueue(message(name));
			await eventually('two run', () => workshop.started.length >= 2);
			await turns();
			assert.equal(workshop.started.length, 2);
			await workshop.close();
		}),
		it('what does not fit goes on waiting', async ({ queue }) => {
			const workshop = open(queue, { concurrency: 1, perTenant: 1 });
			for (const name of ['a', 'b', 'c']) await queue.enqueue(message(name));
			await eventually('one runs', () => workshop.started.length === 1);
			await eventually('two wait', async () => (await queue.depth('video')) === 2);
			await workshop.close();
		}),
		it('a finished attempt frees its slot', async ({ queue }) => {
			const workshop = open(queue, { concurrency: 1, perTenant: 1 });
			await queue.enqueue(message('a'));
			await queue.enqueue(message('b'));
			await eventually('the first runs', () => workshop.running.has('a'));
			workshop.finish('a');
			await eventually('the second runs', () => workshop.running.has('b'));
			await workshop.close();
		}),
		it('an attempt that ends in an error frees its slot', async ({ queue }) => {
			const seen: string[] = [];
			const consumer = queue.consume('video', { concurrency: 1, perTenant: 1 }, async (m) => {
				seen.push(m.jobId);
				return { finished: Promise.reject(new Error('the attempt failed')) };
			});
			await queue.enqueue(message('a'));
			await queue.enqueue(message('b'));
			await eventually('both were seen', () => seen.length === 2);
			await consumer.close();
		}),
		it('a handler that answers null frees its slot', async ({ queue }) => {
			const seen: string[] = [];
			const consumer = queue.consume('video', { concurrency: 1, perTenant: 1 }, async (m) => {
				seen.push(m.jobId);
				return null;
			});
			for (const name of ['a', 'b', 'c']) await queue.enqueue(message(name));
			await eventually('all were seen', () => seen.length === 3);
			await consumer.close();
		}),
		it('a handler that throws frees its slot', async ({ queue }) => {
			const seen = new Set<string>();
			const consumer = queue.consume('video', { concurrency: 1, perTenant: 1 }, async (m) => {
				const isFirst = !seen.has(m.jobId);
				seen.add(m.jobId);
				if (isFirst && m.jobId === 'a') throw new Error('the store does not answer');
				return null;
			});
			await queue.enqueue(message('a'));
			await queue.enqueue(message('b'));
			await eventually('both were seen', () => seen.size === 2);
			await consumer.close();
		}),
		it('no tenant has more attempts at once than perTenant allows', async ({ queue }) => {
			const workshop = open(queue, { concurrency: 4, perTenant: 2 });
			for (const name of ['a', 'b', 'c', 'd']) await queue.enqueue(message(name));
			await eventually('two run', () => workshop.started.length >= 2);
			await turns();
			assert.equal(workshop.started.length, 2);
			await workshop.close();
		}),
		it('a tenant at its limit does not hold up another', async ({ queue }) => {
			const workshop = open(queue, { concurrency: 4, perTenant: 1 });
			await queue.enqueue(message('a1', 'a'));
			await queue.enqueue(message('a2', 'a'));
			await queue.enqueue(message('b1', 'b'));
			await eventually('both tenants run', () => workshop.started.length === 2);
			assert.deepEqual(ids(workshop).sort(), ['a1', 'b1']);
			await workshop.close();
		}),
		it('a freed slot of a tenant goes to its next message', async ({ queue }) => {
			const workshop = open(queue, { concurrency: 4, perTenant: 1 });
			await queue.enqueue(message('a1', 'a'));
			await queue.enqueue(message('a2', 'a'));
			await eventually('one runs', () => workshop.started.length === 1);
			workshop.finish(workshop.started[0]?.jobId ?? '');
			await eventually('the other runs', () => workshop.started.length === 2);
			await workshop.close();
		}),
		it('under backlog tenants take turns', async ({ queue }) => {
			for (let i = 0; i < 12; i += 1) await queue.enqueue(message(`a${i}`, 'a'));
			for (let i = 0; i < 4; i += 1) await queue.enqueue(message(`b${i}`, 'b'));
			for (let i = 0; i < 4; i += 1) await queue.enqueue(message(`c${i}`, 'c'));
			const workshop = open(queue, { concurrency: 1, perTenant: 1 });
			for (let i = 1; i <= 9; i += 1) {
				await eventually(`attempt ${i} runs`, () => workshop.started.length === i);
				workshop.finishAll();
			}
			const served = workshop.started.slice(0, 9).map(({ tenant }) => tenant);
			for (const tenant of ['a', 'b', 'c']) {
				assert.equal(served.filter((name) => name === tenant).length, 3, `served: ${served}`);
			}
			await workshop.close();
		}),
		it('a closed consumer takes no further message', async ({ queue }) => {
			const workshop = open(queue);
			await workshop.close();
			await queue.enqueue(message('a'));
			await turns();
			assert.deepEqual([workshop.started, await queue.depth('video')], [[], 1]);
		}),
		it('a slot that is freed after close takes no further message', async ({ queue }) => {
			const workshop = open(queue, { concurrency: 1, perTenant: 1 });
			await queue.enqueue(message('a'));
			await queue.enqueue(message('b'));
			await eventually('one runs', () => workshop.running.has('a'));
			await workshop.closeOnly();
			workshop.finishAll();
			await turns();
			assert.deepEqual([ids(workshop), await queue.depth('video')], [['a'], 1]);
		}),
		it('close waits for open handler calls', async ({ queue }) => {
			let letGo = (): void => {};
			let isCalled = false;
			const gate = new Promise<void>((resolve) => {
				letGo = resolve;
			});
			const consumer = queue.consume('video', { concurrency: 1, perTenant: 1 }, async () => {
				isCalled = true;
				await gate;
				return null;
			});
			await queue.enqueue(message('a'));
			await eventually('the handler is called', () => isCalled);
			let isClosed = false;
			const closing = consumer.close().then(() => {
				isClosed = true;
			});
			await turns();
			assert.equal(isClosed, false);
			letGo();
			await closing;
		}),
		it('close does not wait for running attempts', async ({ queue }) => {
			const workshop = open(queue);
			await queue.enqueue(message('a'));
			await eventually('it runs', () => workshop.running.has('a'));
			await workshop.closeOnly();
			workshop.finishAll();
		}),
		it('two consumers share the messages without repeating one', async ({ queue }) => {
			const one = open(queue, { concurrency: 20, perTenant: 20 });
			const two = open(queue, { concurrency: 20, perTenant: 20 });
			const names = Array.from({ length: 30 }, (_, i) => `job-${i}`);
			await Promise.all(names.map((name) => queue.enqueue(message(name))));
			const all = () => [...ids(one), ...ids(two)];
			await eventually('all arrive', () => all().length >= names.length);
			assert.deepEqual(all().sort(), names.sort());
			await one.close();
			await two.close();
		}),
	];
}

function open(
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

function message(jobId: string, tenant = 'acme'): QueueMessage {
	return { jobId, kind: 'video', tenant };
}

function ids({ started }: Workshop): string[] {
	return started.map(({ jobId }) => jobId);
}

/** Gives a wrong queue the time to show itself. */
async function turns(): Promise<void> {
	for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
}
