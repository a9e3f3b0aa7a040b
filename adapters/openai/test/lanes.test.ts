import type { ForwardRequest, PlinthError } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { openai } from '../src/index.ts';
import { answer } from './chat-calls.ts';
import { modelOf } from './harness.ts';
import { openedChat, openedImage, openedSpeech } from './opened.ts';
import { longBody, rawBody } from './raw.ts';
import { failure, json } from './upstream.ts';

const dialects = ['openai', 'vllm-omni', 'sglang', 'localai', 'ollama', 'llamacpp'] as const;
/** Those that take requests as clients write them. */
const native = ['openai', 'vllm-omni', 'sglang', 'llamacpp'];
const all = native;
const newer = ['openai'];
const _own = native.filter((name) => name !== 'openai');

const hi = { role: 'user', content: 'Hello?' };
const talk = (part: object = {}) => ({ model: 'mine', messages: [hi], ...part });
const says = (...messages: object[]) => talk({ messages: [hi, ...messages] });
const tool = { type: 'function', function: { name: 'a', parameters: { type: 'object' } } };
const calls = [{ id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } }];
const parts = [{ type: 'text', text: 'Hello?' }];

type Request = ForwardRequest | undefined;

const formOf = (request: Request) =>
	request?.accepts('text/event-stream')
		? 'events'
		: request?.accepts('application/json') && 'whole';

describe('a chat completion goes as it is', () => {
	test.each<[string, object, readonly string[]]>([
		['where it is plain talk', talk(), all],
		['with what all servers know', talk({ temperature: 1, top_p: 1, stop: 'x', seed: 1 }), all],
		['with a bound as OpenAI calls it', talk({ max_completion_tokens: 9 }), all],
		['with a bound as others call it', talk({ max_tokens: 9 }), all],
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
		[
			'not with null in a tool',
			talk({ tools: [{ ...tool, function: { name: 'a', parameters: null } }] }),
			[],
		],
		[
			'not with a tool without parameters',
			talk({ tools: [{ ...tool, function: { name: 'a' } }] }),
			[],
		],
		['not with an empty list of tools', talk({ tools: [] }), []],
		['not with an empty list of stops', talk({ stop: [] }), []],
		['not with a choice of tools without tools', talk({ tool_choice: 'auto' }), []],
		['not with a word on parallel calls without tools', talk({ parallel_tool_calls: false }), []],
		[
			'not with an empty list of calls',
			says({ role: 'assistant', content: 'x', tool_calls: [] }),
			[],
		],
		['not with a turn that says nothing', says({ role: 'assistant', content: null }), []],
		[
			'not with a call in the older form',
			says({ role: 'assistant', content: 'x', function_call: {} }),
			[],
		],
		[
			'not with a result in the older form',
			says({ role: 'function', name: 'a', content: 'x' }),
			[],
		],
		['not with a member that no API has', talk({ top_k: 1 }), []],
	])('%s', async (_, body, taking) => {
		const taken: string[] = [];
		for (const dialect of dialects) {
			const { model } = await openedChat({ dialect });
			const forms = [body, { ...body, stream: true }].map((each) =>
				formOf(model.forward?.(rawBody(each))),
			);
			expect([
				['whole', 'events'],
				[undefined, undefined],
			]).toContainEqual(forms);
			if (forms[0]) taken.push(dialect);
		}
		expect(taken).toEqual(taking);
	});
});

describe('a bound on the tokens of an answer', () => {
	test.each([
		['openai', 'max_tokens', 'max_completion_tokens'],
		['openai', 'max_completion_tokens', 'max_completion_tokens'],
		['llamacpp', 'max_completion_tokens', 'max_tokens'],
		['vllm-omni', 'max_tokens', 'max_tokens'],
	])('goes to %s, written %s, as %s', async (dialect, written, sent) => {
		const { model } = await openedChat({ dialect });
		const request = model.forward?.(rawBody(talk({ [written]: 9 })));
		expect(JSON.parse(Buffer.from(request?.body ?? []).toString())).toMatchObject({ [sent]: 9 });
	});
});

