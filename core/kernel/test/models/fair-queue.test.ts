import { manualClock } from '@plinth/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPlinthError } from '../../src/index.ts';
import { FairQueue } from '../../src/models/fair-queue.ts';
import type { ModelSlot } from '../../src/models/model-slot.ts';
import { caller, settle } from './support.ts';

/** A line whose comers are noted as they get their places. */
function watched(concurrency: number, waiting: number) {
	const clock = manualClock();
	const line = new FairQueue(concurrency, waiting, clock);
	const seated: { readonly name: string; readonly place: ModelSlot }[] = [];
	const refused: { readonly name: string; readonly error: unknown }[] = [];
	const come = (name: string, comer = caller(name.slice(0, 1))) => {
		(async () => line.enter(comer))().then(
			(place) => seated.push({ name, place }),
			(error: unknown) => refused.push({ name, error }),
		);
		return comer;
	};
	return { line, clock, come, seated, refused, names: () => seated.map(({ name }) => name) };
}

describe('a line before a model', () => {
	test('seats those for whom there are places at once, without a promise', () => {
		const line = new FairQueue(2, 0, manualClock());
		expect(line.enter(caller())).not.toBeInstanceOf(Promise);
		expect(line.hasFreePlace).toBe(true);
		expect(line.enter(caller())).not.toBeInstanceOf(Promise);
		expect(line.hasFreePlace).toBe(false);
		expect(() => line.enter(caller())).toThrow(expect.objectContaining({ code: 'E_MODEL_BUSY' }));
	});

	test('gives tenants their turns, and each tenant its calls in their order', async () => {
		const { come, seated, names } = watched(1, 10);
		for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) come(name);
		for (let turn = 0; turn < 7; turn += 1) {
			await settle();
			seated[turn]?.place.over();
		}
		expect(names()).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
	});

	test('lets a waiter go when its signal aborts, and seats nobody in its place', async () => {
		const { come, seated, refused, names } = watched(1, 2);
		come('a1');
		const leaver = come('a2');
		come('a3');
		await settle();
		const reason = new Error('gone');
		leaver.leave(reason);
		await settle();
		expect(refused).toEqual([{ name: 'a2', error: reason }]);
		come('a4');
		await settle();
		expect(refused).toHaveLength(1);
		seated[0]?.place.over();
		await settle();
		expect(names()).toEqual(['a1', 'a3']);
	});

	test('does not let anybody wait who has left already', async () => {
		const { come, refused } = watched(1, 2);
		come('a1');
		const reason = new Error('gone');
		const gone = caller();
		gone.leave(reason);
		come('a2', gone);
		await settle();
		expect(refused).toEqual([{ name: 'a2', error: reason }]);
	});

	test('refuses who comes to a full line', async () => {
		const { come, refused } = watched(1, 2);
		for (const name of ['a1', 'a2', 'a3', 'a4']) come(name);
		await settle();
		expect(refused).toMatchObject([{ name: 'a4', error: { code: 'E_MODEL_BUSY' } }]);
	});

	test('cannot be filled by one tenant: its last gives way to others', async () => {
		const { come, refused } = watched(1, 3);
		for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3']) come(name);
		await settle();
		expect(refused.map(({ name }) => name).sort()).toEqual(['a4', 'b2', 'b3']);
	});

	test('tells when to come again by how long places were held lately, from 1 to 60 seconds', async () => {
		const { come, clock, seated, refused } = watched(2, 1);
		const retryAfter = () => {
			const error = refused.at(-1)?.error;
			return isPlinthError(error) ? error.headers['retry-after'] : undefined;
		};
		for (const name of ['a1', 'a2', 'a3', 'a4']) come(name);
		await settle();
		expect(retryAfter()).toBe('5');
		await clock.advance(12_000);
		seated[0]?.place.over();
		come('a5');
		come('a6');
		await settle();
		// Two in line before two places of twelve seconds each.
		expect(retryAfter()).toBe('12');
		await clock.advance(3_600_000);
		seated[1]?.place.over();
		come('a7');
		come('a8');
		await settle();
		expect(retryAfter()).toBe('60');
	});
});

