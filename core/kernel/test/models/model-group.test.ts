import { manualClock, silentLogger } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { type GroupOptions, type GroupSlots, ModelGroup } from '../../src/models/model-group.ts';
import type { ModelSlot } from '../../src/models/wait-queue.ts';
import { caller, settle } from './support.ts';

const exclusive = { maxBatchSeconds: 30, waiting: 256 };

/** A group whose models record their calls, and whose calls the test ends. */
function group(options: Partial<GroupOptions> = {}, memory: Record<string, number> = { a: 1, b: 1, c: 1 }) {
	const clock = manualClock();
	const made = new ModelGroup('card', { ...exclusive, ...options }, clock, silentLogger());
	const story: string[] = [];
	const open = new Map<string, ModelSlot>();
	const add = (id: string, concurrency = 1, unload = async () => {}) =>
		made.add({
			id,
			memory: memory[id] ?? 1,
			concurrency,
			model: {
				async unload() {
					story.push(`-${id}`);
					await unload();
				},
			},
		});
	const call = async (slots: GroupSlots, name: string, by = caller()) => {
		const slot = await slots.enter(by);
		story.push(name);
		open.set(name, slot);
	};
	const end = async (name: string) => {
		open.get(name)?.free();
		open.delete(name);
		await settle();
	};
	return { clock, story, open, add, call, end };
}

describe('an exclusive group', () => {
	test('lets one model work at a time, and unloads it before the next', async () => {
		const { add, call, end, story } = group();
		const [a, b] = [add('a'), add('b')];
		void call(a, 'a1');
		void call(b, 'b1');
		await settle();
		expect(story).toEqual(['a1']);
		expect([a.status.state, b.status]).toEqual(['busy', { id: 'card', state: 'unloaded', waiting: 1 }]);
		await end('a1');
		expect(story).toEqual(['a1', '-a', 'b1']);
		expect([a.status.state, b.status.state]).toEqual(['unloaded', 'busy']);
		await end('b1');
		expect(b.status.state).toBe('loaded');
	});

	test('starts no call while a model is being unloaded', async () => {
		const { add, call, end, story } = group();
		const gate = Promise.withResolvers<void>();
		const [a, b] = [add('a', 1, () => gate.promise), add('b')];
		void call(a, 'a1');
		void call(b, 'b1');
		await settle();
		await end('a1');
		void call(a, 'a2');
		await settle();
		expect(story).toEqual(['a1', '-a']);
		gate.resolve();
		await settle();
		expect(story).toEqual(['a1', '-a', 'b1']);
	});

	test('runs calls of the loaded model first, until the batch has ended', async () => {
		const { add, call, end, story, clock } = group({ maxBatchSeconds: 10 });
		const [a, b] = [add('a'), add('b')];
		for (const name of ['a1', 'a2', 'a3']) void call(a, name);
		void call(b, 'b1', caller('two'));
		await settle();
		await clock.advance(9_000);
		await end('a1');
		expect(story).toEqual(['a1', 'a2']);
		await clock.advance(1_000);
		await end('a2');
		expect(story).toEqual(['a1', 'a2', '-a', 'b1']);
		await end('b1');
		expect(story.slice(4)).toEqual(['-b', 'a3']);
	});

	test('continues when a model cannot be unloaded, or takes too long', async () => {
		const { add, call, end, story, clock } = group();
		const a = add('a', 1, () => Promise.reject(new Error('no')));
		const [b, c] = [add('b', 1, () => new Promise(() => {})), add('c')];
		for (const [slots, name] of [
			[a, 'a1'],
			[b, 'b1'],
			[c, 'c1'],
		] as const)
			void call(slots, name);
		await settle();
		await end('a1');
		await end('b1');
		expect(story).toEqual(['a1', '-a', 'b1', '-b']);
		await clock.advance(30_000);
		await settle();
		expect(story.at(-1)).toBe('c1');
	});

	test('unloads an idle model after its time, and not one that is used again', async () => {
		const { add, call, end, story, clock } = group({ idleSeconds: 60 });
		const a = add('a');
		void call(a, 'a1');
		await settle();
		await end('a1');
		await clock.advance(59_000);
		void call(a, 'a2');
		await settle();
		await clock.advance(60_000);
		expect(story).toEqual(['a1', 'a2']);
		await end('a2');
		await clock.advance(60_000);
		expect(story).toEqual(['a1', 'a2', '-a']);
		expect(a.status.state).toBe('unloaded');
	});

	test('removes a caller that has disconnected', async () => {
		const { add, call, end, story } = group();
		const [a, b] = [add('a'), add('b')];
		void call(a, 'a1');
		const disconnecting = caller();
		const waiting = call(b, 'b1', disconnecting);
		await settle();
		disconnecting.leave();
		await expect(waiting).rejects.toThrow('left');
		await end('a1');
		expect(story).toEqual(['a1']);
		expect(b.status.waiting).toBe(0);
	});

	test('refuses a call when the queue is full', async () => {
		const { add, call } = group({ waiting: 1 });
		const a = add('a');
		void call(a, 'a1');
		void call(a, 'a2');
		await settle();
		await expect(call(a, 'a3')).rejects.toMatchObject({ code: 'E_MODEL_BUSY' });
	});
});