describe('a chat completion that nobody has parsed goes as it is', () => {
	test.each<[string, Parameters<typeof longBody>[0], readonly string[]]>([
		['where it is plain talk', talk(), all],
		['with a bound as others call it', talk({ max_tokens: 9 }), all],
		['with an effort', talk({ reasoning_effort: 'low' }), ['openai', 'vllm-omni', 'sglang']],
		['with texts in parts', says({ role: 'user', content: parts }), newer],
		['not with tools', talk({ tools: [tool] }), []],
		['not with calls', says({ role: 'assistant', content: '', tool_calls: calls }), []],
		['not with results', says({ role: 'tool', tool_call_id: 'c1', content: '1' }), []],
		['not with a refusal', says({ role: 'assistant', content: '', refusal: 'no' }), []],
		['not with thoughts', says({ role: 'assistant', content: '', reasoning_content: 'x' }), []],
		['not with a developer', says({ role: 'developer', content: 'x' }), []],
		[
			'not with the older form of a result',
			says({ role: 'function', name: 'a', content: 'x' }),
			[],
		],
		['not with null', says({ ...hi, name: null }), []],
	])('%s', async (_, body, taking) => {
		const taken: string[] = [];
		for (const dialect of native) {
			const { model } = await openedChat({ dialect });
			if (formOf(model.forward?.(longBody(body)))) taken.push(dialect);
		}
		expect(taken).toEqual(taking);
	});

	test.each([
		['as events', '"stream" : true,', 'events'],
		['as a whole', '"stream":false,', 'whole'],
		['not at all where this is not clear', '"str\\u0065am":true,', undefined],
		['not at all where it is no flag', '"stream":"true",', undefined],
		['not at all where it may stand elsewhere', '"stream":true,"user":"stream",', undefined],
	])('%s', async (_, said, form) => {
		const { model } = await openedChat();
		const text = JSON.stringify(talk({ messages: [{ ...hi, content: 'x'.repeat(300_000) }] }));
		expect(formOf(model.forward?.(rawBody(text.replace('{', `{${said}`))))).toBe(form);
	});
});

describe('a generation of pictures goes as it is', () => {
	const picture = { model: 'mine', prompt: 'a cat' };

	test.each<[string, object, boolean]>([
		['with a prompt', picture, true],
		['with what the API knows', { ...picture, n: 2, size: '1024x1024', quality: 'high' }, true],
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
		const { model } = await openedImage();
		expect(formOf(model.forward?.(rawBody(body)))).toBe(goes ? 'whole' : undefined);
	});

	test('unless told otherwise only where the model is one that knows no addresses', async () => {
		const known = async (options: object) => {
			const { model } = await openedImage({ forward: undefined, ...options });
			return model.forward !== undefined;
		};
		expect(await known({ model: 'gpt-image-2' })).toBe(true);
		expect(await known({ model: 'chatgpt-image-latest' })).toBe(true);
		expect(await known({ model: 'dall-e-3' })).toBe(false);
		expect(await known({ model: 'gpt-image-2', forward: false })).toBe(false);
	});

	test('but not where Plinth has a say in sizes, or nothing is to be generated', async () => {
		for (const options of [{ sizes: ['64x64'] }, { fit: 'cover' }, { operations: ['edit'] }]) {
			const { model } = await openedImage(options);
			expect(model.forward).toBeUndefined();
		}
	});

	test('but not one that nobody has parsed', async () => {
		const { model } = await openedImage();
		expect(model.forward?.(rawBody({ ...picture, prompt: 'x'.repeat(300_000) }))).toBeUndefined();
	});
});

