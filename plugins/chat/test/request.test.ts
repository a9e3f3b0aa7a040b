import { errorOf } from '@plinth/testing';
import { type ImageCodec, mediaError } from '@plinth/toolkit';
import { describe, expect, test } from 'vitest';
import { answerOf, file, harness, tool, user } from './harness.ts';

const png = 'data:image/png;base64,iVBORw0KGgo=';
const image = (members: object = {}) => ({
	type: 'image_url',
	image_url: { url: png, ...members },
});
const long = `data:;base64,${'A'.repeat(70_000)}`;
const sound = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };
const withMessage = (message: object) => ({ messages: [user('a'), message] });
const calling = (id: string) => ({
	role: 'assistant',
	content: null,
	tool_calls: [{ id, type: 'function', function: { name: 'now', arguments: '{}' } }],
});

/** A codec that accepts everything as a PNG, except damaged bytes. */
const codec = {
	async probe(source: unknown) {
		if (!(source instanceof Uint8Array) || source[0] !== 0x89) throw mediaError('E_IMAGE_UNREADABLE');
		return { format: 'png', width: 1, height: 1, hasAlpha: false };
	},
} as unknown as ImageCodec;

describe('a request is rejected with the invalid parameter:', () => {
	test.each<readonly [string, object, string, string]>([
		['no messages', { messages: undefined }, 'missing_required_parameter', 'messages'],
		['empty messages', { messages: [] }, 'invalid_value', 'messages'],
		['an unknown model', { model: 'nobody' }, 'model_not_found', 'model'],
		['an unknown role', withMessage({ role: 'robot', content: 'x' }), 'invalid_value', 'messages[1].role'],
		['no content', withMessage({ role: 'user' }), 'missing_required_parameter', 'messages[1].content'],
		['a number', withMessage({ role: 'user', content: 7 }), 'invalid_type', 'messages[1].content'],
		['no parts', withMessage({ role: 'user', content: [] }), 'invalid_value', 'messages[1].content'],
		['an unknown part', withMessage(user({ type: 'video_url' })), 'invalid_value', 'messages[1].content[0].type'],
		[
			'a part without text',
			withMessage(user({ type: 'text' })),
			'missing_required_parameter',
			'messages[1].content[0].text',
		],
		[
			'a file of the system',
			withMessage({ role: 'system', content: [file('x')] }),
			'invalid_value',
			'messages[1].content[0].type',
		],
		[
			'nothing from an assistant',
			withMessage({ role: 'assistant' }),
			'missing_required_parameter',
			'messages[1].content',
		],
		[
			'a result of no call',
			withMessage({ role: 'tool', tool_call_id: 'call_1', content: 'x' }),
			'invalid_value',
			'messages[1].tool_call_id',
		],
		[
			'a result without an id',
			withMessage({ role: 'tool', content: 'x' }),
			'missing_required_parameter',
			'messages[1].tool_call_id',
		],
		[
			'an odd detail',
			withMessage(user(image({ detail: 'best' }))),
			'invalid_value',
			'messages[1].content[0].image_url.detail',
		],
		[
			'no picture',
			withMessage(user(image({ url: 'data:image/png;base64,!' }))),
			'invalid_value',
			'messages[1].content[0].image_url.url',
		],
		[
			'a long one that is none',
			withMessage(user(image({ url: `data:image/png;base64,${'!'.repeat(70_000)}` }))),
			'invalid_value',
			'messages[1].content[0].image_url.url',
		],
		[
			'an odd sound',
			withMessage(user({ type: 'input_audio', input_audio: { data: 'x', format: 'ogg' } })),
			'invalid_value',
			'messages[1].content[0].input_audio.format',
		],
		[
			'audio for a model without audio input',
			withMessage(user(sound)),
			'unsupported_value',
			'messages[1].content[0].input_audio',
		],
		[
			'a tool of another kind',
			{ tools: [tool('a'), { type: 'custom', custom: { name: 'b' } }] },
			'unsupported_value',
			'tools[1].type',
		],
		['an unknown kind of tool', { tools: [{ type: 'web' }] }, 'invalid_value', 'tools[0].type'],
		['a tool with an odd name', { tools: [tool('a b')] }, 'invalid_value', 'tools[0].function.name'],
		[
			'parameters that are a list',
			{ tools: [{ type: 'function', function: { name: 'a', parameters: [] } }] },
			'invalid_type',
			'tools[0].function.parameters',
		],
		[
			'parameters with a long file in them',
			{ tools: [{ type: 'function', function: { name: 'a', parameters: { url: long } } }] },
			'invalid_type',
			'tools[0].function.parameters',
		],
		['129 tools', { tools: Array(129).fill(tool('a')) }, 'invalid_value', 'tools'],
		[
			'a choice of a tool that is not there',
			{ tools: [tool('a')], tool_choice: { type: 'function', function: { name: 'b' } } },
			'invalid_value',
			'tool_choice.function.name',
		],
		['a required call without tools', { tool_choice: 'required' }, 'invalid_value', 'tool_choice'],
		['an odd choice', { tools: [tool('a')], tool_choice: 'any' }, 'invalid_value', 'tool_choice'],
		['tools and functions', { tools: [tool('a')], functions: [{ name: 'a' }] }, 'invalid_value', 'functions'],
		['an odd format', { response_format: { type: 'xml' } }, 'invalid_value', 'response_format.type'],
		[
			'a schema without a name',
			{ response_format: { type: 'json_schema', json_schema: {} } },
			'missing_required_parameter',
			'response_format.json_schema.name',
		],
		['spoken answers', { modalities: ['text', 'audio'] }, 'unsupported_value', 'modalities'],
		['nine answers', { n: 9 }, 'integer_above_max_value', 'n'],
		['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'invalid_value', 'stop'],
		['a long stop', { stop: 'x'.repeat(1_025) }, 'string_above_max_length', 'stop'],
		['a hot model', { temperature: 2.5 }, 'decimal_above_max_value', 'temperature'],
		['no tokens', { max_tokens: 0 }, 'integer_below_min_value', 'max_tokens'],
		['21 alternatives', { logprobs: true, top_logprobs: 21 }, 'integer_above_max_value', 'top_logprobs'],
		['alternatives without logprobs', { top_logprobs: 2 }, 'invalid_value', 'top_logprobs'],
		['alternatives of no logprobs', { logprobs: false, top_logprobs: 0 }, 'invalid_value', 'top_logprobs'],
		['stream as a word', { stream: 'yes' }, 'invalid_type', 'stream'],
	])('%s', async (_, fields, code, param) => {
		const { ask, calls } = await harness({ images: codec });
		const failure = await errorOf(await ask(fields as Record<string, unknown>));
		expect(failure).toMatchObject({ code, param: code === 'model_not_found' ? null : param });
		expect(failure.status).toBe(code === 'model_not_found' ? 404 : 400);
		expect(calls).toEqual([]);
	});
});

describe('a valid request', () => {
	test('may have unknown members in parts, and null for all optional members', async () => {
		const { ask, calls } = await harness();
		const nulls = [
			'n',
			'stream',
			'stream_options',
			'tools',
			'tool_choice',
			'parallel_tool_calls',
			'functions',
			'function_call',
			'response_format',
			'stop',
			'seed',
			'temperature',
			'top_p',
			'presence_penalty',
			'frequency_penalty',
			'max_tokens',
			'max_completion_tokens',
			'logprobs',
			'top_logprobs',
			'logit_bias',
			'user',
			'modalities',
			'reasoning_effort',
		];
		const answer = await ask({
			...Object.fromEntries(nulls.map((name) => [name, null])),
			messages: [user({ type: 'text', text: 'a', prompt_cache_breakpoint: true })],
		});
		expect(answer.status).toBe(200);
		expect(calls[0]?.request).toMatchObject({
			toolChoice: 'auto',
			parallelToolCalls: true,
			stop: [],
		});
	});

	test('reaches the model in domain terms', async () => {
		const { ask, calls } = await harness();
		const schema = { type: 'object', properties: { a: { type: 'string' } } };
		await ask({
			tools: [
				{
					type: 'function',
					function: { name: 'now', description: 'The time.', parameters: schema, strict: true },
				},
			],
			tool_choice: { type: 'function', function: { name: 'now' } },
			parallel_tool_calls: false,
			response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
			stop: '.',
			temperature: 0.5,
			top_p: 0.9,
			presence_penalty: 1,
			frequency_penalty: -1,
			max_tokens: 5,
			max_completion_tokens: 6,
			reasoning_effort: 'low',
			user: 'u',
		});
		expect(calls[0]?.request).toEqual({
			messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }],
			tools: [{ name: 'now', description: 'The time.', parameters: schema, isStrict: true }],
			toolChoice: { name: 'now' },
			parallelToolCalls: false,
			format: { type: 'schema', name: 'n', schema, isStrict: true },
			stop: ['.'],
			temperature: 0.5,
			topP: 0.9,
			presencePenalty: 1,
			frequencyPenalty: -1,
			maxTokens: 6,
			effort: 'low',
			user: 'u',
		});
	});

	test('may be a whole conversation with all roles', async () => {
		const { ask, calls } = await harness();
		await answerOf(
			await ask({
				messages: [
					{ role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
					{ role: 'system', content: 'Be short.' },
					{ ...user('What time is it?'), name: 'ann' },
					calling('call_1'),
					{ role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'noon' }] },
					{
						role: 'assistant',
						content: [
							{ type: 'text', text: 'Noon.' },
							{ type: 'refusal', refusal: 'No more.' },
						],
					},
					{ role: 'assistant', content: null, function_call: { name: 'now', arguments: '{}' } },
					{ role: 'function', name: 'now', content: 'one' },
				],
			}),
		);
		const text = (words: string) => [{ type: 'text', text: words }];
		expect(calls[0]?.request.messages).toEqual([
			{ role: 'system', content: text('Be kind.') },
			{ role: 'system', content: text('Be short.') },
			{ role: 'user', name: 'ann', content: text('What time is it?') },
			{
				role: 'assistant',
				content: [],
				toolCalls: [{ id: 'call_1', name: 'now', arguments: '{}' }],
			},
			{ role: 'tool', callId: 'call_1', content: text('noon') },
			{ role: 'assistant', content: text('Noon.'), refusal: 'No more.', toolCalls: [] },
			{
				role: 'assistant',
				content: [],
				toolCalls: [{ id: 'call_now', name: 'now', arguments: '{}' }],
			},
			{ role: 'tool', callId: 'call_now', content: text('one') },
		]);
	});
});

