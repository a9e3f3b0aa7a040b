import { manualClock } from '@plinth/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPlinthError } from '../../src/index.ts';
import type { ModelSlot } from '../../src/models/wait-queue.ts';
import { FairQueue } from '../../src/models/wait-queue.ts';
import { caller, settle } from './support.ts';

/** A queue that records its callers in the order in which they get slots. */
function watched(concurrency: number, waiting: number) {
	const clock = manualClock();
	const queue = new FairQueue(concurrency, waiting, clock);
	const granted: { readonly name: string; readonly slot: ModelSlot }[] = [];
	const refused: { readonly name: string; readonly error: unknown }[] = [];
	const enter = (name: string, by = caller(name.slice(0, 1))) => {
		(async () => queue.enter(by))().then(
			(slot) => granted.push({ name, slot }),
			(error: unknown) => refused.push({ name, error }),
		);
		return by;
	};
	return { queue, clock, enter, granted, refused, names: () => granted.map(({ name }) => name) };
}

describe('the queue of a model', () => {
	test('grants a free slot at once, without a promise', async () => {
		const queue = new FairQueue(2, 0, manualClock());
		expect(queue.enter(caller())).not.toBeInstanceOf(Promise);
		expect(queue.hasFreeSlot).toBe(true);
		expect(queue.enter(caller())).not.toBeInstanceOf(Promise);
		expect(queue.hasFreeSlot).toBe(false);
		await expect(queue.enter(caller())).rejects.toMatchObject({ code: 'E_MODEL_BUSY' });
	});

	test('serves tenants in turn, and the calls of each tenant in order', async () => {
		const { enter, granted, names } = watched(1, 10);
		for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) enter(name);
		for (let turn = 0; turn < 7; turn += 1) {
			await settle();
			granted[turn]?.slot.done();
		}
		expect(names()).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
	});

	test('reports to a waiter how many calls are before it', async () => {
		const { enter, granted, names } = watched(1, 10);
		const places = new Map<string, () => number | undefined>();
		for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) {
			enter(name, { ...caller(name.slice(0, 1)), waits: (ahead) => void places.set(name, ahead) });
		}
		const positions = () => Object.fromEntries([...places].map(([name, ahead]) => [name, ahead()]));
		await settle();
		expect(positions()).toEqual({ a2: 0, b1: 1, c1: 2, a3: 3, b2: 4 });
		granted[0]?.slot.done();
		await settle();
		expect(positions()).toEqual({ a2: undefined, b1: 0, c1: 1, a3: 2, b2: 3 });
		for (let turn = 1; turn < 6; turn += 1) {
			granted[turn]?.slot.done();
			await settle();
		}
		expect(names()).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
	});

	test('removes a waiter when its signal aborts, and frees its slot in the queue', async () => {
		const { enter, granted, refused, names } = watched(1, 2);
		enter('a1');
		const aborting = enter('a2');
		enter('a3');
		await settle();
		const reason = new Error('gone');
		aborting.leave(reason);
		await settle();
		expect(refused).toEqual([{ name: 'a2', error: reason }]);
		enter('a4');
		await settle();
		expect(refused).toHaveLength(1);
		granted[0]?.slot.done();
		await settle();
		expect(names()).toEqual(['a1', 'a3']);
	});

	test('rejects a caller that has already disconnected', async () => {
		const { enter, refused } = watched(1, 2);
		enter('a1');
		const reason = new Error('gone');
		const abortedCaller = caller();
		abortedCaller.leave(reason);
		enter('a2', abortedCaller);
		await settle();
		expect(refused).toEqual([{ name: 'a2', error: reason }]);
	});

	test('refuses a caller when the queue is full', async () => {
		const { enter, refused } = watched(1, 2);
		for (const name of ['a1', 'a2', 'a3', 'a4']) enter(name);
		await settle();
		expect(refused).toMatchObject([{ name: 'a4', error: { code: 'E_MODEL_BUSY' } }]);
	});

	test('cannot be filled by one tenant: others replace its last waiter', async () => {
		const { enter, refused } = watched(1, 3);
		for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3']) enter(name);
		await settle();
		expect(refused.map(({ name }) => name).sort()).toEqual(['a4', 'b2', 'b3']);
	});

	test('reports when to retry, from 1 to 60 seconds, by the recent duration of slots', async () => {
		const { enter, clock, granted, refused } = watched(2, 1);
		const retryAfter = () => {
			const error = refused.at(-1)?.error;
			return isPlinthError(error) ? error.headers['retry-after'] : undefined;
		};
		for (const name of ['a1', 'a2', 'a3', 'a4']) enter(name);
		await settle();
		expect(retryAfter()).toBe('5');
		await clock.advance(12_000);
		granted[0]?.slot.done();
		enter('a5');
		enter('a6');
		await settle();
		// Two calls wait for two slots of twelve seconds each.
		expect(retryAfter()).toBe('12');
		await clock.advance(3_600_000);
		granted[1]?.slot.done();
		enter('a7');
		enter('a8');
		await settle();
		expect(retryAfter()).toBe('60');
	});
});

