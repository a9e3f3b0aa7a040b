import type { ForwardRequest } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { rawBody } from './raw-body.ts';
import { chatModel, imageModel, speechModel } from './scripted-models.ts';

const dialects = ['openai', 'vllm-omni', 'sglang', 'localai', 'ollama', 'llamacpp'] as const;
/** The dialects that accept requests as clients write them. */
const native = ['openai', 'vllm-omni', 'sglang', 'llamacpp'];
const all = native;
const newer = ['openai'];

const hi = { role: 'user', content: 'Hello?' };
const talk = (part: object = {}) => ({ model: 'mine', messages: [hi], ...part });
const says = (...messages: object[]) => talk({ messages: [hi, ...messages] });
const tool = { type: 'function', function: { name: 'a', parameters: { type: 'object' } } };
const calls = [{ id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } }];
const parts = [{ type: 'text', text: 'Hello?' }];

type Request = ForwardRequest | undefined;

const formOf = (request: Request) =>
	request?.accepts('text/event-stream') ? 'events' : request?.accepts('application/json') && 'whole';

describe('a chat completion passes through', () => {
	test.each<[string, object, readonly string[]]>([
		['with plain messages', talk(), all],
		['with members that all servers support', talk({ temperature: 1, top_p: 1, stop: 'x', seed: 1 }), all],
		['with max_completion_tokens', talk({ max_completion_tokens: 9 }), all],
		['with max_tokens', talk({ max_tokens: 9 }), all],
		['with an effort', talk({ reasoning_effort: 'low' }), ['openai', 'vllm-omni', 'sglang']],
		['with tools', talk({ tools: [tool] }), all],
		['with a tool that must be called', talk({ tools: [tool], tool_choice: 'required' }), all],
		['with no tool that may be called', talk({ tools: [tool], tool_choice: 'none' }), all],
		[
			'with the name of a tool',
			talk({ tools: [tool], tool_choice: { type: 'function', function: { name: 'a' } } }),
			['openai', 'vllm-omni', 'sglang'],
		],
		['with calls and results', says({ role: 'assistant', content: null, tool_calls: calls }), all],
		['with a result', says({ role: 'tool', tool_call_id: 'c1', content: '1' }), all],
		['with a system that is called developer', says({ role: 'developer', content: 'x' }), newer],
		['with texts in parts', says({ role: 'user', content: parts }), newer],
		['with a refusal', says({ role: 'assistant', content: 'x', refusal: null }), newer],
		['not with null', talk({ temperature: null }), []],
		['not with null in a message', says({ ...hi, name: null }), []],
		['not with null in a tool', talk({ tools: [{ ...tool, function: { name: 'a', parameters: null } }] }), []],
		['not with a tool without parameters', talk({ tools: [{ ...tool, function: { name: 'a' } }] }), []],
		['not with an empty list of tools', talk({ tools: [] }), []],
		['not with an empty list of stops', talk({ stop: [] }), []],
		['not with a choice of tools without tools', talk({ tool_choice: 'auto' }), []],
		['not with a word on parallel calls without tools', talk({ parallel_tool_calls: false }), []],
		['not with an empty list of calls', says({ role: 'assistant', content: 'x', tool_calls: [] }), []],
		['not with a turn that says nothing', says({ role: 'assistant', content: null }), []],
		['not with a call in the older form', says({ role: 'assistant', content: 'x', function_call: {} }), []],
		['not with a result in the older form', says({ role: 'function', name: 'a', content: 'x' }), []],
		['with log probabilities', talk({ logprobs: true, top_logprobs: 2 }), all],
		['with a member of its own', talk({ top_k: 1 }), ['vllm-omni', 'sglang', 'llamacpp']],
		['not with a member that no API has', talk({ no_such_member: 1 }), []],
	])('%s', async (_, body, taking) => {
		const taken: string[] = [];
		for (const dialect of dialects) {
			const { model } = await chatModel({ dialect });
			const forms = [body, { ...body, stream: true }].map((each) => formOf(model.forward?.(rawBody(each))));
			expect([
				['whole', 'events'],
				[undefined, undefined],
			]).toContainEqual(forms);
			if (forms[0]) taken.push(dialect);
		}
		expect(taken).toEqual(taking);
	});
});

