import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import type { ChatRequest } from '@plinth/plugin-chat/model';
import { eventResponse, eventually, scriptedUpstream } from '@plinth/testing';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { aiSdk } from '../src/index.ts';
import { all, failureOf, modelOf, run } from './support/models.ts';
import { chunk, cut, failure, jsonOf } from './support/scripts.ts';

const reply = eventResponse(chunk({ content: 'Yes.' }), chunk({}, 'stop'), '[DONE]');
const server = await scriptedUpstream(reply);
afterAll(() => server.stop());
beforeEach(() => server.script(reply));

const requestOf = (part: Partial<ChatRequest> = {}): ChatRequest => ({
	messages: [{ role: 'user', content: [{ type: 'text', text: 'Is it?' }] }],
	tools: [],
	toolChoice: 'auto',
	parallelToolCalls: true,
	format: { type: 'text' },
	stop: [],
	...part,
});

/** Asks a model of the scripted server and returns all its events. */
async function answer(part?: Partial<ChatRequest>, signal?: AbortSignal) {
	const options = { name: 'us', baseURL: server.url, includeUsage: true, supportsStructuredOutputs: true };
	const model = await modelOf(aiSdk.chat({ provider: '@ai-sdk/openai-compatible', model: 'm', options }));
	return all(model.stream(requestOf(part), run(signal)));
}

/** The JSON body of the last request. */
const sent = () => jsonOf(server.requests.at(-1) ?? expect.fail('nothing was sent'));

const price = { name: 'price', description: 'Tells a price', parameters: { type: 'object' }, isStrict: true };

