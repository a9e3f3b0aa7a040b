import { errorOf, eventually } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import type { ChatEvent } from '../src/model.ts';
import { answerOf, events, harness, textEvents, tool } from './harness.ts';

describe('an answer that is not streamed', () => {
	test('has all members that clients read', async () => {
		const { ask } = await harness();
		const body = await (await ask()).json();
		expect(body).toEqual({
			id: expect.stringMatching(/^chatcmpl-[\w-]{20}$/),
			object: 'chat.completion',
			created: expect.any(Number),
			model: 'fake-1',
			system_fingerprint: expect.stringMatching(/^fp_[0-9a-f]{10}$/),
			choices: [
				{
					index: 0,
					message: { role: 'assistant', content: 'Hello there.', refusal: null, annotations: [] },
					logprobs: null,
					finish_reason: 'stop',
				},
			],
			usage: {
				prompt_tokens: 2,
				completion_tokens: 3,
				total_tokens: 5,
				prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
				completion_tokens_details: {
					reasoning_tokens: 0,
					audio_tokens: 0,
					accepted_prediction_tokens: 0,
					rejected_prediction_tokens: 0,
				},
			},
		});
	});

	test('has a unique id, and the fingerprint of its model', async () => {
		const { ask } = await harness();
		const [a, b] = (await Promise.all([ask(), ask()].map(async (one) => (await one).json()))) as {
			id: string;
			system_fingerprint: string;
		}[];
		expect(a?.id).not.toBe(b?.id);
		expect(a?.system_fingerprint).toBe(b?.system_fingerprint);
	});

	test('has the usage, the reasoning, the warnings and the finish reason of the model', async () => {
		const usage = { promptTokens: 100, completionTokens: 20, cachedTokens: 60, reasoningTokens: 5 };
		const { ask } = await harness({
			stream: events(
				{ type: 'reasoning', text: 'Hmm.' },
				{ type: 'warning', message: 'No seed was used.' },
				{ type: 'text', text: 'Yes' },
				{ type: 'finish', reason: 'length', usage },
			),
		});
		expect(await answerOf(await ask())).toMatchObject({
			choices: [{ message: { content: 'Yes', reasoning_content: 'Hmm.' }, finish_reason: 'length' }],
			usage: {
				prompt_tokens: 100,
				completion_tokens: 20,
				total_tokens: 120,
				prompt_tokens_details: { cached_tokens: 60 },
				completion_tokens_details: { reasoning_tokens: 5 },
			},
			warnings: ['No seed was used.'],
		});
	});

	test('has an estimated usage when the model reports an invalid one', async () => {
		const usage = { promptTokens: 100, completionTokens: 20, reasoningTokens: '5' };
		const { ask } = await harness({
			stream: events({ type: 'text', text: 'Yes.' }, { type: 'finish', reason: 'stop', usage }),
		});
		expect((await answerOf(await ask())).usage).toMatchObject({
			prompt_tokens: 2,
			completion_tokens: 1,
			completion_tokens_details: { reasoning_tokens: 0 },
		});
	});

	test('has a limited number of warnings, each once', async () => {
		const { ask } = await harness({
			async *stream() {
				for (let at = 0; at < 200; at++) yield { type: 'warning', message: `${at >> 1}` };
				yield { type: 'text', text: 'Yes.' };
			},
		});
		const { warnings } = await answerOf(await ask());
		expect(warnings).toEqual(Array.from({ length: 32 }, (_, at) => `${at}`));
	});

	test('may be a refusal, which has no content', async () => {
		const { ask } = await harness({ stream: events({ type: 'refusal', text: 'I will not.' }) });
		const [choice] = (await answerOf(await ask())).choices;
		expect(choice).toMatchObject({ message: { content: null, refusal: 'I will not.' } });
	});

	test('has n choices, made with successive seeds from one prompt', async () => {
		const { ask, calls } = await harness({ stream: (_, { seed }) => textEvents(`${seed}`) });
		const { choices, usage } = await answerOf(await ask({ n: 5, seed: 4_294_967_294 }));
		expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
			[0, '4294967294'],
			[1, '4294967295'],
			[2, '0'],
			[3, '1'],
			[4, '2'],
		]);
		expect(calls).toHaveLength(5);
		expect(usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 9 });
	});

	test('makes two choices at a time', async () => {
		let [running, most] = [0, 0];
		const { ask } = await harness({
			async *stream() {
				most = Math.max(most, ++running);
				yield { type: 'text', text: 'a' };
				yield { type: 'text', text: 'b' };
				running--;
			},
		});
		await ask({ n: 8 });
		expect([most, running]).toEqual([2, 0]);
	});

	test('ends before a stop sequence, and the model is aborted immediately', async () => {
		const { ask, calls } = await harness({
			async *stream() {
				yield* textEvents('One, t', 'wo, three');
				await new Promise(() => {});
			},
		});
		const { choices } = await answerOf(await ask({ stop: ['three', ', two'] }));
		expect(choices).toMatchObject([{ message: { content: 'One' }, finish_reason: 'stop' }]);
		expect(calls[0]?.run.signal.aborted).toBe(true);
	});

	test('does not wait for a model that ignores its signal', async () => {
		const endless: AsyncIterable<ChatEvent> = {
			[Symbol.asyncIterator]: () => ({
				next: async () => ({ done: false, value: { type: 'text', text: 'over and out' } }),
				return: () => new Promise(() => {}),
			}),
		};
		const { ask } = await harness({ stream: () => endless });
		const { choices } = await answerOf(await ask({ stop: 'out' }));
		expect(choices[0]?.message.content).toBe('over and ');
	});
});