describe('a token limit', () => {
	test.each([
		['openai', 'max_tokens', 'max_completion_tokens'],
		['openai', 'max_completion_tokens', 'max_completion_tokens'],
		['llamacpp', 'max_completion_tokens', 'max_tokens'],
		['vllm-omni', 'max_tokens', 'max_tokens'],
	])('is passed to %s, written as %s, as %s', async (dialect, written, sent) => {
		const { model } = await chatModel({ dialect });
		const request = model.forward?.(rawBody(talk({ [written]: 9 })));
		expect(JSON.parse(Buffer.from(request?.body ?? []).toString())).toMatchObject({ [sent]: 9 });
	});
});

describe('an image generation passes through', () => {
	const picture = { model: 'mine', prompt: 'a cat' };

	test.each<[string, object, boolean]>([
		['with a prompt', picture, true],
		['with members of the API', { ...picture, n: 2, size: '1024x1024', quality: 'high' }, true],
		['with a format', { ...picture, output_format: 'webp', output_compression: 50 }, true],
		['with a word on events', { ...picture, stream: false }, true],
		['not as events', { ...picture, stream: true }, false],
		['not as addresses', { ...picture, response_format: 'b64_json' }, false],
		['not with a style', { ...picture, style: 'vivid' }, false],
		['not with steps', { ...picture, num_inference_steps: 4 }, false],
		['not with a seed', { ...picture, seed: 4 }, false],
		['not with a quality of older models', { ...picture, quality: 'hd' }, false],
		['not with a compression of PNG', { ...picture, output_compression: 50 }, false],
		['not with null', { ...picture, size: null }, false],
	])('%s', async (_, body, goes) => {
		const { model } = await imageModel();
		expect(formOf(model.forward?.(rawBody(body)))).toBe(goes ? 'whole' : undefined);
	});

	test('by default only when the model accepts no URLs', async () => {
		const known = async (options: object) => {
			const { model } = await imageModel({ forward: undefined, ...options });
			return model.forward !== undefined;
		};
		expect(await known({ model: 'gpt-image-2' })).toBe(true);
		expect(await known({ model: 'chatgpt-image-latest' })).toBe(true);
		expect(await known({ model: 'dall-e-3' })).toBe(false);
		expect(await known({ model: 'gpt-image-2', forward: false })).toBe(false);
	});

	test('unless Plinth changes sizes, or the model cannot generate', async () => {
		for (const options of [{ sizes: ['64x64'] }, { fit: 'cover' }, { operations: ['edit'] }]) {
			const { model } = await imageModel(options);
			expect(model.forward).toBeUndefined();
		}
	});
});

