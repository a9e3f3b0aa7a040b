import { once } from 'node:events';
import { eventually } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { clientKey, type Gateway, gateway, ids, modelName, upstreamKey, upstreamName } from './gateway.ts';
import { bytes, failure, type Handler, hangUp, sse } from './upstream.ts';

/** With unusual white space, which must be kept. */
const bodies = {
	chat: `{ "model":"${ids.chat}" , "messages": [ {"role":"user","content":"Hello?"} ],\n"temperature":0.50 }`,
	image: `{ "prompt": "a cat" ,"model" : "${ids.image}","size":"1024x1024"}`,
	speech: `{"model":"${ids.speech}",  "input":"Hi.","voice":"ann","response_format":"mp3" }`,
} as const;

const streamed = bodies.chat.replace('{', '{ "stream" : true,');
const kinds = ['chat', 'image', 'speech'] as const;

/** Formatted unlike the output of Plinth. */
const texts = {
	chat: '{"id" : "theirs-1",\n "choices":[ {"index":0} ], "x":1.0 }',
	image: '{"created": 1,  "data":[{"b64_json":"AAAA"}]}',
	speech: '\xff\xfb\0\x01\x02\x03',
} as const;

const answers = {
	chat: bytes(texts.chat, 'application/json'),
	image: bytes(texts.image, 'application/json'),
	speech: bytes(Buffer.from(texts.speech, 'latin1'), 'audio/mpeg'),
} as const;

/** More bytes than the buffers of connections hold; no two pieces are alike. */
const long = Buffer.from(Uint32Array.from({ length: 2_000_000 }, (_, at) => at * 2_654_435_761).buffer);
let piecesSent = 0;

/** Sends those bytes in pieces of many sizes, as fast as the client reads. */
function paced(type: string, length?: number): Handler {
	return async (_, res) => {
		const reported = length === undefined ? {} : { 'content-length': length };
		res.writeHead(200, { 'content-type': type, ...reported });
		for (let at = 0, size = 1; at < long.length; at += size) {
			size = 1 + ((at * 31 + 977) % 120_000);
			piecesSent += 1;
			if (!res.write(long.subarray(at, at + size))) await once(res, 'drain');
		}
		res.end();
	};
}

/** Resolves when no more data is sent because the client does not read. */
async function standstill(): Promise<void> {
	for (let turns = 0, seen = -1; turns < 30; turns++) {
		if (seen !== piecesSent) turns = 0;
		seen = piecesSent;
		await new Promise(setImmediate);
	}
}

async function read(response: Response): Promise<string> {
	return Buffer.from(await response.arrayBuffer()).toString('latin1');
}

/** The only upstream request. */
function only({ upstream }: Gateway) {
	expect(upstream.requests).toHaveLength(1);
	return upstream.requests[0];
}

describe('a request that passes through', () => {
	test.each(kinds)('of %s reaches the server byte for byte, with the upstream name of the model', async (kind) => {
		const app = await gateway(answers[kind]);
		await (await app.post(kind, bodies[kind])).arrayBuffer();
		expect(only(app)?.bytes.toString()).toBe(bodies[kind].replace(ids[kind], upstreamName));
	});

	test.each(kinds)('of %s returns the response byte for byte', async (kind) => {
		const app = await gateway(answers[kind]);
		const response = await app.post(kind, bodies[kind]);
		expect(response.status).toBe(200);
		expect(await read(response)).toBe(texts[kind]);
		expect(response.headers.get('x-plinth-model')).toBe(ids[kind]);
	});

	test('returns streams byte for byte', async () => {
		const app = await gateway(sse({ a: 1 }, ': not ours', '[DONE]'));
		const response = await app.post('chat', streamed);
		expect(response.headers.get('content-type')).toBe('text/event-stream');
		expect(await response.text()).toBe('data: {"a":1}\n\ndata: : not ours\n\ndata: [DONE]\n\n');
		expect(only(app)?.headers.accept).toBe('text/event-stream');
	});

	test('has the key of the config, and no headers of the client', async () => {
		const app = await gateway(answers.chat);
		const headers = {
			'x-api-key': clientKey,
			'content-type': 'application/json; charset=utf-8',
			'x-team': 'secret',
			cookie: 'a=b',
		};
		await (await app.post('chat', bodies.chat, { headers })).text();
		expect(only(app)?.headers).toEqual({
			host: expect.any(String),
			connection: 'keep-alive',
			'content-type': 'application/json',
			accept: 'application/json',
			authorization: `Bearer ${upstreamKey}`,
			'content-length': expect.any(String),
		});
	});

	test('is not one whose body exceeds 262,144 bytes: that is translated', async () => {
		const app = await gateway(sse({ choices: [{ delta: { content: 'Hi.' } }] }, '[DONE]'));
		const long = bodies.chat.replace('Hello?', 'Hello? '.repeat(50_000));
		expect(await read(await app.post('chat', long))).toContain('"content":"Hi."');
		expect(only(app)?.json).toMatchObject({ stream: true, seed: expect.any(Number) });
	});

	test('has its token usage in the log', async () => {
		const counted = { choices: [], usage: { prompt_tokens: 3, total_tokens: 7, cost: 'x' } };
		const app = await gateway(sse({ usage: null }, counted, { usage: null }, '[DONE]'));
		await (await app.post('chat', streamed)).text();
		const counts = '"usage":{"prompt_tokens":3,"total_tokens":7}';
		await eventually('the request is logged', () => app.lines.join().includes(counts));
	});

	test.each<[string, (typeof kinds)[number], Handler]>([
		['with a known length', 'speech', paced('audio/mpeg', long.length)],
		['with an unknown length', 'image', paced('application/json')],
		['of events', 'chat', paced('text/event-stream')],
	])('%s is unchanged for several slow clients at once', async (_, kind, handler) => {
		const app = await gateway(handler);
		const body = kind === 'chat' ? streamed : bodies[kind];
		const responses = await Promise.all([1, 2].map(() => app.post(kind, body)));
		await standstill();
		const read = await Promise.all(responses.map((response) => response.arrayBuffer()));
		expect(read.map((each) => Buffer.from(each).equals(long))).toEqual([true, true]);
	});

	test('by an alias is answered by the model with that alias', async () => {
		const app = await gateway(answers.chat);
		const response = await app.post('chat', bodies.chat.replace(ids.chat, modelName));
		expect(response.headers.get('x-plinth-model')).toBe(ids.chat);
		expect(only(app)?.json.model).toBe(upstreamName);
	});

	test('is translated when the config says so', async () => {
		const app = await gateway(answers.chat, { forward: false });
		await (await app.post('chat', bodies.chat)).text();
		expect(only(app)?.json).toMatchObject({ stream: true, seed: expect.any(Number) });
	});
});

