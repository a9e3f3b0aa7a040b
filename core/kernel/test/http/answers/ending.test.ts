import { describe, expect, it } from 'vitest';
import { endingWith } from '../../../src/http/answers/ending.ts';

function counted<T>(events: AsyncIterable<T>) {
	const seen = { ends: 0 };
	const iterator = endingWith(events, async () => {
		seen.ends += 1;
	})[Symbol.asyncIterator]();
	return { seen, iterator };
}

async function* upTo(last: number, failure?: Error): AsyncGenerator<number> {
	for (let value = 1; value <= last; value++) yield value;
	if (failure) throw failure;
}

describe('endingWith', () => {
	it('passes everything on, and ends once when everything was read', async () => {
		const { seen, iterator } = counted(upTo(2));
		expect((await iterator.next()).value).toBe(1);
		expect((await iterator.next()).value).toBe(2);
		expect(seen.ends).toBe(0);
		expect((await iterator.next()).done).toBe(true);
		await iterator.return?.();
		expect(seen.ends).toBe(1);
	});

	it('ends once when the source fails, and passes the failure on', async () => {
		const { seen, iterator } = counted(upTo(0, new Error('broken')));
		await expect(iterator.next()).rejects.toThrow('broken');
		await iterator.return?.();
		expect(seen.ends).toBe(1);
	});

	it('ends when nobody reads on, or has read at all, after the source has been let go', async () => {
		const order: string[] = [];
		const source: AsyncIterable<number> = {
			[Symbol.asyncIterator]: () => ({
				next: () => new Promise(() => {}),
				async return() {
					order.push('returned');
					throw new Error('cannot be let go');
				},
			}),
		};
		const end = async () => void order.push('ended');
		const iterator = endingWith(source, end)[Symbol.asyncIterator]();
		await expect(iterator.return?.()).rejects.toThrow('cannot be let go');
		expect(order).toEqual(['returned', 'ended']);
	});
});
