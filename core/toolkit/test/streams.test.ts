import { plinthError } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { awaitFirst, fromModel } from '../src/streams/model-stream.ts';
import { withCleanup } from '../src/streams/with-cleanup.ts';

async function* values<T>(...items: T[]): AsyncGenerator<T> {
	yield* items;
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
	const found: T[] = [];
	for await (const value of source) found.push(value);
	return found;
}

describe('a stream with a task at its end', () => {
	const ends: readonly (readonly [string, (source: AsyncIterableIterator<number>) => unknown])[] = [
		['when it is over', all],
		[
			'when it is read again after its end',
			async (source) => {
				await all(source);
				await source.next();
				await source.return?.();
			},
		],
		['when nobody wants the rest', async (source) => void (await source.return?.())],
		[
			'when it is left early',
			async (source) => {
				for await (const _value of source) break;
			},
		],
	];

	test.each(ends)('runs the task once, %s', async (_when, read) => {
		let closed = 0;
		const source = withCleanup(values(1, 2), () => {
			closed += 1;
		});
		expect(closed).toBe(0);
		await read(source);
		expect(closed).toBe(1);
	});

	test('runs the task once when it fails', async () => {
		let closed = 0;
		async function* failing(): AsyncGenerator<number> {
			yield 1;
			throw new Error('no');
		}
		await expect(all(withCleanup(failing(), () => closed++))).rejects.toThrow('no');
		expect(closed).toBe(1);
	});
});

describe('the output of a model', () => {
	const signal = new AbortController().signal;

	test('is not awaited after the signal aborts, also when the model ignores it', async () => {
		const abort = new AbortController();
		let isReturned = false;
		const silent: AsyncIterableIterator<number> = {
			[Symbol.asyncIterator]: () => silent,
			next: () => new Promise(() => {}),
			return: async () => {
				isReturned = true;
				return { done: true, value: undefined };
			},
		};
		const next = fromModel(silent, abort.signal).next();
		abort.abort(new Error('left'));
		await expect(next).rejects.toThrow('left');
		expect(isReturned).toBe(true);
	});

	test('does not block other work, for any amount of output', async () => {
		let isFirst = true;
		setImmediate(() => {
			isFirst = false;
		});
		const stream = fromModel(values(...Array.from({ length: 500 }, (_, index) => index)), signal);
		expect(await all(stream)).toHaveLength(500);
		expect(isFirst).toBe(false);
	});

	test('fails without the message of the model', async () => {
		async function* failing(): AsyncGenerator<number> {
			yield* [];
			throw new Error('/secret/path');
		}
		const failure = await all(fromModel(failing(), signal)).catch((error: unknown) => error);
		expect(failure).toMatchObject({ code: 'E_MODEL_FAILED' });
		expect(String(failure)).not.toContain('/secret/path');
	});

	test('fails with the message of a coded error', async () => {
		async function* failing(): AsyncGenerator<number> {
			yield* [];
			throw plinthError('E_MODEL_BUSY');
		}
		const stream = all(fromModel(failing(), signal));
		await expect(stream).rejects.toMatchObject({ code: 'E_MODEL_BUSY' });
	});
});

describe('the wait for the first relevant value', () => {
	const nothing = () => plinthError('E_MODEL_FAILED');

	test('keeps the values before it', async () => {
		const stream = await awaitFirst(values(0, 0, 1, 2), (value) => value > 0, nothing);
		expect(await all(stream)).toEqual([0, 0, 1, 2]);
	});

	test('rejects when there is none', async () => {
		const waiting = awaitFirst(values(0, 0), (value) => value > 0, nothing);
		await expect(waiting).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
	});
});
