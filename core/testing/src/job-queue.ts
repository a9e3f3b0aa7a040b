import assert from 'node:assert/strict';
import type { JobQueue } from '@plinth/core';
import { type ConformanceCase, caseMaker, type Subject } from './conformance.ts';
import { eventually } from './eventually.ts';
import { ids, message, open, turns } from './job-queue/workshop.ts';

/** A fresh queue in which nothing waits. */
export interface JobQueueSubject extends Subject {
	readonly queue: JobQueue;
}

/** What is under test. */
export interface JobQueueSuiteOptions {
	create(): Promise<JobQueueSubject>;
	/** What the queue promises beyond the contract, which lets messages come in any order. */
	readonly supports?: {
		/** The message of a tenant's oldest job comes before those of its others. */
		readonly oldestFirst?: boolean;
	};
}

/** Every sentence of the `JobQueue` contract as a case. */
export function jobQueueSuite(options: JobQueueSuiteOptions): ConformanceCase[] {
	const { create, supports = {} } = options;
	const it = caseMaker(create);
	return [...carrying(it), ...(supports.oldestFirst ? inOrder(it) : [])];
}

type It = ReturnType<typeof caseMaker<JobQueueSubject>>;

function inOrder(it: It): ConformanceCase[] {
	return [
		it('the oldest job of a tenant comes first, whenever it was rung for', async ({ queue }) => {
			for (const name of ['c', 'b']) await queue.enqueue(message(name));
			const workshop = open(queue, { concurrency: 1, perTenant: 1 });
			await eventually('one runs', () => workshop.started.length === 1);
			await queue.enqueue(message('a'));
			for (let i = 2; i <= 3; i += 1) {
				workshop.finishAll();
				await eventually(`attempt ${i} runs`, () => workshop.started.length === i);
			}
			assert.deepEqual(ids(workshop), ['b', 'a', 'c']);
			await workshop.close();
		}),
	];
}

function carrying(it: It): ConformanceCase[] {
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
			const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
			let isCalled = false;
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
