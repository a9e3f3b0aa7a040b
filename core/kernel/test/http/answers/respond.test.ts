import { describe, expect, it } from 'vitest';
import { endingWith } from '../../../src/http/answers/respond.ts';

function counted<T>(events: AsyncIterable<T>) {
	const seen = { ends: 0 };
	const iterator = endingWith(events, async () => {
		seen.ends += 1;
	})[Symbol.asyncIterator]();
	return { seen, iterator };
}

async function* upTo(last: number): AsyncGenerator<number> {
	for (let value = 1; value <= last; value++) yield value;
}

describe('events with an end', () => {
	it('passes all events on, and ends once when return is called repeatedly', async () => {
		const { seen, iterator } = counted(upTo(2));
		expect((await iterator.next()).value).toBe(1);
		expect((await iterator.next()).value).toBe(2);
		expect((await iterator.next()).done).toBe(true);
		expect(seen.ends).toBe(0);
		await Promise.all([iterator.return?.(), iterator.return?.()]);
		expect(seen.ends).toBe(1);
	});

	it('ends after return of the source, also when nothing was read', async () => {
		const order: string[] = [];
		const source: AsyncIterable<number> = {
			[Symbol.asyncIterator]: () => ({
				next: () => new Promise(() => {}),
				async return() {
					order.push('returned');
					throw new Error('cannot return');
				},
			}),
		};
		const end = async () => void order.push('ended');
		const iterator = endingWith(source, end)[Symbol.asyncIterator]();
		await expect(iterator.return?.()).rejects.toThrow('cannot return');
		expect(order).toEqual(['returned', 'ended']);
	});
});