describe('a speech goes as it is', () => {
	const speech = { model: 'mine', input: 'Hi.', voice: 'ann', response_format: 'mp3' };
	const { response_format: _, ...bare } = speech;

	test.each<[string, object, string | undefined]>([
		['as MP3', speech, 'audio/mpeg'],
		['as Opus', { ...speech, response_format: 'opus' }, 'audio/ogg'],
		['as AAC', { ...speech, response_format: 'aac' }, 'audio/aac'],
		['as FLAC', { ...speech, response_format: 'flac' }, 'audio/flac'],
		['as WAV', { ...speech, response_format: 'wav' }, 'audio/wav'],
		['with a tempo and a manner', { ...speech, speed: 2, instructions: 'Softly.' }, 'audio/mpeg'],
		[
			'not as samples, of which only their server knows the rate',
			{ ...speech, response_format: 'pcm' },
			undefined,
		],
		['not without a format', bare, undefined],
		['not as events', { ...speech, stream_format: 'sse' }, undefined],
		['not with a voice that the model has not', { ...speech, voice: 'bob' }, undefined],
		['not with null', { ...speech, speed: null }, undefined],
	])('%s', async (_, body, type) => {
		const { model } = await openedSpeech({ voices: ['ann'] });
		const request = model.forward?.(rawBody(body));
		const known = ['audio/mpeg', 'audio/ogg', 'audio/aac', 'audio/flac', 'audio/wav'];
		const others = ['application/json', 'text/plain', 'audio/pcm', 'application/octet-stream'];
		expect([...known, ...others].filter((each) => request?.accepts(each, 9))).toEqual(
			type ? [type] : [],
		);
	});

	test('as WAV only when the length of the answer is told: one that is made meanwhile does not know its own', async () => {
		const { model } = await openedSpeech();
		const wav = model.forward?.(rawBody({ ...speech, response_format: 'wav' }));
		expect([wav?.accepts('audio/wav', 9), wav?.accepts('audio/wav')]).toEqual([true, false]);
		const mp3 = model.forward?.(rawBody({ ...speech, response_format: 'mp3' }));
		expect(mp3?.accepts('audio/mpeg')).toBe(true);
	});

	test('with any voice where all are taken, but not with an object for one', async () => {
		const { model } = await openedSpeech();
		expect(model.forward?.(rawBody({ ...speech, voice: 'bob' }))).toBeDefined();
		expect(model.forward?.(rawBody({ ...speech, voice: { id: 'bob' } }))).toBeUndefined();
	});

	test('but not in a format that is made of another', async () => {
		const { model } = await openedSpeech({ formats: ['mp3', 'wav'] });
		expect(model.forward?.(rawBody({ ...speech, response_format: 'flac' }))).toBeUndefined();
		expect(model.forward?.(rawBody({ ...speech, response_format: 'wav' }))).toBeDefined();
	});
});

