import { errorOf, eventually } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import type { ChatEvent } from '../src/model.ts';
import { answerOf, events, harness, say, tool } from './harness.ts';

describe('a whole answer', () => {
	test('has every member that clients read', async () => {
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

	test('has an id of its own, and the fingerprint of its model', async () => {
		const { ask } = await harness();
		const [a, b] = (await Promise.all([ask(), ask()].map(async (one) => (await one).json()))) as {
			id: string;
			system_fingerprint: string;
		}[];
		expect(a?.id).not.toBe(b?.id);
		expect(a?.system_fingerprint).toBe(b?.system_fingerprint);
	});

	test('says what the model counted, thought, could not honour, and why it ended', async () => {
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

	test('has counts of its own where those of the model are none', async () => {
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

	test('has few warnings, and each once, however often the model warns', async () => {
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

	test('has as many choices as were asked for, with successive seeds and one prompt', async () => {
		const { ask, calls } = await harness({ stream: (_, { seed }) => say(`${seed}`) });
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

	test('is made two at a time', async () => {
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

	test('ends before a stop sequence, and the model is told at once', async () => {
		const { ask, calls } = await harness({
			async *stream() {
				yield* say('One, t', 'wo, three');
				await new Promise(() => {});
			},
		});
		const { choices } = await answerOf(await ask({ stop: ['three', ', two'] }));
		expect(choices).toMatchObject([{ message: { content: 'One' }, finish_reason: 'stop' }]);
		expect(calls[0]?.run.signal.aborted).toBe(true);
	});

	test('does not wait for a model that will not end', async () => {
		const stuck: AsyncIterable<ChatEvent> = {
			[Symbol.asyncIterator]: () => ({
				next: async () => ({ done: false, value: { type: 'text', text: 'over and out' } }),
				return: () => new Promise(() => {}),
			}),
		};
		const { ask } = await harness({ stream: () => stuck });
		const { choices } = await answerOf(await ask({ stop: 'out' }));
		expect(choices[0]?.message.content).toBe('over and ');
	});
});

describe('equal requests', () => {
	test('get equal seeds, others get others, and a sent one counts', async () => {
		const { ask, calls } = await harness();
		for (const content of ['a', 'a', 'b']) await ask({ messages: [{ role: 'user', content }] });
		await ask({ seed: 7 });
		const [a, again, b, sent] = calls.map(({ run }) => run.seed);
		expect(again).toBe(a);
		expect(b).not.toBe(a);
		expect(sent).toBe(7);
	});

	test('are told apart by their files, also by long ones', async () => {
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
	])('ends with a status, not with a broken answer: it %s', async (_, all) => {
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
	])('keeps its own words to the log: it %s', async (_, stream) => {
		const { ask } = await harness({ stream });
		const { status, code, message } = await errorOf(await ask());
		expect([status, code]).toEqual([502, 'model_error']);
		expect(message).not.toContain('secret');
	});

	test('takes the other choices with it', async () => {
		const { ask, calls } = await harness({
			async *stream(_request, { seed }) {
				yield { type: 'text', text: 'begun' };
				if (seed === 1) throw new Error('broken');
				await new Promise(() => {});
			},
		});
		expect((await ask({ n: 2, seed: 0 })).status).toBe(502);
		await eventually('the other one is told', () => calls.every(({ run }) => run.signal.aborted));
		expect(calls).toHaveLength(2);
	});

	test('may have said too much', async () => {
		const megabyte = 'x'.repeat(1_048_576);
		const { ask } = await harness({
			async *stream() {
				for (;;) yield { type: 'text', text: megabyte };
			},
		});
		expect((await errorOf(await ask())).message).toContain('too long');
	});
});

describe('a client that leaves', () => {
	test('is not waited for: the model is told, whether it listens or not', async () => {
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
		const leave = new AbortController();
		const answer = ask({}, { signal: leave.signal }).catch(() => {});
		await eventually('the model is asked', () => calls.length === 1);
		leave.abort();
		await eventually('its iterator is let go', () => isReturned, 1_000);
		expect(calls[0]?.run.signal.aborted).toBe(true);
		await answer;
	});

	test('is noticed also while the model always has more to say', async () => {
		const most = 50_000;
		const leave = new AbortController();
		let said = 0;
		const { ask } = await harness({
			async *stream() {
				setTimeout(() => leave.abort(), 1);
				for (; said < most; said++) yield { type: 'text', text: '' };
			},
		});
		await ask({}, { signal: leave.signal }).catch(() => {});
		await eventually('the model is let go', () => leave.signal.aborted);
		expect(said).toBeGreaterThan(0);
		expect(said).toBeLessThan(most);
	});
});
