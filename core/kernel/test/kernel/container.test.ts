import { expect, test } from 'vitest';
import { KernelContainer, token, wire } from '../../src/engine/containers/container.ts';

class Pair {
	readonly text: string;
	readonly count: number;
	constructor(text: string, count: number) {
		this.text = text;
		this.count = count;
	}
}

const text = token<string>('text');
const count = token<number>('count');
const pair = token<Pair>('pair');
wire(Pair, text, count);
// @ts-expect-error two swapped tokens do not compile
() => wire(Pair, count, text);
// @ts-expect-error a missing token does not compile
() => wire(Pair, text);

test('a wired class is built once from the values of its container', () => {
	const container = new KernelContainer().value(text, 'x').value(count, 3);
	expect(container.build(pair, Pair)).toMatchObject({ text: 'x', count: 3 });
});

test('two containers share nothing', () => {
	const one = new KernelContainer().value(text, 'one').value(count, 1).build(pair, Pair);
	const two = new KernelContainer().value(text, 'two').value(count, 2).build(pair, Pair);
	expect([one.text, two.text]).toEqual(['one', 'two']);
});