describe('a request that is passed on', () => {
	test('carries the same bytes, the name that the server knows, and the key', async () => {
		const { model, upstream } = await openedChat({
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
		expect(Buffer.from(request?.body ?? []).toString()).toBe(
			'{ "messages": [],\n"model" : "gpt" }',
		);
		expect(request?.headers).toEqual([
			...['accept', 'text/x', 'authorization', 'Bearer secret'],
			...['x-team', 'a', 'content-type', 'application/json'],
		]);
	});

	test('asks for what it wants, and is named by the id of the model unless the config has a name', async () => {
		const { model } = await openedChat();
		const request = model.forward?.(rawBody(talk({ stream: true })));
		expect(request?.headers).toEqual([
			...['accept', 'text/event-stream', 'content-type', 'application/json'],
		]);
		expect(JSON.parse(Buffer.from(request?.body ?? []).toString()).model).toBe('bound-id');
	});

	test('waits for the first ordinary one, with which undici is loaded', async () => {
		const model = await modelOf(openai.chat({ baseURL: 'http://127.0.0.1:1/v1', retries: 0 }));
		expect(model.forward?.(rawBody(talk()))).toBeUndefined();
		await answer(model).catch(() => {});
		expect(model.forward?.(rawBody(talk()))).toBeDefined();
	});

	test('waits for nothing where it goes through a socket, of which there is nothing to load', async () => {
		const baseURL = 'http://127.0.0.1:1/v1';
		const model = await modelOf(openai.chat({ baseURL, transport: 'socket' }));
		expect(model.forward?.(rawBody(talk()))).toBeDefined();
	});

	test('is none where the config says so, or adds members of its own', async () => {
		for (const options of [{ forward: false }, { forward: 'false' }, { body: { top_k: 4 } }]) {
			const models = [openedChat(options), openedImage(options), openedSpeech(options)];
			for (const { model } of await Promise.all(models)) expect(model.forward).toBeUndefined();
		}
	});

	test.each(['vllm-omni', 'sglang', 'localai', 'sdcpp'])('is no picture of %s', async (dialect) => {
		expect((await openedImage({ dialect })).model.forward).toBeUndefined();
	});

	test.each(['vllm-omni', 'localai', 'ollama'])('is no speech of %s', async (dialect) => {
		expect((await openedSpeech({ dialect })).model.forward).toBeUndefined();
	});
});

describe('what comes in place of an answer is told', () => {
	async function lane() {
		const { model, upstream, lines } = await openedChat();
		return { request: model.forward?.(rawBody(talk())) as ForwardRequest, upstream, lines };
	}

	function told({ spec, param, message, headers }: PlinthError) {
		return [spec.status, spec.code, param, headers['retry-after'], message];
	}

	test('as a refusal, with the parameter and without the host', async () => {
		const { request, upstream } = await lane();
		const message = `${new URL(upstream.baseURL).host} says: too hot`;
		const body = Buffer.from(JSON.stringify({ error: { message, param: 'temperature' } }));
		expect(told(request.refused(400, {}, body))).toEqual([
			...[400, 'invalid_value', 'temperature', undefined],
			'The model refused the request: the server says: too hot',
		]);
	});

	test('as a refusal of a seed, which only the client can have set', async () => {
		const { request } = await lane();
		const body = Buffer.from(JSON.stringify({ error: { message: 'no', param: 'seed' } }));
		expect(told(request.refused(400, {}, body)).slice(0, 3)).toEqual([
			...[400, 'invalid_value', 'seed'],
		]);
	});

	test('as a server that is busy, with the time to wait', async () => {
		const { request } = await lane();
		const error = request.refused(429, { 'retry-after': '7' }, Buffer.from('slow down'));
		expect(told(error).slice(0, 4)).toEqual([429, 'rate_limit_exceeded', undefined, '7']);
	});

	test('as a failure of its server, a wrong key among them', async () => {
		const { request } = await lane();
		expect(told(request.refused(401, {}, Buffer.from('{"error":{"message":"key!"}}')))).toEqual([
			...[502, 'model_error', undefined, undefined, expect.not.stringContaining('key!')],
		]);
	});

	test('as a server that is away or silent', async () => {
		const { request } = await lane();
		expect(request.lost(new Error('ECONNRESET')).code).toBe('E_MODEL_UNAVAILABLE');
		expect(request.silent().code).toBe('E_MODEL_TIMEOUT');
	});
});

describe('a lane is closed', () => {
	test('by an answer of another type, for it would come again', async () => {
		const { model, lines } = await openedChat();
		const request = model.forward?.(rawBody(talk()));
		expect(request?.unfit('text/html').code).toBe('E_MODEL_FAILED');
		expect(model.forward?.(rawBody(talk()))).toBeUndefined();
		expect(model.forward?.(rawBody(talk({ stream: true })))).toBeDefined();
		expect(lines.filter((line) => line.includes('text/html'))).toHaveLength(1);
	});

	test('not by one to a body that nobody has parsed', async () => {
		const { model } = await openedChat();
		model.forward?.(longBody(talk()))?.unfit('text/html');
		expect(model.forward?.(rawBody(talk()))).toBeDefined();
	});

	test('for events, by a server that says that it has none', async () => {
		const { model } = await openedChat();
		const refusal = Buffer.from(JSON.stringify({ error: { message: 'no', param: 'stream' } }));
		const unread = model.forward?.(longBody(talk({ stream: true })));
		expect(unread?.refused(400, {}, refusal).code).toBe('E_VALUE_INVALID');
		const request = model.forward?.(rawBody(talk({ stream: true })));
		expect(request?.refused(400, {}, refusal).code).toBe('E_MODEL_FAILED');
		expect(model.forward?.(rawBody(talk({ stream: true })))).toBeUndefined();
		expect(model.forward?.(rawBody(talk()))).toBeDefined();
	});

	test('for events, by what an ordinary request has heard', async () => {
		const whole = { choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] };
		const { model } = await openedChat({}, (got, res) =>
			got.json.stream
				? failure(400, { message: 'no', param: 'stream' })(got, res)
				: json(whole)(got, res),
		);
		expect(model.forward?.(rawBody(talk({ stream: true })))).toBeUndefined();
		expect(model.forward?.(rawBody(talk()))).toBeDefined();
	});
});
