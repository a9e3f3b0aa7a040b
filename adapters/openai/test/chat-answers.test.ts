import type { ChatEvent } from '@plinth/plugin-chat/model';
import { describe, expect, test } from 'vitest';
import { openai } from '../src/index.ts';
import { answer, answerTo, chunk, hello, textPart } from './chat-calls.ts';
import { failureOf, modelOf } from './harness.ts';
import { bytes, cutAfter, endless, failure, frame, type Handler, json, scripted, sse } from './upstream.ts';

const stop: ChatEvent = { type: 'finish', reason: 'stop' };

describe('an answer', () => {
	test('is streamed word by word, with its finish reason and usage', async () => {
		expect(await answerTo(sse(...hello))).toEqual([
			{ type: 'text', text: 'Hel' },
			{ type: 'text', text: 'lo.' },
			{ ...stop, usage: { promptTokens: 3, completionTokens: 2 } },
		]);
	});

	test('may have reasoning, a refusal and usage details', async () => {
		const usage = {
			prompt_tokens: 9,
			completion_tokens: 8,
			prompt_tokens_details: { cached_tokens: 4 },
			completion_tokens_details: { reasoning_tokens: 5 },
		};
		const events = await answerTo(
			sse(
				chunk({ reasoning_content: 'Hm.' }),
				chunk({ reasoning: 'Well.' }),
				chunk({ refusal: 'No.' }),
				chunk({}, 'content_filter', { usage }),
				'[DONE]',
			),
		);
		expect(events).toEqual([
			{ type: 'reasoning', text: 'Hm.' },
			{ type: 'reasoning', text: 'Well.' },
			{ type: 'refusal', text: 'No.' },
			{
				type: 'finish',
				reason: 'content_filter',
				usage: { promptTokens: 9, completionTokens: 8, cachedTokens: 4, reasoningTokens: 5 },
			},
		]);
	});

	test('that is not streamed is emitted at once', async () => {
		const message = { role: 'assistant', content: 'All of it.', tool_calls: null };
		const whole = {
			choices: [{ index: 0, message, finish_reason: 'length' }],
			usage: { prompt_tokens: 1.5, completion_tokens: 2 },
		};
		expect(await answerTo(json(whole))).toEqual([
			{ type: 'text', text: 'All of it.' },
			{ type: 'finish', reason: 'length' },
		]);
	});

	test.each(['length', 'max_tokens', 'model_length'])(
		'ended by the length limit when the finish reason is %s',
		async (said) => {
			const events = await answerTo(sse(chunk({ content: 'Half' }, said)));
			expect(events.at(-1)).toEqual({ type: 'finish', reason: 'length' });
		},
	);

	test('may have its text in parts', async () => {
		const content = [
			{ type: 'text', text: 'All ' },
			{ type: 'thinking', thinking: [] },
			{ type: 'text', text: 'of it.' },
		];
		const whole = json({ choices: [{ message: { content }, finish_reason: 'stop' }] });
		expect(await answerTo(whole)).toEqual([{ type: 'text', text: 'All of it.' }, stop]);
	});

	test('has stopped when [DONE] arrives without a finish reason', async () => {
		const expected = [{ type: 'text', text: 'Yes.' }, stop];
		expect(await answerTo(sse(chunk({ content: 'Yes.' }), '[DONE]'))).toEqual(expected);
	});

	test('may end without [DONE], or be cut after its end', async () => {
		const text = [chunk({ content: 'Yes.' }), chunk({}, 'stop')];
		const expected = [{ type: 'text', text: 'Yes.' }, stop];
		expect(await answerTo(sse(...text))).toEqual(expected);
		expect(await answerTo(cutAfter('text/event-stream', ...text.map(frame)))).toEqual(expected);
	});

	test.each([
		['LF', '\n'],
		['CRLF', '\r\n'],
		['CR', '\r'],
	])('is parsed for any chunking: comments, split characters, lines that end with %s', async (_, end) => {
		const first = `data: ${JSON.stringify(chunk({ content: 'Ja, ' }))}`;
		const second = JSON.stringify(chunk({ content: 'grün' }), null, 1).replace(/^/gm, 'data: ');
		const last = `data:${JSON.stringify(chunk({}, 'eos'))}`;
		const lines = [`\ufeff${first}`, '', ': ping', '', 'event: x', ...second.split('\n'), '', last];
		const body = Buffer.from(lines.join(end));
		const drip: Handler = async (_, res) => {
			res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
			for (const byte of body) {
				res.write(Buffer.of(byte));
				await new Promise((resolve) => setImmediate(resolve));
			}
			res.end();
		};
		const whole = bytes(body, 'text/event-stream');
		for (const handler of [drip, whole]) {
			const texts = ['Ja, ', 'grün'].map((text) => ({ type: 'text', text }));
			expect(await answerTo(handler)).toEqual([...texts, stop]);
		}
	});
});

