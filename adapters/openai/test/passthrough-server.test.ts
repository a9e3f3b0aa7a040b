import { once } from 'node:events';
import { eventually } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { clientKey, type Gateway, gateway, ids, modelName, upstreamKey, upstreamName } from './gateway.ts';
import { bytes, failure, type Handler, hangUp, sse } from './upstream.ts';

/** Written as no machine would: what is passed on keeps its spaces. */
const bodies = {
	chat: `{ "model":"${ids.chat}" , "messages": [ {"role":"user","content":"Hello?"} ],\n"temperature":0.50 }`,
	image: `{ "prompt": "a cat" ,"model" : "${ids.image}","size":"1024x1024"}`,
	speech: `{"model":"${ids.speech}",  "input":"Hi.","voice":"ann","response_format":"mp3" }`,
} as const;

const streamed = bodies.chat.replace('{', '{ "stream" : true,');
const kinds = ['chat', 'image', 'speech'] as const;

/** As no server of ours would write it. */
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

/** More than the buffers of connections take; no two pieces of it are alike. */
const long = Buffer.from(Uint32Array.from({ length: 2_000_000 }, (_, at) => at * 2_654_435_761).buffer);
let piecesSent = 0;

/** Answers with it in pieces of many sizes, at the pace of who reads. */
function paced(type: string, length?: number): Handler {
	return async (_, res) => {
		const told = length === undefined ? {} : { 'content-length': length };
		res.writeHead(200, { 'content-type': type, ...told });
		for (let at = 0, size = 1; at < long.length; at += size) {
			size = 1 + ((at * 31 + 977) % 120_000);
			piecesSent += 1;
			if (!res.write(long.subarray(at, at + size))) await once(res, 'drain');
		}
		res.end();
	};
}

/** Resolves when nothing goes on any more, for nobody reads. */
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

/** What the server got in the only request. */
function only({ upstream }: Gateway) {
	expect(upstream.got).toHaveLength(1);
	return upstream.got[0];
}

describe('what is passed on', () => {
	test.each(kinds)('of %s reaches the server byte for byte, with its own name of the model', async (kind) => {
		const front = await gateway(answers[kind]);
		await (await front.ask(kind, bodies[kind])).arrayBuffer();
		expect(only(front)?.bytes.toString()).toBe(bodies[kind].replace(ids[kind], upstreamName));
	});

	test.each(kinds)('of %s reaches the client byte for byte', async (kind) => {
		const front = await gateway(answers[kind]);
		const response = await front.ask(kind, bodies[kind]);
		expect(response.status).toBe(200);
		expect(await read(response)).toBe(texts[kind]);
		expect(response.headers.get('x-plinth-model')).toBe(ids[kind]);
	});

	test('of events too', async () => {
		const front = await gateway(sse({ a: 1 }, ': not ours', '[DONE]'));
		const response = await front.ask('chat', streamed);
		expect(response.headers.get('content-type')).toBe('text/event-stream');
		expect(await response.text()).toBe('data: {"a":1}\n\ndata: : not ours\n\ndata: [DONE]\n\n');
		expect(only(front)?.headers.accept).toBe('text/event-stream');
	});

	test('carries the key of the config, and nothing of the client’s head', async () => {
		const front = await gateway(answers.chat);
		const headers = {
			'x-api-key': clientKey,
			'content-type': 'application/json; charset=utf-8',
			'x-team': 'secret',
			cookie: 'a=b',
		};
		await (await front.ask('chat', bodies.chat, { headers })).text();
		expect(only(front)?.headers).toEqual({
			host: expect.any(String),
			connection: 'keep-alive',
			'content-type': 'application/json',
			accept: 'application/json',
			authorization: `Bearer ${upstreamKey}`,
			'content-length': expect.any(String),
		});
	});

	test('is not a body of more than 262,144 bytes: that is translated', async () => {
		const front = await gateway(sse({ choices: [{ delta: { content: 'Hi.' } }] }, '[DONE]'));
		const long = bodies.chat.replace('Hello?', 'Hello? '.repeat(50_000));
		expect(await read(await front.ask('chat', long))).toContain('"content":"Hi."');
		expect(only(front)?.json).toMatchObject({ stream: true, seed: expect.any(Number) });
	});

	test('leaves the counts of its answer in the log', async () => {
		const counted = { choices: [], usage: { prompt_tokens: 3, total_tokens: 7, cost: 'x' } };
		const front = await gateway(sse({ usage: null }, counted, { usage: null }, '[DONE]'));
		await (await front.ask('chat', streamed)).text();
		const counts = '"usage":{"prompt_tokens":3,"total_tokens":7}';
		await eventually('the request is logged', () => front.lines.join().includes(counts));
	});

	test.each<[string, (typeof kinds)[number], Handler]>([
		['of a length that is told', 'speech', paced('audio/mpeg', long.length)],
		['of a length that nobody knows', 'image', paced('application/json')],
		['of events', 'chat', paced('text/event-stream')],
	])('%s stays what it is for those who take their time, several at once', async (_, kind, handler) => {
		const front = await gateway(handler);
		const body = kind === 'chat' ? streamed : bodies[kind];
		const responses = await Promise.all([1, 2].map(() => front.ask(kind, body)));
		await standstill();
		const read = await Promise.all(responses.map((response) => response.arrayBuffer()));
		expect(read.map((each) => Buffer.from(each).equals(long))).toEqual([true, true]);
	});

	test('under an alias is answered by the model that has it', async () => {
		const front = await gateway(answers.chat);
		const response = await front.ask('chat', bodies.chat.replace(ids.chat, modelName));
		expect(response.headers.get('x-plinth-model')).toBe(ids.chat);
		expect(only(front)?.json.model).toBe(upstreamName);
	});

	test('is nothing where the config says so', async () => {
		const front = await gateway(answers.chat, { forward: false });
		await (await front.ask('chat', bodies.chat)).text();
		expect(only(front)?.json).toMatchObject({ stream: true, seed: expect.any(Number) });
	});
});