describe('a slot', () => {
	test('is in use after the work until all keepers have released it, each once', async () => {
		const { queue, enter, granted } = watched(1, 0);
		const by = enter('a1');
		await settle();
		const slot = granted[0]?.slot;
		const [first, second] = [slot?.keep(by.signal), slot?.keep(by.signal)];
		slot?.done();
		first?.();
		first?.();
		expect(queue.hasFreeSlot).toBe(false);
		second?.();
		expect(queue.hasFreeSlot).toBe(true);
	});

	test('is released when the signal of its keeper aborts, but not before the work is done', async () => {
		const { queue, enter, granted } = watched(1, 0);
		const by = enter('a1');
		await settle();
		const slot = granted[0]?.slot;
		slot?.keep(by.signal);
		by.leave();
		expect(queue.hasFreeSlot).toBe(false);
		slot?.done();
		expect(queue.hasFreeSlot).toBe(true);
	});

	test('is not kept by a caller that has already disconnected', async () => {
		const { queue, enter, granted } = watched(1, 0);
		const by = enter('a1');
		await settle();
		by.leave();
		granted[0]?.slot.keep(by.signal);
		granted[0]?.slot.done();
		expect(queue.hasFreeSlot).toBe(true);
	});
});

/** The model of a slot: in use until its work is done and it has no keeper. */
class UsedSlot {
	readonly slot: ModelSlot;
	readonly #caller: ReturnType<typeof caller>;
	readonly #keepers = new Set<object>();
	#isDone = false;
	#isFree = false;

	constructor(slot: ModelSlot, by: ReturnType<typeof caller>) {
		this.slot = slot;
		this.#caller = by;
	}

	get isUsed(): boolean {
		const isKept = this.#keepers.size > 0 && !this.#caller.signal.aborted;
		this.#isFree ||= this.#isDone && !isKept;
		return !this.#isFree;
	}

	done(): void {
		this.slot.done();
		this.#isDone = true;
	}

	free(): void {
		this.slot.free();
		this.#isFree = true;
	}

	keep(): () => void {
		const [keeper, release] = [{}, this.slot.keep(this.#caller.signal)];
		this.#keepers.add(keeper);
		return () => {
			release();
			this.#keepers.delete(keeper);
		};
	}
}

const pick = <T>(list: readonly T[], index: number) => list[index % Math.max(1, list.length)];

const steps = fc.array(
	fc.tuple(fc.constantFrom('enter', 'enter', 'enter', 'leave', 'done', 'free', 'keep', 'release'), fc.nat({ max: 30 })),
	{ maxLength: 60 },
);

test('slots are neither lost nor granted twice, for any order of events', async () => {
	await fc.assert(
		fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.nat({ max: 4 }), steps, async (slots, waiting, script) => {
			const queue = new FairQueue(slots, waiting, manualClock());
			const callers: ReturnType<typeof caller>[] = [];
			const taken: UsedSlot[] = [];
			const releases: (() => void)[] = [];
			let refused = 0;
			const enter = async (tenant: number) => {
				const by = caller(String(tenant % 3));
				callers.push(by);
				try {
					taken.push(new UsedSlot(await queue.enter(by), by));
				} catch {
					refused += 1;
				}
			};
			for (const [what, index] of script) {
				if (what === 'enter') void enter(index);
				if (what === 'leave') pick(callers, index)?.leave();
				if (what === 'done') pick(taken, index)?.done();
				if (what === 'free') pick(taken, index)?.free();
				if (what === 'keep') releases.push(pick(taken, index)?.keep() ?? (() => {}));
				if (what === 'release') pick(releases, index)?.();
				await settle();
				const used = taken.filter(({ isUsed }) => isUsed).length;
				const waiters = callers.length - taken.length - refused;
				expect(queue.hasFreeSlot).toBe(used < slots);
				expect(used).toBeLessThanOrEqual(slots);
				expect(waiters).toBeLessThanOrEqual(used < slots ? 0 : waiting);
			}
		}),
		{ numRuns: 150 },
	);
});