describe('a request to the provider', () => {
	test('has messages of every role, with tool calls and tool results', async () => {
		await answer({
			messages: [
				{ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
				{ role: 'user', content: [{ type: 'text', text: 'What is it?' }] },
				{ role: 'assistant', content: [], toolCalls: [{ id: 'c1', name: 'price', arguments: '{"of":"tea"}' }] },
				{ role: 'tool', callId: 'c1', content: [{ type: 'text', text: '3 EUR' }] },
				{ role: 'assistant', content: [], refusal: 'No.', toolCalls: [] },
				{ role: 'user', content: [{ type: 'text', text: 'Thanks' }] },
			],
		});
		expect(sent().messages).toEqual([
			{ role: 'system', content: 'Be brief.' },
			{ role: 'user', content: 'What is it?' },
			{
				role: 'assistant',
				content: null,
				tool_calls: [{ id: 'c1', type: 'function', function: { name: 'price', arguments: '{"of":"tea"}' } }],
			},
			{ role: 'tool', tool_call_id: 'c1', content: '3 EUR' },
			{ role: 'assistant', content: 'No.' },
			{ role: 'user', content: 'Thanks' },
		]);
	});

	test('has pictures, audio, files and the text of documents', async () => {
		const bytes = Buffer.from('bytes');
		await answer({
			messages: [
				{
					role: 'user',
					content: [
						{ type: 'image', detail: 'auto', image: { mediaType: 'image/png', source: bytes } },
						{ type: 'audio', format: 'wav', source: bytes },
						{ type: 'file', filename: 'a.pdf', mediaType: 'application/pdf', source: bytes },
						{
							...{ type: 'document', filename: 'b.txt', mediaType: 'text/plain', text: 'page text' },
							...{ pages: [], hasPages: false, pageCount: 1, isTruncated: false },
						},
					],
				},
			],
		});
		const base64 = bytes.toString('base64');
		const [{ content } = { content: [] }] = sent().messages as { content: unknown[] }[];
		expect(content).toEqual([
			{ type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
			{ type: 'input_audio', input_audio: { data: base64, format: 'wav' } },
			{ type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${base64}` } },
			{ type: 'text', text: 'page text' },
		]);
	});

	test('has the settings, the tools and the JSON schema', async () => {
		await answer({
			...{ maxTokens: 9, temperature: 0.5, topP: 0.9, presencePenalty: 1, frequencyPenalty: -1, effort: 'low' },
			stop: ['END'],
			tools: [price],
			toolChoice: { name: 'price' },
			format: { type: 'schema', name: 'bill', schema: { type: 'object' }, isStrict: true },
		});
		const { description, parameters, name } = price;
		expect(sent()).toMatchObject({
			...{ model: 'm', max_tokens: 9, temperature: 0.5, top_p: 0.9, presence_penalty: 1, frequency_penalty: -1 },
			...{ reasoning_effort: 'low', stop: ['END'], seed: 0x7fff_fff0, stream: true },
			tools: [{ type: 'function', function: { name, description, parameters, strict: true } }],
			tool_choice: { type: 'function', function: { name } },
			response_format: { type: 'json_schema', json_schema: { name: 'bill', schema: { type: 'object' } } },
		});
	});

	test('is not sent when a picture is given by URL', async () => {
		const image = { type: 'image', detail: 'auto', image: { url: 'http://10.0.0.1/a.png' } } as const;
		const failed = await failureOf(answer({ messages: [{ role: 'user', content: [image] }] }));
		expect(failed).toMatchObject({ status: 400, param: 'messages[0].content[0].image_url' });
	});

	test('has a warning for each option without effect', async () => {
		const events = await answer({ tools: [price], parallelToolCalls: false });
		expect(events[0]).toEqual({
			type: 'warning',
			message: 'parallel_tool_calls: the AI SDK has no such option for this model.',
		});
	});
});

describe('a response', () => {
	test('has reasoning, text and usage', async () => {
		const usage = {
			...{ prompt_tokens: 5, completion_tokens: 7 },
			prompt_tokens_details: { cached_tokens: 2 },
			completion_tokens_details: { reasoning_tokens: 3 },
		};
		const events = [chunk({ reasoning_content: 'Hm.' }), chunk({ content: 'Yes' }), { ...chunk({}, 'length'), usage }];
		server.script(eventResponse(...events, '[DONE]'));
		expect(await answer()).toEqual([
			{ type: 'reasoning', text: 'Hm.' },
			{ type: 'text', text: 'Yes' },
			{
				type: 'finish',
				reason: 'length',
				usage: { promptTokens: 5, completionTokens: 7, cachedTokens: 2, reasoningTokens: 3 },
			},
		]);
	});

	test('streams the arguments of a tool call in pieces', async () => {
		const call = (index: number, part: object) => chunk({ tool_calls: [{ index, type: 'function', ...part }] });
		server.script(
			eventResponse(
				call(0, { id: 'a', function: { name: 'price', arguments: '{"of":' } }),
				call(0, { function: { arguments: '"tea"}' } }),
				call(1, { id: 'b', function: { name: 'price', arguments: '{}' } }),
				chunk({}, 'tool_calls'),
				'[DONE]',
			),
		);
		const events = await answer({ tools: [price] });
		expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool_calls' });
		const calls = events.flatMap((event) => (event.type === 'tool_call' ? event : []));
		const jsonOfCall = (index: number) => calls.map((call) => (call.index === index ? call.arguments : '')).join('');
		expect(calls.filter(({ id }) => id).map(({ index, id, name }) => [index, id, name])).toEqual([
			[0, 'a', 'price'],
			[1, 'b', 'price'],
		]);
		expect([jsonOfCall(0), jsonOfCall(1)]).toEqual(['{"of":"tea"}', '{}']);
		expect(calls.length).toBeGreaterThan(3);
	});

	test('is a refusal when the content filter withheld it', async () => {
		server.script(eventResponse(chunk({}, 'content_filter'), '[DONE]'));
		expect(await answer()).toMatchObject([
			{ type: 'refusal', text: 'The filter of the model withheld the answer.' },
			{ type: 'finish', reason: 'content_filter' },
		]);
	});
});

describe('a failure', () => {
	const cases = [
		[429, {}, { 'retry-after': '7' }, { status: 429, code: 'rate_limit_exceeded', retryAfter: '7' }],
		[429, {}, { 'retry-after': '900' }, { status: 429, retryAfter: '60' }],
		[429, { code: 'insufficient_quota' }, {}, { status: 502, code: 'model_error' }],
		[401, { message: 'wrong key sk-123' }, {}, { status: 502, code: 'model_error' }],
		[404, {}, {}, { status: 502, code: 'model_error' }],
		[
			400,
			{ message: 'stop: too many' },
			{},
			{ status: 400, code: 'invalid_value', message: expect.stringContaining('stop: too many') },
		],
		[
			400,
			{ code: 'content_policy_violation', message: 'Not that.' },
			{},
			{ status: 400, code: 'moderation_blocked', message: 'Not that.' },
		],
		[400, { code: 'context_length_exceeded' }, {}, { status: 400, code: 'context_length_exceeded', param: 'messages' }],
		[503, {}, { 'retry-after': '3' }, { status: 503, code: 'model_unavailable', retryAfter: '3' }],
		[504, {}, {}, { status: 504, code: 'model_timeout' }],
		[500, { message: 'at /srv/model.py' }, {}, { status: 502, code: 'model_error' }],
	] as const;

	test.each(cases)('status %i with error %o is mapped to a Plinth error', async (status, error, headers, expected) => {
		server.script(failure(status, error, headers));
		const failed = await failureOf(answer());
		expect(failed).toMatchObject(expected);
		expect(failed.log).toMatch(new RegExp(`^us\\.chat failed with ${status}: `));
		if (failed.status >= 500) expect(failed.message).not.toMatch(/sk-123|model\.py/);
	});

	test('contains no URLs of the provider', async () => {
		server.script(failure(400, { message: `see ${server.url}/docs?key=1 please` }));
		const { message } = await failureOf(answer());
		expect(message).toBe('The model refused the request: see the provider please');
	});

	test('is model_unavailable when the server is stopped', async () => {
		const stopped = await scriptedUpstream(reply);
		await stopped.stop();
		const options = { name: 'us', baseURL: stopped.url };
		const model = await modelOf(aiSdk.chat({ provider: '@ai-sdk/openai-compatible', model: 'm', options }));
		const failed = await failureOf(all(model.stream(requestOf(), run())));
		expect(failed).toMatchObject({ status: 503, code: 'model_unavailable' });
	});

	test('is reported when it occurs in the middle of a stream', async () => {
		server.script(eventResponse(chunk({ content: 'Ye' }), { error: { message: 'out of memory' } }));
		expect(await failureOf(answer())).toMatchObject({ status: 502, log: expect.stringContaining('out of memory') });
	});

	test.each([
		['is cut', cut(`data: ${JSON.stringify(chunk({ content: 'Ye' }))}\n\n`, 'text/event-stream')],
		['ends without a reason', eventResponse(chunk({ content: 'Ye' }))],
	])('is model_error when the stream %s', async (_, script) => {
		server.script(script);
		expect(await failureOf(answer())).toMatchObject({ status: 502, code: 'model_error' });
	});

	test('an abort closes the connection', async () => {
		server.script(() => {});
		const controller = new AbortController();
		const events = answer({}, controller.signal);
		const { length } = server.requests;
		await eventually('the server receives the request', () => server.requests.length > length);
		controller.abort(new Error('gone'));
		await expect(events).rejects.toThrow('gone');
		await eventually('the server sees the closed connection', () => server.requests.at(-1)?.isAborted() === true);
		expect(server.requests.at(-1)?.isAborted()).toBe(true);
	});
});

describe('a model of specification version 3', () => {
	/** A model that streams these parts. */
	function modelOfVersion3(parts: readonly LanguageModelV3StreamPart[], asked: unknown[] = []): LanguageModelV3 {
		return {
			...{ specificationVersion: 'v3', provider: 'old.chat', modelId: 'm', supportedUrls: {} },
			doGenerate: () => Promise.reject(new Error('not called')),
			async doStream(options) {
				asked.push(options);
				return { stream: ReadableStream.from(parts) as ReadableStream<LanguageModelV3StreamPart> };
			},
		};
	}
	const usage = { inputTokens: {}, outputTokens: {} } as Extract<
		LanguageModelV3StreamPart,
		{ type: 'finish' }
	>['usage'];
	const finish = (unified: 'stop' | 'other', raw?: string) =>
		({ type: 'finish', finishReason: { unified, raw }, usage }) as const;
	const stream = async (model: LanguageModelV3, part?: Partial<ChatRequest>) =>
		all((await modelOf(aiSdk.chat(model))).stream(requestOf(part), run()));

	test('receives files as bytes, and no reasoning effort', async () => {
		const received: { prompt: { content: unknown }[] }[] = [];
		const file = { type: 'file', filename: 'a.pdf', mediaType: 'application/pdf', source: Buffer.from('x') } as const;
		const model = modelOfVersion3([{ type: 'text-delta', id: '1', delta: 'Yes' }, finish('stop')], received);
		const events = await stream(model, { messages: [{ role: 'user', content: [file] }], effort: 'high' });
		expect(received[0]?.prompt[0]?.content).toEqual([
			{ type: 'file', filename: 'a.pdf', mediaType: 'application/pdf', data: Buffer.from('x') },
		]);
		expect(received[0]).not.toHaveProperty('reasoning', 'high');
		expect(events).toEqual([
			{ type: 'warning', message: 'reasoning_effort: the AI SDK has no such option for this model.' },
			{ type: 'text', text: 'Yes' },
			{ type: 'finish', reason: 'stop' },
		]);
	});

	test('streams whole tool calls, without those that the provider executes', async () => {
		const parts: LanguageModelV3StreamPart[] = [
			{ type: 'tool-call', toolCallId: 's', toolName: 'search', input: '{}', providerExecuted: true },
			{ type: 'tool-call', toolCallId: 'a', toolName: 'price', input: '{"of":"tea"}' },
			finish('stop'),
		];
		expect(await stream(modelOfVersion3(parts), { tools: [price] })).toEqual([
			{ type: 'tool_call', index: 0, id: 'a', name: 'price' },
			{ type: 'tool_call', index: 0, arguments: '{"of":"tea"}' },
			{ type: 'finish', reason: 'stop' },
		]);
	});

	test('passes its warnings on, except the one about the seed', async () => {
		const parts: LanguageModelV3StreamPart[] = [
			{
				type: 'stream-start',
				warnings: [
					{ type: 'unsupported', feature: 'seed' },
					{ type: 'unsupported', feature: 'topP', details: 'Use temperature.' },
					{ type: 'other', message: 'Slow today.' },
				],
			},
			finish('stop'),
		];
		expect((await stream(modelOfVersion3(parts))).slice(0, 2)).toEqual([
			{ type: 'warning', message: 'topP: Use temperature.' },
			{ type: 'warning', message: 'Slow today.' },
		]);
	});

	test('fails when the stream has no finish part', async () => {
		expect(await failureOf(stream(modelOfVersion3([finish('other')])))).toMatchObject({ status: 502 });
		expect(await failureOf(stream(modelOfVersion3([{ type: 'text-delta', id: '1', delta: 'Y' }])))).toMatchObject({
			status: 502,
		});
	});
});
