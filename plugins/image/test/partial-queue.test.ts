import { gate, silentLogger } from '@plinth/testing';
import { expect, test } from 'vitest';
import { PartialQueue } from '../src/work/partial-queue.ts';
import { pixels } from './pictures.ts';

test('a partial image that ignores its signal is not sent after the finished picture', async () => {
	const [asked, late] = [gate(), gate()];
	const shown: number[] = [];
	const queue = new PartialQueue({
		limit: 3,
		acceptsMore: () => true,
		async encode() {
			asked.open();
			await late.passed;
			return { data: new Uint8Array([1]), width: 1, height: 1, isTransparent: false };
		},
		show: ({ data }) => shown.push(data[0] ?? 0),
		log: silentLogger(),
	});
	queue.add(pixels(1, 1));
	await asked.passed;
	queue.close({ data: new Uint8Array([9]), width: 1, height: 1, isTransparent: false });
	late.open();
	await new Promise((resolve) => setImmediate(resolve));
	expect(shown).toEqual([9]);
});