describe('a stream that fails is an error:', () => {
	const started = chunk({ content: 'Half' });
	test.each<[string, Handler]>([
		['the connection is lost', cutAfter('text/event-stream', frame(started))],
		['it ends in the middle', sse(started)],
		['the server gives it up', sse(started, chunk({}, 'abort'))],
		['an event is no JSON', sse(started, '{"choices":[')],
		['an event is an error', sse(started, { error: { message: 'CUDA out of memory', code: 500 } })],
		['it is neither events nor JSON', bytes('<html>', 'text/html')],
		['a whole answer is no JSON', bytes('<html>', 'application/json')],
		['a whole answer has nothing in it', json({})],
		['a whole answer has no message', json({ choices: [{ message: null, finish_reason: 'stop' }] })],
		['a whole answer has no end', endless('application/json')],
	])('%s', async (_, handler) => {
		const failed = await failureOf(answerTo(handler));
		expect(failed).toMatchObject({ status: 502, code: 'model_error' });
		expect(failed.message).not.toMatch(/CUDA|127\.0/);
		expect(failed.log).toMatch(/127\.0\.0\.1:\d+\/v1\/chat\/completions/);
	});

	test('a content filter has its own code', async () => {
		const error = { message: 'Not that.', code: 'content_policy_violation' };
		const failed = await failureOf(answerTo(sse(started, { error })));
		expect(failed).toMatchObject({ status: 400, code: 'moderation_blocked', message: 'Not that.' });
	});

	test('an event without an end is not buffered without limit', async () => {
		const failed = await failureOf(answerTo(endless('text/event-stream', 'data: ')));
		expect(failed).toMatchObject({
			status: 502,
			log: expect.stringContaining('more than 16777216'),
		});
	});
});

describe('a conversation', () => {
	test('keeps its messages, their names and their tool calls', async () => {
		const upstream = await scripted(sse(...hello));
		const model = await modelOf(openai.chat({ baseURL: upstream.baseURL, model: 'theirs' }));
		const calls = [{ id: 'c', name: 'one', arguments: '{}' }];
		await answer(model, {
			messages: [
				{ role: 'system', content: [textPart('Be kind.'), textPart('Be brief.')] },
				{ role: 'user', name: 'ann', content: [textPart('Hi.')] },
				{ role: 'assistant', content: [], refusal: 'No.', toolCalls: [] },
				{ role: 'assistant', content: [], toolCalls: calls },
				{ role: 'tool', callId: 'c', content: [textPart('noon')] },
			],
		});
		expect(upstream.requests[0]?.json).toMatchObject({
			model: 'theirs',
			messages: [
				{ role: 'system', content: 'Be kind.\n\nBe brief.' },
				{ role: 'user', name: 'ann', content: 'Hi.' },
				{ role: 'assistant', content: 'No.' },
				{
					role: 'assistant',
					content: null,
					tool_calls: [{ id: 'c', type: 'function', function: { name: 'one', arguments: '{}' } }],
				},
				{ role: 'tool', tool_call_id: 'c', content: 'noon' },
			],
		});
	});

	test('is sent with the members that the operator adds, and without those that the operator removes', async () => {
		const upstream = await scripted(sse(...hello));
		const body = { seed: null, top_k: 40, temperature: 0 };
		const model = await modelOf(openai.chat({ baseURL: upstream.baseURL, body }));
		await answer(model, { temperature: 2 });
		expect(upstream.requests[0]?.json).toMatchObject({ top_k: 40, temperature: 0 });
		expect(upstream.requests[0]?.json).not.toHaveProperty('seed');
	});

	test('contains no URLs of clients, unless the operator allows them', async () => {
		const upstream = await scripted(sse(...hello));
		const model = await modelOf(openai.chat({ baseURL: upstream.baseURL, images: true }));
		const image = { type: 'image', detail: 'auto', image: { url: 'http://10.0.0.1/' } } as const;
		const messages = [{ role: 'user', content: [textPart('Look.'), image] }] as const;
		expect(await failureOf(answer(model, { messages }))).toMatchObject({
			status: 400,
			code: 'unsupported_value',
			param: 'messages[0].content[1].image_url',
		});
		expect(upstream.requests).toEqual([]);
	});

	test('is answered without a stream by a server that has none; that server gets only one request', async () => {
		const whole = json({ choices: [{ message: { content: 'Yes.' }, finish_reason: 'stop' }] });
		const refusal = failure(400, { message: 'Unsupported parameter.', param: 'stream' });
		const upstream = await scripted(refusal, whole);
		const model = await modelOf(openai.chat({ baseURL: upstream.baseURL }));
		for (const _ of [1, 2]) {
			expect(await answer(model)).toEqual([{ type: 'text', text: 'Yes.' }, stop]);
		}
		expect(upstream.requests.map(({ json }) => json.stream)).toEqual([true, false, false]);
	});
});