describe('what the server refuses', () => {
	test.each<[(typeof kinds)[number], string]>([
		['chat', 'temperature'],
		['image', 'size'],
		['speech', 'voice'],
	])('of %s is told with its parameter', async (kind, param) => {
		const front = await gateway(failure(400, { message: 'This will not do.', param }));
		const response = await front.ask(kind, bodies[kind]);
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({
			error: {
				code: 'invalid_value',
				param,
				message: 'The model refused the request: This will not do.',
			},
		});
		only(front);
	});

	test('names neither its host nor a key', async () => {
		const front = await gateway((got, res) => {
			const message = `${got.headers.host} refuses`;
			return failure(400, { message, param: 'model' })(got, res);
		});
		const told = await (await front.ask('chat', bodies.chat)).text();
		expect(told).not.toContain(`${front.upstream.port}`);
		expect(`${told} ${front.lines.join()}`).not.toContain(upstreamKey);
	});
});

describe('a server that fails', () => {
	test.each<[string, Handler]>([
		['with 503', failure(503, {})],
		['with 429', failure(429, {})],
		['with 500', failure(500, {})],
		['without a word', hangUp],
		['with something else than an answer', bytes('<html>', 'text/html')],
	])('%s is asked again, in a translated request', async (_, fault) => {
		let isFirst = true;
		const front = await gateway(
			(got, res) => {
				const handler = isFirst ? fault : sse({ choices: [{ delta: { content: 'Hi.' }, finish_reason: 'stop' }] });
				isFirst = false;
				return handler(got, res);
			},
			{ retries: 1 },
		);
		const response = await front.ask('chat', bodies.chat);
		expect(await response.json()).toMatchObject({
			choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }],
		});
		expect(front.upstream.got.map(({ json }) => json.stream)).toEqual([undefined, true]);
	});

	test.each<[string, 'chat' | 'image', Handler, object, number]>([
		['with 429, where no request is to be repeated', 'chat', failure(429, {}), {}, 429],
		['with 502 behind a picture', 'image', failure(502, {}), { retries: 2 }, 503],
		['without a word behind a picture', 'image', hangUp, { retries: 2 }, 503],
	])('%s is not asked again', async (_, kind, fault, options, status) => {
		const front = await gateway(fault, options);
		expect((await front.ask(kind, bodies[kind])).status).toBe(status);
		expect(front.upstream.got).toHaveLength(1);
	});

	test('and says so in the middle of its answer breaks the client’s off without its words', async () => {
		const saysSo = Promise.withResolvers<void>();
		const front = await gateway((_, res) => {
			res.writeHead(200, { 'content-type': 'text/event-stream' });
			res.write('data: {"text":"data: {\\"error\\""}\n\n');
			void saysSo.promise.then(() => res.end('data: {"error":{"message":"gpu-7 died"}}\n\n'));
		});
		const response = await front.ask('chat', streamed);
		const reader = response.body?.getReader();
		expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('text');
		saysSo.resolve();
		await expect(reader?.read()).rejects.toThrow();
	});

	test('in the middle of its answer breaks the client’s off', async () => {
		const front = await gateway((_, res) => {
			res.writeHead(200, { 'content-type': 'text/event-stream' });
			res.write('data: {}\n\n', () => setImmediate(() => res.destroy()));
		});
		const response = await front.ask('chat', streamed);
		expect(response.status).toBe(200);
		await expect(response.text()).rejects.toThrow();
		only(front);
	});

	test('by sending no events is asked again, in a translated request', async () => {
		const whole = '{"choices":[{"message":{"content":"Hi."},"finish_reason":"stop"}]}';
		const front = await gateway(bytes(whole, 'application/json'));
		for (const count of [2, 4]) {
			expect(await (await front.ask('chat', streamed)).text()).toContain('"content":"Hi."');
			expect(front.upstream.got).toHaveLength(count);
		}
	});
});

describe('a client who leaves', () => {
	test.each<[string, Handler]>([
		['before the answer has begun', () => {}],
		['within it', (_, res) => res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n')],
	])('%s ends the request at the server', async (_, handler) => {
		const front = await gateway(handler);
		const stop = new AbortController();
		const asked = front
			.ask('chat', streamed, { signal: stop.signal })
			.then((response) => response.text())
			.catch(() => {});
		await eventually('the server has the request', () => front.upstream.got.length === 1);
		stop.abort();
		await asked;
		await eventually('the connection is gone', () => front.upstream.left.count === 1);
	});
});
