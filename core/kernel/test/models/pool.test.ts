import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RoundRobin } from '../../src/models/round-robin.ts';

const always = () => true;

function firsts(turns: RoundRobin<string>, count: number, isReady = always as (id: string) => boolean) {
	return Array.from({ length: count }, () => turns.next(isReady)[0] ?? '');
}

function counted(ids: readonly string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const id of ids) counts[id] = (counts[id] ?? 0) + 1;
	return counts;
}

describe('weighted round robin', () => {
	test('gives each member its exact share of a hundred turns', () => {
		const turns = new RoundRobin([
			['a', 7],
			['b', 2],
			['c', 1],
		]);
		expect(counted(firsts(turns, 100))).toEqual({ a: 70, b: 20, c: 10 });
	});

	test('is smooth: the heaviest member does not have its turns in a row', () => {
		const turns = new RoundRobin([
			['a', 5],
			['b', 1],
			['c', 1],
		]);
		expect(firsts(turns, 7).join('')).toBe('aabacaa');
	});

	test('lists the other members in the order of their next turns', () => {
		const turns = new RoundRobin([
			['a', 1],
			['b', 3],
			['c', 2],
		]);
		expect(turns.next(always)).toEqual(['b', 'c', 'a']);
	});

	test('shares the turns of members that are not ready among the others, and puts them last', () => {
		const turns = new RoundRobin([
			['a', 5],
			['b', 2],
			['c', 1],
		]);
		const isReady = (id: string) => id !== 'a';
		expect(counted(firsts(turns, 30, isReady))).toEqual({ b: 20, c: 10 });
		expect(turns.next(isReady).at(-1)).toBe('a');
		expect(counted(firsts(turns, 80))).toEqual({ a: 50, b: 20, c: 10 });
	});

	test('shares among all members when none is ready', () => {
		const turns = new RoundRobin([
			['a', 3],
			['b', 1],
		]);
		expect(counted(firsts(turns, 40, () => false))).toEqual({ a: 30, b: 10 });
	});

	test('respects any weights in every round', () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 }), (weights) => {
				const turns = new RoundRobin(weights.map((weight, index) => [String(index), weight]));
				const round = weights.reduce((sum, weight) => sum + weight, 0);
				for (let count = 0; count < 3; count += 1) {
					const shares = counted(firsts(turns, round));
					expect(weights.map((_, index) => shares[index])).toEqual(weights);
				}
			}),
			{ numRuns: 50 },
		);
	});
});