describe('equal requests', () => {
	test('get equal seeds, other requests get other seeds, and a given seed is used', async () => {
		const { ask, calls } = await harness();
		for (const content of ['a', 'a', 'b']) await ask({ messages: [{ role: 'user', content }] });
		await ask({ seed: 7 });
		const [a, again, b, sent] = calls.map(({ run }) => run.seed);
		expect(again).toBe(a);
		expect(b).not.toBe(a);
		expect(sent).toBe(7);
	});

	test('are distinguished by their files, including long ones', async () => {
		const { ask, calls } = await harness();
		for (const letter of ['x', 'x', 'y']) {
			const file_data = Buffer.from(letter.repeat(100_000)).toString('base64');
			await ask({ messages: [{ role: 'user', content: [{ type: 'file', file: { file_data } }] }] });
		}
		const [x, again, y] = calls.map(({ run }) => run.seed);
		expect(again).toBe(x);
		expect(y).not.toBe(x);
	});
});

describe('a model that fails', () => {
	test.each<readonly [string, readonly unknown[]]>([
		['says nothing', []],
		[
			'says only empty things',
			[
				{ type: 'text', text: '' },
				{ type: 'finish', reason: 'stop' },
			],
		],
		['says something unknown', [{ type: 'song', text: 'la' }]],
		['says what every object can', [{ type: 'toString' }, { type: 'text', text: 'a' }]],
		['says no text', [{ type: 'text' }]],
		['says null', [null]],
		['calls a tool without a name', [{ type: 'tool_call', index: 0, arguments: '{}' }]],
		['calls a tool that it was not offered', [{ type: 'tool_call', index: 0, name: 'rm' }]],
		['calls without an index', [{ type: 'tool_call', name: 'now' }]],
		['calls with half of an argument', [{ type: 'tool_call', index: 0, name: 'now', arguments: '{"a' }]],
	])('causes an error status and no partial answer when it %s', async (_, all) => {
		const { ask } = await harness({ stream: events(...all) });
		expect(await errorOf(await ask({ tools: [tool('now')] }))).toMatchObject({
			status: 502,
			code: 'model_error',
		});
	});

	test.each<readonly [string, () => never]>([
		[
			'throws at once',
			() => {
				throw new Error('secret path');
			},
		],
		['returns nothing to read', () => undefined as never],
	])('has its message only in the log when it %s', async (_, stream) => {
		const { ask } = await harness({ stream });
		const { status, code, message } = await errorOf(await ask());
		expect([status, code]).toEqual([502, 'model_error']);
		expect(message).not.toContain('secret');
	});

	test('aborts the other choices', async () => {
		const { ask, calls } = await harness({
			async *stream(_request, { seed }) {
				yield { type: 'text', text: 'begun' };
				if (seed === 1) throw new Error('broken');
				await new Promise(() => {});
			},
		});
		expect((await ask({ n: 2, seed: 0 })).status).toBe(502);
		await eventually('the other choice is aborted', () => calls.every(({ run }) => run.signal.aborted));
		expect(calls).toHaveLength(2);
	});

	test('has produced too much output', async () => {
		const megabyte = 'x'.repeat(1_048_576);
		const { ask } = await harness({
			async *stream() {
				for (;;) yield { type: 'text', text: megabyte };
			},
		});
		expect((await errorOf(await ask())).message).toContain('too long');
	});
});

describe('a client that disconnects', () => {
	test('is not waited for: the model is aborted, whether it reacts or not', async () => {
		let isReturned = false;
		const silent: AsyncIterable<ChatEvent> = {
			[Symbol.asyncIterator]: () => ({
				next: () => new Promise(() => {}),
				return: async () => {
					isReturned = true;
					return { done: true, value: undefined };
				},
			}),
		};
		const { ask, calls } = await harness({ stream: () => silent });
		const controller = new AbortController();
		const answer = ask({}, { signal: controller.signal }).catch(() => {});
		await eventually('the model is called', () => calls.length === 1);
		controller.abort();
		await eventually('its iterator is closed', () => isReturned, 1_000);
		expect(calls[0]?.run.signal.aborted).toBe(true);
		await answer;
	});

	test('is noticed while the model keeps emitting events', async () => {
		const most = 50_000;
		const controller = new AbortController();
		let count = 0;
		const { ask } = await harness({
			async *stream() {
				setTimeout(() => controller.abort(), 1);
				for (; count < most; count++) yield { type: 'text', text: '' };
			},
		});
		await ask({}, { signal: controller.signal }).catch(() => {});
		await eventually('the model is aborted', () => controller.signal.aborted);
		expect(count).toBeGreaterThan(0);
		expect(count).toBeLessThan(most);
	});
});
