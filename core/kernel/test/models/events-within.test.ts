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

/** A requested stream, and functions that control its source. */
function begin() {
	const clock = manualClock();
	const made = Promise.withResolvers<AsyncIterable<ServerEvent>>();
	const call = caller();
	let requestedCall: ModelCaller | undefined;
	const stream = startEventStream(call as unknown as Call, { clock, maxWaitMs: 1_000 }, (who) => {
		requestedCall = who;
		return made.promise;
	});
	stream.catch(() => {});
	return { clock, call, made, stream, requestedCall: () => requestedCall as ModelCaller };
}

describe('an event stream', () => {
	test('starts with its first event', async () => {
		const { made, stream } = begin();
		made.resolve(events(1, 2));
		expect(await readAll(await stream)).toEqual([1, 2]);
	});

	test('does not start with a failure', async () => {
		const { made, stream } = begin();
		made.reject(modelError('broken'));
		await expect(stream).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
	});

	test('starts without an event after the time limit, and may still have events', async () => {
		const { clock, made, stream } = begin();
		await clock.advance(1_000);
		const reading = readAll(await stream);
		made.resolve(events(1));
		expect(await reading).toEqual([1]);
	});

	test('that has started without an event contains its failure', async () => {
		const { clock, made, stream } = begin();
		await clock.advance(1_000);
		const reading = readAll(await stream);
		made.reject(modelError('broken'));
		await expect(reading).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
	});

	test('that is cancelled stops its models at once, also before the first event', async () => {
		const { clock, made, stream, requestedCall } = begin();
		await clock.advance(1_000);
		const events = await stream;
		expect(requestedCall().signal.aborted).toBe(false);
		await events.return?.();
		expect(requestedCall().signal.aborted).toBe(true);
		let isClosed = false;
		const late: AsyncIterableIterator<ServerEvent> = {
			[Symbol.asyncIterator]: () => late,
			next: () => new Promise(() => {}),
			async return() {
				isClosed = true;
				return { done: true, value: undefined };
			},
		};
		made.resolve(late);
		await settle();
		expect(isClosed).toBe(true);
	});

	test('stops its models when the client disconnects, and reports the current model', async () => {
		const { call, requestedCall, stream, made } = begin();
		requestedCall().answeredBy?.('first');
		expect(call.asked).toEqual(['first']);
		call.leave();
		expect(requestedCall().signal.aborted).toBe(true);
		made.reject(requestedCall().signal.reason);
		await expect(stream).rejects.toThrow('left');
	});
});
