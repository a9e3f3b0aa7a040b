import { describe, expect, test } from 'vitest';
import { Capacity } from '../src/limits/capacity.ts';
import { PerTenantLimit } from '../src/limits/per-tenant-limit.ts';
import { Semaphore } from '../src/limits/semaphore.ts';

const never = new AbortController().signal;
const turns = () => new Promise(setImmediate);

/** Tasks that run until the test ends them. */
function heldTasks() {
	const ends: (() => void)[] = [];
	return {
		begin: () => new Promise<void>((resolve) => ends.push(resolve)),
		get started() {
			return ends.length;
		},
		end: (index: number) => ends[index]?.(),
	};
}

describe('a semaphore', () => {
	test('runs as many tasks as it has slots, and the others in order', async () => {
		const places = new Semaphore(2);
		const order: number[] = [];
		const tasks = heldTasks();
		const all = [0, 1, 2, 3].map((index) =>
			places.run(() => {
				order.push(index);
				return tasks.begin();
			}),
		);
		await turns();
		expect(order).toEqual([0, 1]);
		for (const index of [1, 0, 2, 3]) {
			tasks.end(index);
			await turns();
		}
		await Promise.all(all);
		expect(order).toEqual([0, 1, 2, 3]);
	});

	test('never starts a task that was aborted while it waited', async () => {
		const places = new Semaphore(1);
		const tasks = heldTasks();
		const abort = new AbortController();
		const first = places.run(tasks.begin);
		const aborted = places.run(tasks.begin, abort.signal);
		abort.abort(new Error('left'));
		await expect(aborted).rejects.toThrow('left');
		const second = places.run(tasks.begin);
		await turns();
		expect(tasks.started).toBe(1);
		tasks.end(0);
		await first;
		await turns();
		expect(tasks.started).toBe(2);
		tasks.end(1);
		await second;
	});

	test('keeps the slot of a running task that was aborted until the task ends', async () => {
		const places = new Semaphore(1);
		const tasks = heldTasks();
		const abort = new AbortController();
		const aborted = places.run(tasks.begin, abort.signal);
		await turns();
		abort.abort(new Error('left'));
		await expect(aborted).rejects.toThrow('left');
		const next = places.run(tasks.begin);
		await turns();
		expect(tasks.started).toBe(1);
		tasks.end(0);
		await turns();
		expect(tasks.started).toBe(2);
		tasks.end(1);
		await next;
	});

	test('loses no slot by an abort between the turn of a task and its start', async () => {
		const places = new Semaphore(1);
		const abort = new AbortController();
		// It gets its slot at once, and starts in a later turn of the event loop.
		const aborted = places.run(async () => {}, abort.signal);
		abort.abort(new Error('left'));
		await expect(aborted).rejects.toThrow('left');
		const taken = places.run(async () => 'taken');
		expect(await Promise.race([taken, turns().then(() => 'lost')])).toBe('taken');
	});

	test('releases the slot of a task that fails', async () => {
		const places = new Semaphore(1);
		const failing = places.run(() => Promise.reject(new Error('no')));
		await expect(failing).rejects.toThrow('no');
		expect(await places.run(async () => 'taken')).toBe('taken');
	});
});

describe('a limit per tenant', () => {
	test('applies to all requests of a tenant, and to no other tenant', async () => {
		const limit = new PerTenantLimit(2);
		const tasks = heldTasks();
		const ask = (tenant: string) => limit.map(tenant, [1, 2], never, tasks.begin);
		const all = [ask('a'), ask('a'), ask('b')];
		await turns();
		expect(tasks.started).toBe(4);
		for (let index = 0; index < 6; index++) {
			tasks.end(index);
			await turns();
		}
		expect(tasks.started).toBe(6);
		expect(await Promise.all(all)).toHaveLength(3);
	});

	test('returns results in the order of their items', async () => {
		const limit = new PerTenantLimit(2);
		const results = await limit.map('a', [3, 1, 2], never, async (item) => {
			for (let turn = 0; turn < item; turn++) await turns();
			return item * 10;
		});
		expect(results).toEqual([30, 10, 20]);
	});

	test('starts no item after one that has failed', async () => {
		const started: number[] = [];
		const work = async (item: number) => {
			started.push(item);
			await turns();
			if (item === 1) throw new Error('no');
		};
		const limit = new PerTenantLimit(2);
		await expect(limit.map('a', [1, 2, 3, 4, 5], never, work)).rejects.toThrow('no');
		expect(started.filter((item) => item > 3)).toEqual([]);
	});
});

describe('a share of a capacity', () => {
	const busy = expect.objectContaining({ code: 'E_OVERLOADED' });

	test('can use the free capacity, and is refused above it', () => {
		const capacity = new Capacity(10);
		const [one, other] = [capacity.share(), capacity.share()];
		one.take(6);
		expect(() => other.take(5)).toThrow(busy);
		other.take(4);
		expect([one.held, other.held]).toEqual([6, 4]);
	});

	test('is released once when release is called repeatedly', () => {
		const capacity = new Capacity(10);
		const [one, other] = [capacity.share(), capacity.share()];
		one.take(6);
		other.take(4);
		one.release();
		one.release();
		expect(() => capacity.share().take(7)).toThrow(busy);
		capacity.share().take(6);
	});

	test('uses nothing after it was released', () => {
		const capacity = new Capacity(10);
		const late = capacity.share();
		late.release();
		late.take(10);
		expect(late.held).toBe(0);
		capacity.share().take(10);
	});
});
