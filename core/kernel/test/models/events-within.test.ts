import { manualClock } from '@plinth/testing';
import { startEventStream } from '@plinth/toolkit';
import { describe, expect, test } from 'vitest';
import { type Call, type ModelCaller, modelError, type ServerEvent } from '../../src/index.ts';
import { caller, settle } from './support.ts';

async function* events(...data: unknown[]): AsyncGenerator<ServerEvent> {
	for (const value of data) yield { data: value };
}

async function readAll(stream: AsyncIterable<ServerEvent>): Promise<unknown[]> {
	const seen: unknown[] = [];
	for await (const { data } of stream) seen.push(data);
	return seen;
}

/** A stream that is asked for, and the hands of whoever makes it. */
function begin() {
	const clock = manualClock();
	const made = Promise.withResolvers<AsyncIterable<ServerEvent>>();
	const call = caller();
	let asked: ModelCaller | undefined;
	const stream = startEventStream(call as unknown as Call, { clock, maxWaitMs: 1_000 }, (who) => {
		asked = who;
		return made.promise;
	});
	stream.catch(() => {});
	return { clock, call, made, stream, asked: () => asked as ModelCaller };
}

describe('an event stream', () => {
	test('begins when there is an event', async () => {
		const { made, stream } = begin();
		made.resolve(events(1, 2));
		expect(await readAll(await stream)).toEqual([1, 2]);
	});

	test('does not begin with a failure', async () => {
		const { made, stream } = begin();
		made.reject(modelError('broken'));
		await expect(stream).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
	});

	test('begins without an event when the time is over, and may still have some', async () => {
		const { clock, made, stream } = begin();
		await clock.advance(1_000);
		const reading = readAll(await stream);
		made.resolve(events(1));
		expect(await reading).toEqual([1]);
	});

	test('that has begun without an event has its failure inside', async () => {
		const { clock, made, stream } = begin();
		await clock.advance(1_000);
		const reading = readAll(await stream);
		made.reject(modelError('broken'));
		await expect(reading).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
	});

	test('that nobody wants stops its models at once, also before the first event', async () => {
		const { clock, made, stream, asked } = begin();
		await clock.advance(1_000);
		const events = await stream;
		expect(asked().signal.aborted).toBe(false);
		await events.return?.();
		expect(asked().signal.aborted).toBe(true);
		let isLetGo = false;
		const late: AsyncIterableIterator<ServerEvent> = {
			[Symbol.asyncIterator]: () => late,
			next: () => new Promise(() => {}),
			async return() {
				isLetGo = true;
				return { done: true, value: undefined };
			},
		};
		made.resolve(late);
		await settle();
		expect(isLetGo).toBe(true);
	});

	test('stops its models when the client leaves, and tells whose turn it is', async () => {
		const { call, asked, stream, made } = begin();
		asked().answeredBy?.('first');
		expect(call.asked).toEqual(['first']);
		call.leave();
		expect(asked().signal.aborted).toBe(true);
		made.reject(asked().signal.reason);
		await expect(stream).rejects.toThrow('left');
	});
});