describe('a speech request passes through', () => {
	const speech = { model: 'mine', input: 'Hi.', voice: 'ann', response_format: 'mp3' };
	const { response_format: _, ...bare } = speech;

	test.each<[string, object, string | undefined]>([
		['as MP3', speech, 'audio/mpeg'],
		['as Opus', { ...speech, response_format: 'opus' }, 'audio/ogg'],
		['as AAC', { ...speech, response_format: 'aac' }, 'audio/aac'],
		['as FLAC', { ...speech, response_format: 'flac' }, 'audio/flac'],
		['as WAV', { ...speech, response_format: 'wav' }, 'audio/wav'],
		['with a tempo and a manner', { ...speech, speed: 2, instructions: 'Softly.' }, 'audio/mpeg'],
		['not as samples, of which only their server knows the rate', { ...speech, response_format: 'pcm' }, undefined],
		['not without a format', bare, undefined],
		['not as events', { ...speech, stream_format: 'sse' }, undefined],
		['not with a voice that the model has not', { ...speech, voice: 'bob' }, undefined],
		['not with null', { ...speech, speed: null }, undefined],
	])('%s', async (_, body, type) => {
		const { model } = await speechModel({ voices: ['ann'] });
		const request = model.forward?.(rawBody(body));
		const known = ['audio/mpeg', 'audio/ogg', 'audio/aac', 'audio/flac', 'audio/wav'];
		const others = ['application/json', 'text/plain', 'audio/pcm', 'application/octet-stream'];
		expect([...known, ...others].filter((each) => request?.accepts(each, 9))).toEqual(type ? [type] : []);
	});

	test('as WAV only when the response has a length: a stream does not know its own', async () => {
		const { model } = await speechModel();
		const wav = model.forward?.(rawBody({ ...speech, response_format: 'wav' }));
		expect([wav?.accepts('audio/wav', 9), wav?.accepts('audio/wav')]).toEqual([true, false]);
		const mp3 = model.forward?.(rawBody({ ...speech, response_format: 'mp3' }));
		expect(mp3?.accepts('audio/mpeg')).toBe(true);
	});

	test('with any voice when all are accepted, including custom ones', async () => {
		const { model } = await speechModel();
		expect(model.forward?.(rawBody({ ...speech, voice: 'bob' }))).toBeDefined();
		expect(model.forward?.(rawBody({ ...speech, voice: { id: 'bob' } }))).toBeDefined();
		expect(model.forward?.(rawBody({ ...speech, voice: 7 }))).toBeUndefined();
	});

	test('except in a format that is converted', async () => {
		const { model } = await speechModel({ formats: ['mp3', 'wav'] });
		expect(model.forward?.(rawBody({ ...speech, response_format: 'flac' }))).toBeUndefined();
		expect(model.forward?.(rawBody({ ...speech, response_format: 'wav' }))).toBeDefined();
	});
});

describe('a request that passes through', () => {
	test('has the same bytes, the upstream name of the model, and the key', async () => {
		const { model, upstream } = await chatModel({
			model: 'gpt',
			apiKey: 'secret',
			headers: { 'X-Team': 'a', Accept: 'text/x' },
			timeoutSeconds: 7,
		});
		const request = model.forward?.(rawBody('{ "messages": [],\n"model" : "mine" }'));
		expect(request).toMatchObject({
			origin: new URL(upstream.baseURL).origin,
			path: '/v1/chat/completions',
			quietMs: 7_000,
		});
		expect(Buffer.from(request?.body ?? []).toString()).toBe('{ "messages": [],\n"model" : "gpt" }');
		expect(request?.headers).toEqual([
			...['accept', 'text/x', 'authorization', 'Bearer secret'],
			...['x-team', 'a', 'content-type', 'application/json'],
		]);
	});

	test('has an Accept header, and the id of the model unless the config has a name', async () => {
		const { model } = await chatModel();
		const request = model.forward?.(rawBody(talk({ stream: true })));
		expect(request?.headers).toEqual([...['accept', 'text/event-stream', 'content-type', 'application/json']]);
		expect(JSON.parse(Buffer.from(request?.body ?? []).toString()).model).toBe('bound-id');
	});

	test('does not exist when the config forbids it or adds members', async () => {
		for (const options of [{ forward: false }, { forward: 'false' }, { body: { top_k: 4 } }]) {
			const models = [chatModel(options), imageModel(options), speechModel(options)];
			for (const { model } of await Promise.all(models)) expect(model.forward).toBeUndefined();
		}
	});

	test.each(['vllm-omni', 'sglang', 'localai', 'sdcpp'])('is not an image request of %s', async (dialect) => {
		expect((await imageModel({ dialect })).model.forward).toBeUndefined();
	});

	test.each(['vllm-omni', 'localai', 'ollama'])('is not a speech request of %s', async (dialect) => {
		expect((await speechModel({ dialect })).model.forward).toBeUndefined();
	});
});