describe('a model with limited abilities', () => {
	test.each<readonly [object, object, string]>([
		[{ tools: false }, { tools: [tool('a')] }, 'tools'],
		[{ json: 'none' }, { response_format: { type: 'json_object' } }, 'response_format.type'],
		[
			{ json: 'json' },
			{ response_format: { type: 'json_schema', json_schema: { name: 'a' } } },
			'response_format.type',
		],
	])('does not receive a request that needs more: %j', async (abilities, fields, param) => {
		const { ask } = await harness({ abilities });
		const failure = await errorOf(await ask(fields as Record<string, unknown>));
		expect(failure).toMatchObject({ status: 400, code: 'unsupported_value', param });
	});
});

describe('an image in a message', () => {
	test('becomes a text for a model without image input, and causes a warning', async () => {
		const { ask, calls } = await harness({ images: codec });
		const web = image({ url: 'https://example.org/a.png' });
		const answer = await answerOf(await ask({ messages: [user(image(), web)] }));
		expect(answer.warnings).toEqual([expect.stringContaining('accepts no pictures')]);
		const [message] = calls[0]?.request.messages ?? [];
		const reported = { type: 'text', text: expect.stringContaining('picture') };
		expect(message?.content).toEqual([reported, reported]);
	});

	test('reaches a model with image input, also as a URL', async () => {
		const { ask, calls } = await harness({ images: codec, abilities: { images: true } });
		const web = image({ url: 'https://example.org/a.png', detail: 'original' });
		await ask({ messages: [user(image({ detail: 'low' }), web)] });
		const [message] = calls[0]?.request.messages ?? [];
		expect(message?.content).toEqual([
			{
				type: 'image',
				detail: 'low',
				image: { mediaType: 'image/png', source: expect.any(Uint8Array) },
			},
			{ type: 'image', detail: 'high', image: { url: 'https://example.org/a.png' } },
		]);
	});

	test('is checked for any model', async () => {
		const { ask } = await harness({ images: codec });
		const text = image({ url: 'data:image/png;base64,SGVsbG8=' });
		expect(await errorOf(await ask({ messages: [user(text)] }))).toMatchObject({
			status: 400,
			param: 'messages[0].content[0].image_url.url',
		});
	});
});

test('audio reaches a model with audio input', async () => {
	const { ask, calls } = await harness({ abilities: { audio: true } });
	await answerOf(await ask({ messages: [user(sound)] }));
	const source = Buffer.from('RIFF');
	expect(calls[0]?.request.messages[0]?.content).toMatchObject([{ type: 'audio', format: 'wav', source }]);
});

test('audio that is no base64 is rejected with its parameter', async () => {
	const { ask, calls } = await harness({ abilities: { audio: true } });
	const part = { type: 'input_audio', input_audio: { data: 'not a sound', format: 'wav' } };
	const failure = await errorOf(await ask({ messages: [user(part)] }));
	const param = 'messages[0].content[0].input_audio.data';
	expect(failure).toMatchObject({ status: 400, code: 'invalid_value', param });
	expect(calls).toEqual([]);
});
