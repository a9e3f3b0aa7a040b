import { describe, expect, test } from 'vitest';
import { UnorderedList } from '../../src/http/unordered-list.ts';

const item = (name: string) => ({ name, listIndex: -1 });

describe('a bag', () => {
	test('gives back what was put in and not taken out, whatever the order', () => {
		const bag = new UnorderedList<ReturnType<typeof item>>();
		const items = Array.from({ length: 100 }, (_, i) => item(`${i}`));
		for (const each of items) bag.add(each);
		const taken = items.filter((_, i) => (i * 7) % 3 === 0);
		for (const each of taken.toReversed()) expect(bag.delete(each)).toBe(true);
		const left = items.filter((each) => !taken.includes(each));
		expect(new Set(bag.all())).toEqual(new Set(left));
		expect(bag.size).toBe(left.length);
	});

	test('knows what is not in it', () => {
		const [bag, other] = [
			new UnorderedList<ReturnType<typeof item>>(),
			new UnorderedList<ReturnType<typeof item>>(),
		];
		const [one, two] = [item('one'), item('two')];
		bag.add(one);
		other.add(two);
		expect(bag.delete(two)).toBe(false);
		expect(bag.delete(one)).toBe(true);
		expect(bag.delete(one)).toBe(false);
		expect(other.all()).toEqual([two]);
	});

	test('can be emptied while what was in it is looked through', () => {
		const bag = new UnorderedList<ReturnType<typeof item>>();
		for (const name of ['a', 'b', 'c']) bag.add(item(name));
		const seen = bag.all().map((each) => [each.name, bag.delete(each)]);
		expect(seen).toEqual([
			['a', true],
			['b', true],
			['c', true],
		]);
		expect(bag.size).toBe(0);
	});
});
