import { expect, test } from 'vitest';
import { KernelContainer, token, wire } from '../../src/engine/containers/container.ts';

class Pair {
	readonly text: string;
	readonly count: number;
	constructor({ text, count }: { readonly text: string; readonly count: number }) {
		this.text = text;
		this.count = count;
	}
}

const text = token<string>('text');
const count = token<number>('count');
const pair = token<Pair>('pair');
wire(pair, (get) => new Pair({ text: get(text), count: get(count) }));
// @ts-expect-error two swapped tokens do not compile
() => wire(pair, (get) => new Pair({ text: get(count), count: get(text) }));
// @ts-expect-error a missing collaborator does not compile
() => wire(pair, (get) => new Pair({ text: get(text) }));

test('a wired class is built once from the values of its container', () => {
	const container = new KernelContainer().value(text, 'x').value(count, 3);
	expect(container.get(pair)).toMatchObject({ text: 'x', count: 3 });
	expect(container.get(pair)).toBe(container.get(pair));
});

test('a wired class is built when it is first requested', () => {
	const container = new KernelContainer().value(count, 3);
	expect(container.value(text, 'late').get(pair).text).toBe('late');
});

test('two containers share nothing', () => {
	const one = new KernelContainer().value(text, 'one').value(count, 1).get(pair);
	const two = new KernelContainer().value(text, 'two').value(count, 2).get(pair);
	expect([one.text, two.text]).toEqual(['one', 'two']);
});