describe('a rejection by the server', () => {
	test.each<[(typeof kinds)[number], string]>([
		['chat', 'temperature'],
		['image', 'size'],
		['speech', 'voice'],
	])('of %s is returned with its parameter', async (kind, param) => {
		const app = await gateway(failure(400, { message: 'This will not do.', param }));
		const response = await app.post(kind, bodies[kind]);
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({
			error: {
				code: 'invalid_value',
				param,
				message: 'The model refused the request: This will not do.',
			},
		});
		only(app);
	});

	test('contains neither the host of the server nor a key', async () => {
		const app = await gateway((request, res) => {
			const message = `${request.headers.host} refuses`;
			return failure(400, { message, param: 'model' })(request, res);
		});
		const reported = await (await app.post('chat', bodies.chat)).text();
		expect(reported).not.toContain(`${app.upstream.port}`);
		expect(`${reported} ${app.lines.join()}`).not.toContain(upstreamKey);
	});
});

describe('a server that fails', () => {
	test.each<[string, Handler]>([
		['with 503', failure(503, {})],
		['with 429', failure(429, {})],
		['with 500', failure(500, {})],
		['without a word', hangUp],
		['with something else than an answer', bytes('<html>', 'text/html')],
	])('%s gets the request again, translated', async (_, fault) => {
		let isFirst = true;
		const app = await gateway(
			(request, res) => {
				const handler = isFirst ? fault : sse({ choices: [{ delta: { content: 'Hi.' }, finish_reason: 'stop' }] });
				isFirst = false;
				return handler(request, res);
			},
			{ retries: 1 },
		);
		const response = await app.post('chat', bodies.chat);
		expect(await response.json()).toMatchObject({
			choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }],
		});
		expect(app.upstream.requests.map(({ json }) => json.stream)).toEqual([undefined, true]);
	});

	test.each<[string, 'chat' | 'image', Handler, object, number]>([
		['with 429 and without retries', 'chat', failure(429, {}), {}, 429],
		['with 502 for an image request', 'image', failure(502, {}), { retries: 2 }, 503],
		['without a response to an image request', 'image', hangUp, { retries: 2 }, 503],
	])('%s does not get the request again', async (_, kind, fault, options, status) => {
		const app = await gateway(fault, options);
		expect((await app.post(kind, bodies[kind])).status).toBe(status);
		expect(app.upstream.requests).toHaveLength(1);
	});

	test('with an error event in its stream cuts the stream of the client, without the message', async () => {
		const saysSo = Promise.withResolvers<void>();
		const app = await gateway((_, res) => {
			res.writeHead(200, { 'content-type': 'text/event-stream' });
			res.write('data: {"text":"data: {\\"error\\""}\n\n');
			void saysSo.promise.then(() => res.end('data: {"error":{"message":"gpu-7 died"}}\n\n'));
		});
		const response = await app.post('chat', streamed);
		const reader = response.body?.getReader();
		expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('text');
		saysSo.resolve();
		await expect(reader?.read()).rejects.toThrow();
	});

	test('with a cut stream cuts the stream of the client', async () => {
		const app = await gateway((_, res) => {
			res.writeHead(200, { 'content-type': 'text/event-stream' });
			res.write('data: {}\n\n', () => setImmediate(() => res.destroy()));
		});
		const response = await app.post('chat', streamed);
		expect(response.status).toBe(200);
		await expect(response.text()).rejects.toThrow();
		only(app);
	});

	test('without streams gets the request again, translated', async () => {
		const whole = '{"choices":[{"message":{"content":"Hi."},"finish_reason":"stop"}]}';
		const app = await gateway(bytes(whole, 'application/json'));
		for (const count of [2, 4]) {
			expect(await (await app.post('chat', streamed)).text()).toContain('"content":"Hi."');
			expect(app.upstream.requests).toHaveLength(count);
		}
	});
});

describe('a client that disconnects', () => {
	test.each<[string, Handler]>([
		['before the answer has begun', () => {}],
		['within it', (_, res) => res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n')],
	])('%s ends the request at the server', async (_, handler) => {
		const app = await gateway(handler);
		const stop = new AbortController();
		const asked = app
			.post('chat', streamed, { signal: stop.signal })
			.then((response) => response.text())
			.catch(() => {});
		await eventually('the server has the request', () => app.upstream.requests.length === 1);
		stop.abort();
		await asked;
		await eventually('the connection is closed', () => app.upstream.aborted.count === 1);
	});
});