describe('a group with memory', () => {
	test('runs models at the same time if they fit together', async () => {
		const { add, call, end, story } = group({ memory: 10 }, { a: 6, b: 4, c: 5 });
		const [a, b, c] = [add('a'), add('b'), add('c')];
		for (const [slots, name] of [
			[a, 'a1'],
			[b, 'b1'],
			[c, 'c1'],
		] as const)
			void call(slots, name);
		await settle();
		expect(story).toEqual(['a1', 'b1']);
		await end('b1');
		expect(story).toEqual(['a1', 'b1']);
		await end('a1');
		// B was used last: it stays, and fits beside C.
		expect(story).toEqual(['a1', 'b1', '-a', 'c1']);
		expect(b.status.state).toBe('loaded');
	});

	test('gives a model as many slots as its concurrency', async () => {
		const { add, call, story } = group({ memory: 10 }, { a: 6 });
		const a = add('a', 2);
		for (const name of ['a1', 'a2', 'a3']) void call(a, name);
		await settle();
		expect([story, a.slots, a.hasFreeSlot]).toEqual([['a1', 'a2'], 2, false]);
	});
});

describe('a reserved slot', () => {
	test('is for the next call of the model', async () => {
		const { add, call, end, story } = group();
		const [a, b] = [add('a'), add('b')];
		void call(a, 'a1');
		await settle();
		const reserved = b.reserve(caller(''));
		await settle();
		expect([b.hasFreeSlot, b.slots]).toEqual([false, 0]);
		await end('a1');
		await reserved;
		expect([b.hasFreeSlot, b.slots]).toEqual([true, 1]);
		void call(a, 'a2');
		void call(b, 'b1');
		await settle();
		expect(story).toEqual(['a1', '-a', 'b1']);
		await end('b1');
		expect(story.slice(3)).toEqual(['-b', 'a2']);
	});

	test('is released when no call arrives', async () => {
		const { add, call, story, clock } = group();
		const [a, b] = [add('a'), add('b')];
		await a.reserve(caller(''));
		void call(b, 'b1');
		await settle();
		expect(story).toEqual([]);
		await clock.advance(5_000);
		await settle();
		expect(story).toEqual(['-a', 'b1']);
	});
});

describe('under mixed load', () => {
	test('200 calls of three tenants never overlap, and each tenant has its share at any time', async () => {
		const { add, clock } = group({ maxBatchSeconds: 5 });
		const models = ['a', 'b', 'c'].map((id) => ({ id, slots: add(id) }));
		let working: string | undefined;
		const served: string[] = [];
		const work = async (tenant: string, { id, slots }: (typeof models)[number]) => {
			const slot = await slots.enter(caller(tenant));
			expect(working).toBeUndefined();
			working = id;
			await new Promise<void>((resolve) => clock.after(1_000, resolve));
			working = undefined;
			served.push(tenant);
			slot.free();
		};
		const tenants = ['one', 'two', 'three'];
		const calls = Array.from({ length: 200 }, (_, n) => ({
			tenant: tenants[n % 3] ?? '',
			model: models[(n * 7 + Math.floor(n / 3)) % 3] ?? models[0],
		}));
		const all = Promise.all(calls.map(({ tenant, model }) => model && work(tenant, model)));
		for (let second = 0; served.length < 200 && second < 1_000; second += 1) {
			await settle();
			await clock.advance(1_000);
		}
		await all;
		expect(served).toHaveLength(200);
		for (const half of [served.slice(0, 100), served.slice(100)]) {
			for (const tenant of tenants) {
				const share = half.filter((name) => name === tenant).length / half.length;
				expect(Math.abs(share * 3 - 1), `${tenant} had ${share}`).toBeLessThan(0.2);
			}
		}
	});
});
