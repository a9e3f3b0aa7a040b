import { invalidValue, modelError } from '@plinth/core';
import { errorOf, eventually, manualClock } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import type { ChatEvent, ChatModel, ChatRequest } from '../src/model.ts';
import { answerOf, chunksOf, file, harness, pagesOf, say, tool, user } from './harness.ts';

const streamed = { stream: true };
const failing = (): AsyncIterable<ChatEvent> => {
	throw modelError('The GPU is out of memory.');
};

/** A fallback model, and what it was asked. */
function fallbackModel(abilities: ChatModel['abilities'] = {}) {
	const asked: ChatRequest[] = [];
	const model: ChatModel = {
		apiVersion: 1,
		abilities,
		stream(request) {
			asked.push(request);
			return say('Here I am.');
		},
	};
	return { asked, model };
}

/** Says one word, then the rest when it is let on. */
function heldAnswer() {
	const held = Promise.withResolvers<void>();
	async function* stream(): AsyncGenerator<ChatEvent> {
		yield* say('Well, ');
		await held.promise;
		yield* say('yes.');
	}
	return { stream, open: held.resolve };
}

describe('a model that fails', () => {
	test.each([
		['at once', failing],
		[
			'without a code',
			async function* (): AsyncGenerator<ChatEvent> {
				yield* say();
				throw new Error('secret');
			},
		],
		['without a word', () => say()],
	])('%s before the first piece is replaced', async (_, stream) => {
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

	test('behind its first piece is replaced in a whole answer, and not in a stream', async () => {
		const second = fallbackModel();
		const { ask } = await harness({
			async *stream() {
				yield* say('Well');
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

	test('is replaced in a stream that has begun without a piece', async () => {
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

	test('is what the client reads of where the next one refuses', async () => {
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

	test('is not replaced when it has refused', async () => {
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

test('each model gets as much of a document as it takes, and tells what was left out', async () => {
	const second = fallbackModel({ documentCharacters: 10 });
	const { ask, calls } = await harness({
		read: async () => pagesOf('one two three', 'four five six'),
		stream: failing,
		binding: { fallback: ['second'] },
		others: { second: second.model },
	});
	const answer = await answerOf(await ask({ messages: [user(file('a'))] }));
	expect(answer.warnings?.join()).toContain('longer than the model takes');
	const [first, last] = [calls[0]?.request, second.asked[0]].map(
		(request) => request?.messages[0]?.content[0] as { readonly isTruncated: boolean },
	);
	expect([first?.isTruncated, last?.isTruncated]).toEqual([false, true]);
});

test('models of equal abilities share what was read, and its room', async () => {
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

describe('the place of a model', () => {
	test('is held until a stream is over', async () => {
		const { stream, open } = heldAnswer();
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

	test('is free again when the client of a stream leaves', async () => {
		const { stream, open } = heldAnswer();
		const { ask, calls } = await harness({ stream, binding: { concurrency: 1 } });
		const leave = new AbortController();
		await ask(streamed, { signal: leave.signal });
		const second = ask();
		leave.abort();
		await eventually('the second request has its turn', () => calls.length === 2);
		open();
		expect((await second).status).toBe(200);
	});

	test('is one for all answers to a request', async () => {
		const { ask } = await harness({ binding: { concurrency: 1, waiting: 0 } });
		expect((await answerOf(await ask({ n: 3 }))).choices).toHaveLength(3);
	});

	test('is not taken by a request that the model refuses', async () => {
		const { stream, open } = heldAnswer();
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

test('a model that is silent for longer than its time is replaced', async () => {
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