describe('a place', () => {
	test('is kept behind the work until all who hold it have let go, each once', async () => {
		const { line, come, seated } = watched(1, 0);
		const comer = come('a1');
		await settle();
		const place = seated[0]?.place;
		const [first, second] = [place?.keepSlot(comer.signal), place?.keepSlot(comer.signal)];
		place?.over();
		first?.();
		first?.();
		expect(line.hasFreePlace).toBe(false);
		second?.();
		expect(line.hasFreePlace).toBe(true);
	});

	test('is given back when the signal of who holds it aborts, but not before the work is over', async () => {
		const { line, come, seated } = watched(1, 0);
		const comer = come('a1');
		await settle();
		const place = seated[0]?.place;
		place?.keepSlot(comer.signal);
		comer.leave();
		expect(line.hasFreePlace).toBe(false);
		place?.over();
		expect(line.hasFreePlace).toBe(true);
	});

	test('is not held by who has left already', async () => {
		const { line, come, seated } = watched(1, 0);
		const comer = come('a1');
		await settle();
		comer.leave();
		seated[0]?.place.keepSlot(comer.signal);
		seated[0]?.place.over();
		expect(line.hasFreePlace).toBe(true);
	});
});

/** A place as it should be: out until its work is over and nobody holds it. */
class Taken {
	readonly place: ModelSlot;
	readonly #comer: ReturnType<typeof caller>;
	readonly #holds = new Set<object>();
	#isOver = false;
	#isBack = false;

	constructor(place: ModelSlot, comer: ReturnType<typeof caller>) {
		this.place = place;
		this.#comer = comer;
	}

	get isOut(): boolean {
		const isHeld = this.#holds.size > 0 && !this.#comer.signal.aborted;
		this.#isBack ||= this.#isOver && !isHeld;
		return !this.#isBack;
	}

	over(): void {
		this.place.over();
		this.#isOver = true;
	}

	giveBack(): void {
		this.place.giveBack();
		this.#isBack = true;
	}

	hold(): () => void {
		const [hold, release] = [{}, this.place.keepSlot(this.#comer.signal)];
		this.#holds.add(hold);
		return () => {
			release();
			this.#holds.delete(hold);
		};
	}
}

const pick = <T>(list: readonly T[], index: number) => list[index % Math.max(1, list.length)];

const steps = fc.array(
	fc.tuple(
		fc.constantFrom('come', 'come', 'come', 'leave', 'over', 'fail', 'hold', 'release'),
		fc.nat({ max: 30 }),
	),
	{ maxLength: 60 },
);

test('places are neither lost nor given twice, whatever happens in whatever order', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 3 }),
			fc.nat({ max: 4 }),
			steps,
			async (places, waiting, script) => {
				const line = new FairQueue(places, waiting, manualClock());
				const comers: ReturnType<typeof caller>[] = [];
				const taken: Taken[] = [];
				const releases: (() => void)[] = [];
				let refused = 0;
				const come = async (tenant: number) => {
					const comer = caller(String(tenant % 3));
					comers.push(comer);
					try {
						taken.push(new Taken(await line.enter(comer), comer));
					} catch {
						refused += 1;
					}
				};
				for (const [what, index] of script) {
					if (what === 'come') void come(index);
					if (what === 'leave') pick(comers, index)?.leave();
					if (what === 'over') pick(taken, index)?.over();
					if (what === 'fail') pick(taken, index)?.giveBack();
					if (what === 'hold') releases.push(pick(taken, index)?.hold() ?? (() => {}));
					if (what === 'release') pick(releases, index)?.();
					await settle();
					const out = taken.filter(({ isOut }) => isOut).length;
					const inLine = comers.length - taken.length - refused;
					expect(line.hasFreePlace).toBe(out < places);
					expect(out).toBeLessThanOrEqual(places);
					expect(inLine).toBeLessThanOrEqual(out < places ? 0 : waiting);
				}
			},
		),
		{ numRuns: 150 },
	);
});
