import type { ConformanceCase } from '@plinth/testing';
import { test } from 'vitest';

/** A wrong implementation: its fault, the faulty methods, and the case that must detect it. */
export type Sabotage<T> = readonly [wrong: string, methods: (right: T) => Partial<T>, sentence: string];

/** `right` with some of its methods replaced. */
export function replace<T extends object>(right: T, methods: Partial<T>): T {
	return new Proxy(right, {
		get(target, name) {
			const value = Reflect.get(name in methods ? methods : target, name);
			return typeof value === 'function' ? value.bind(target) : value;
		},
	});
}

/** One test per wrong implementation: its case passes on the right implementation and fails on the wrong one. */
export function testSabotage<T extends object>(
	sabotages: readonly Sabotage<T>[],
	suite: (spoil: (right: T) => T) => ConformanceCase[],
): void {
	for (const [wrong, methods, sentence] of sabotages) {
		// The local `expect`: the global one may assign an assertion to another concurrent test.
		test.concurrent(`${wrong} is detected`, async ({ expect }) => {
			const named = (spoil: (right: T) => T): ConformanceCase => {
				const found = suite(spoil).find(({ name }) => name === sentence);
				return found ?? expect.fail(`there is no case "${sentence}"`);
			};
			await named((right) => right).run();
			await expect(named((right) => replace(right, methods(right))).run()).rejects.toThrow();
		});
	}
}
