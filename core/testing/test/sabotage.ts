import type { ConformanceCase } from '@plinth/testing';
import { expect, test } from 'vitest';

/** A wrong implementation: what is wrong with it, the methods that make it so, and the case that must notice. */
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

/** A test per wrong implementation: the case named for it passes on the right one and fails on the wrong one. */
export function testSabotage<T extends object>(
	sabotages: readonly Sabotage<T>[],
	suite: (spoil: (right: T) => T) => ConformanceCase[],
): void {
	for (const [wrong, methods, sentence] of sabotages) {
		test.concurrent(`${wrong}: noticed`, async () => {
			const named = (spoil: (right: T) => T): ConformanceCase => {
				const found = suite(spoil).find(({ name }) => name === sentence);
				return found ?? expect.fail(`there is no case "${sentence}"`);
			};
			await named((right) => right).run();
			await expect(named((right) => replace(right, methods(right))).run()).rejects.toThrow();
		});
	}
}
