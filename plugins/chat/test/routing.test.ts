import { invalidValue, modelError } from '@plinth/core';
import { errorOf, eventually, manualClock } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import type { ChatEvent, ChatModel, ChatRequest } from '../src/model.ts';
import { answerOf, chunksOf, file, harness, pagesOf, textEvents, tool, user } from './harness.ts';

const streamed = { stream: true };
const failing = (): AsyncIterable<ChatEvent> => {
	throw modelError('The GPU is out of memory.');
};

/** A fallback model, and the requests that it received. */
function fallbackModel(abilities: ChatModel['abilities'] = {}) {
	const received: ChatRequest[] = [];
	const model: ChatModel = {
		apiVersion: 1,
		abilities,
		stream(request) {
			received.push(request);
			return textEvents('Here I am.');
		},
	};
	return { asked: received, model };
}

/** A stream that emits one word, then waits until `open` is called. */
function createHeldStream() {
	const held = Promise.withResolvers<void>();
	async function* stream(): AsyncGenerator<ChatEvent> {
		yield* textEvents('Well, ');
		await held.promise;
		yield* textEvents('yes.');
	}
	return { stream, open: held.resolve };
}

describe('a model that fails', () => {
	test.each([
		['at once', failing],
		[
			'without a code',
			async function* (): AsyncGenerator<ChatEvent> {
				yield* textEvents();
				throw new Error('secret');
			},
		],
		['without a word', () => textEvents()],
	])('%s before the first piece is replaced by its fallback', async (_, stream) => {
		const second = fallbackModel();
		const { ask } = await harness({
			stream,
			binding: { fallback: ['second'] },
			others: { second: second.model },
		});
		const whole = await answerOf(await ask());
		expect(whole).toMatchObject({
			model: 'second',
			choices: [{ message: { content: 'Here I am.' } }],
		});
		const answer = await ask(streamed);
		const { chunks, isDone } = await chunksOf(answer);
		expect([isDone, new Set(chunks.map((chunk) => chunk.model))]).toEqual([true, new Set(['second'])]);
		expect(answer.headers.get('x-plinth-model')).toBe('second');
	});

	test('after the first piece is replaced in a non-streamed answer, but not in a stream', async () => {
		const second = fallbackModel();
		const { ask } = await harness({
			async *stream() {
				yield* textEvents('Well');
				yield* failing();
			},
			binding: { fallback: ['second'] },
			others: { second: second.model },
		});
		expect((await answerOf(await ask())).choices[0]?.message.content).toBe('Here I am.');
		expect(second.asked).toHaveLength(1);
		const { chunks } = await chunksOf(await ask(streamed));
		expect(chunks.at(-1)?.error?.code).toBe('model_error');
		expect(second.asked).toHaveLength(1);
	});

	test('is replaced in a stream that has started without a piece', async () => {
		const clock = manualClock();
		const silence = Promise.withResolvers<never>();
		const { ask, calls } = await harness({
			clock,
			async *stream() {
				yield await silence.promise;
			},
			binding: { fallback: ['second'] },
			others: { second: fallbackModel().model },
		});
		const asked = ask(streamed);
		await eventually('the model is at work', () => calls.length === 1);
		await clock.advance(10_000);
		const answer = await asked;
		silence.reject(modelError('The GPU is gone.'));
		expect((await chunksOf(answer)).chunks.at(-1)).toMatchObject({ model: 'second' });
	});

	test('has its error returned when the fallback rejects the request', async () => {
		const { ask } = await harness({
			stream: failing,
			binding: { fallback: ['second'] },
			others: { second: fallbackModel({ tools: false }).model },
		});
		expect(await errorOf(await ask({ tools: [tool('now')] }))).toMatchObject({
			status: 502,
			message: expect.stringContaining('out of memory'),
		});
	});

	test('is not replaced when it rejects the request', async () => {
		const second = fallbackModel();
		const { ask } = await harness({
			stream() {
				throw invalidValue('seed', 'An even number.');
			},
			binding: { fallback: ['second'] },
			others: { second: second.model },
		});
		expect(await errorOf(await ask())).toMatchObject({ status: 400, param: 'seed' });
		expect(second.asked).toEqual([]);
	});
});

test('each model gets as much of a document as it accepts, and warns about the rest', async () => {
	const second = fallbackModel({ documentCharacters: 10 });
	const { ask, calls } = await harness({
		read: async () => pagesOf('one two three', 'four five six'),
		stream: failing,
		binding: { fallback: ['second'] },
		others: { second: second.model },
	});
	const answer = await answerOf(await ask({ messages: [user(file('a'))] }));
	expect(answer.warnings?.join()).toContain('longer than the model accepts');
	const [first, last] = [calls[0]?.request, second.asked[0]].map(
		(request) => request?.messages[0]?.content[0] as { readonly isTruncated: boolean },
	);
	expect([first?.isTruncated, last?.isTruncated]).toEqual([false, true]);
});

test('models with equal abilities share the read text and its limit', async () => {
	const { ask } = await harness({
		options: { heldChars: 10 },
		read: async () => pagesOf('0123456789'),
		stream: failing,
		binding: { fallback: ['second'] },
		others: { second: fallbackModel().model },
	});
	for (let round = 0; round < 3; round++) {
		expect((await ask({ messages: [user(file('a'))] })).status).toBe(200);
	}
});

describe('the slot of a model', () => {
	test('is held until a stream has ended', async () => {
		const { stream, open } = createHeldStream();
		const { ask, calls } = await harness({ stream, binding: { concurrency: 1 } });
		const first = await ask(streamed);
		const second = ask();
		await new Promise((resolve) => setImmediate(resolve));
		expect(calls).toHaveLength(1);
		open();
		expect((await chunksOf(first)).isDone).toBe(true);
		expect((await second).status).toBe(200);
		expect(calls).toHaveLength(2);
	});

	test('is freed when the client of a stream disconnects', async () => {
		const { stream, open } = createHeldStream();
		const { ask, calls } = await harness({ stream, binding: { concurrency: 1 } });
		const controller = new AbortController();
		await ask(streamed, { signal: controller.signal });
		const second = ask();
		controller.abort();
		await eventually('the second request has its turn', () => calls.length === 2);
		open();
		expect((await second).status).toBe(200);
	});

	test('is shared by all choices of a request', async () => {
		const { ask } = await harness({ binding: { concurrency: 1, waiting: 0 } });
		expect((await answerOf(await ask({ n: 3 }))).choices).toHaveLength(3);
	});

	test('is not taken by a request that the model rejects', async () => {
		const { stream, open } = createHeldStream();
		const { ask } = await harness({
			stream,
			abilities: { tools: false },
			binding: { concurrency: 1 },
		});
		const first = await ask(streamed);
		expect((await ask({ tools: [tool('now')] })).status).toBe(400);
		open();
		await first.text();
	});
});

test('a model that stays silent beyond its timeout is replaced', async () => {
	const clock = manualClock();
	const { ask, calls } = await harness({
		clock,
		stream: async function* () {
			await new Promise(() => {});
		},
		binding: { timeoutSeconds: 5, fallback: ['second'] },
		others: { second: fallbackModel().model },
	});
	const answer = ask(streamed);
	await eventually('the model is at work', () => calls.length === 1);
	await clock.advance(5_000);
	expect((await chunksOf(await answer)).chunks.at(-1)).toMatchObject({ model: 'second' });
	expect(calls[0]?.run.signal.reason).toMatchObject({ code: 'E_MODEL_TIMEOUT' });
});
