import { eventually } from '@plinth/testing';
import { Semaphore } from '@plinth/toolkit';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createCodec, quarters } from './images.ts';

/** A task that runs until the test ends it. */
function task() {
	const gate = Promise.withResolvers<string>();
	let started = false;
	const run = () => {
		started = true;
		return gate.promise;
	};
	return { run, started: () => started, ...gate };
}

/** Resolves when all pending callbacks have run. */
const nextTurns = () => new Promise((resolve) => setImmediate(resolve));

describe('Semaphore', () => {
	it('runs no more tasks than its limit, and the others in order', async () => {
		const semaphore = new Semaphore(2);
		const tasks = [task(), task(), task(), task()];
		const results = tasks.map(({ run }) => semaphore.run(run));
		const started = () => tasks.map((each) => each.started());
		await nextTurns();
		expect(started()).toEqual([true, true, false, false]);
		tasks[1]?.resolve('second');
		await nextTurns();
		expect(started()).toEqual([true, true, true, false]);
		for (const { resolve } of tasks) resolve('done');
		expect(await Promise.all(results)).toEqual(['done', 'second', 'done', 'done']);
	});

	it('frees the slot after a failure', async () => {
		const semaphore = new Semaphore(1);
		const failed = semaphore.run(() => Promise.reject(new Error('no')));
		const next = semaphore.run(() => Promise.resolve('yes'));
		await expect(failed).rejects.toThrow('no');
		expect(await next).toBe('yes');
	});

	it('does not start a waiting task that was aborted', async () => {
		const semaphore = new Semaphore(1);
		const [first, second, third] = [task(), task(), task()];
		const controller = new AbortController();
		const running = semaphore.run(first.run);
		const waiting = semaphore.run(second.run, controller.signal);
		const last = semaphore.run(third.run);
		controller.abort(new Error('gone'));
		await expect(waiting).rejects.toThrow('gone');
		first.resolve('1');
		third.resolve('3');
		expect(await Promise.all([running, last])).toEqual(['1', '3']);
		expect(second.started()).toBe(false);
	});

	it('rejects immediately when a running task is aborted, but frees the slot only when the task has ended', async () => {
		const semaphore = new Semaphore(1);
		const [first, second] = [task(), task()];
		const controller = new AbortController();
		const running = semaphore.run(first.run, controller.signal);
		const waiting = semaphore.run(second.run);
		await nextTurns();
		controller.abort(new Error('gone'));
		await expect(running).rejects.toThrow('gone');
		await nextTurns();
		expect(second.started()).toBe(false);
		first.reject(new Error('unheard'));
		second.resolve('2');
		expect(await waiting).toBe('2');
	});
});

describe('the codec', () => {
	it('works on at most `concurrency` images at the same time', async () => {
		const codec = createCodec({ concurrency: 1 });
		const image = await quarters(400, 400).png().toBuffer();
		const counts: number[] = [];
		const inProgress = () => sharp.counters().queue + sharp.counters().process;
		// An image that leaves the queue is counted twice for a moment.
		const count = () => counts.push(Math.max(sharp.counters().queue, sharp.counters().process));
		// An earlier test file may have left work: sharp counts for the whole process.
		await eventually('sharp has nothing to do', () => inProgress() === 0);
		sharp.queue.on('change', count);
		try {
			const fits = Array.from({ length: 6 }, () => codec.fit(image, { width: 300, height: 300, mode: 'cover' }));
			await Promise.all(fits);
		} finally {
			sharp.queue.off('change', count);
		}
		expect(counts.length).toBeGreaterThan(5);
		expect(Math.max(...counts)).toBeLessThanOrEqual(1);
	});

	it('rejects with the reason of an aborted signal', async () => {
		const codec = createCodec({ concurrency: 1 });
		const image = await quarters().png().toBuffer();
		const reason = new Error('The client disconnected.');
		await expect(codec.probe(image, AbortSignal.abort(reason))).rejects.toBe(reason);

		const controller = new AbortController();
		const busy = codec.fit(image, { width: 900, height: 900, mode: 'cover' });
		const queued = codec.fit(image, { width: 900, height: 900, mode: 'cover' }, controller.signal);
		controller.abort(reason);
		await expect(queued).rejects.toBe(reason);
		expect((await busy).width).toBe(900);
	});
});
