import type { ForwardRequest, PlinthError } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { answer } from './chat-calls.ts';
import { openedChat, openedImage } from './opened.ts';
import { rawBody } from './raw.ts';
import { failure, json } from './upstream.ts';

const talk = (part: object = {}) => ({
	model: 'mine',
	messages: [{ role: 'user', content: 'Hello?' }],
	...part,
});

describe('what comes in place of an answer is told', () => {
	async function passed() {
		const { model, upstream, lines } = await openedChat();
		return { request: model.forward?.(rawBody(talk())) as ForwardRequest, upstream, lines };
	}

	function told({ spec, param, message, headers }: PlinthError) {
		return [spec.status, spec.code, param, headers['retry-after'], message];
	}

	test('as a refusal, with the parameter and without the host', async () => {
		const { request, upstream } = await passed();
		const message = `${new URL(upstream.baseURL).host} says: too hot`;
		const body = Buffer.from(JSON.stringify({ error: { message, param: 'temperature' } }));
		expect(told(request.refused(400, {}, body))).toEqual([
			...[400, 'invalid_value', 'temperature', undefined],
			'The model refused the request: the server says: too hot',
		]);
	});

	test('as a refusal of a seed, which only the client can have set', async () => {
		const { request } = await passed();
		const body = Buffer.from(JSON.stringify({ error: { message: 'no', param: 'seed' } }));
		expect(told(request.refused(400, {}, body)).slice(0, 3)).toEqual([...[400, 'invalid_value', 'seed']]);
	});

	test('as a server that is busy, with the time to wait', async () => {
		const { request } = await passed();
		const error = request.refused(429, { 'retry-after': '7' }, Buffer.from('slow down'));
		expect(told(error).slice(0, 4)).toEqual([429, 'rate_limit_exceeded', undefined, '7']);
	});

	test('as a failure of its server, a wrong key among them', async () => {
		const { request } = await passed();
		expect(told(request.refused(401, {}, Buffer.from('{"error":{"message":"key!"}}')))).toEqual([
			...[502, 'model_error', undefined, undefined, expect.not.stringContaining('key!')],
		]);
	});

	test('as a server that is away or silent', async () => {
		const { request } = await passed();
		expect(request.lost(new Error('ECONNRESET')).code).toBe('E_MODEL_UNAVAILABLE');
		expect(request.silent().code).toBe('E_MODEL_TIMEOUT');
	});
});

describe('a server that cannot do what it is asked', () => {
	const noEvents = { message: 'no', param: 'stream' };

	test('sends another type of answer: the request is translated, unless it would be paid twice', async () => {
		const chat = (await openedChat()).model.forward?.(rawBody(talk()));
		expect(chat?.unfit('text/html')).toMatchObject({
			code: 'E_MODEL_FAILED',
			cause: { message: expect.stringContaining('"text/html"') },
		});
		expect(chat?.mayRepeat?.()).toBe(true);
		const { model } = await openedImage();
		const picture = model.forward?.(rawBody({ model: 'mine', prompt: 'a cat' }));
		picture?.unfit('text/html');
		expect(picture?.mayRepeat?.()).toBe(false);
	});

	test('says that it has no events: the request is translated', async () => {
		const { model } = await openedChat();
		const refusal = Buffer.from(JSON.stringify({ error: noEvents }));
		const request = model.forward?.(rawBody(talk({ stream: true })));
		expect(request?.refused(400, {}, refusal).code).toBe('E_MODEL_FAILED');
		expect(request?.mayRepeat?.()).toBe(true);
	});

	test('has said that it has no events: it is asked for none', async () => {
		const whole = { choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] };
		const { model } = await openedChat({}, (got, res) =>
			(got.json.stream ? failure(400, noEvents) : json(whole))(got, res),
		);
		expect(model.forward?.(rawBody(talk({ stream: true })))).toBeDefined();
		await answer(model);
		expect(model.forward?.(rawBody(talk({ stream: true })))).toBeUndefined();
		expect(model.forward?.(rawBody(talk()))).toBeDefined();
	});
});

describe('the events of a server', () => {
	async function request() {
		const { model } = await openedChat();
		return model.forward?.(rawBody(talk({ stream: true }))) as ForwardRequest;
	}

	test.each(['data: {"error":{"message":"CUDA"}}\n\n', 'a\r\ndata:{"error":"CUDA"}'])(
		'are cut off where it says that it failed: %j',
		async (text) => {
			const { sendable } = await request();
			expect(() => sendable?.(text)).toThrow('sent an error');
		},
	);

	test('are held back where they may yet say so', async () => {
		const { sendable } = await request();
		const begun = 'data: {"a":1}\n\n';
		for (const line of ['d', 'data: {"err', 'data: {"error"'.slice(0, -1), 'data:{']) {
			expect(sendable?.(begun + line)).toBe(begun.length);
		}
		for (const line of ['', 'data: {"error_rate":1', 'data: {"e":"{\\"error\\":1}"', ': x']) {
			expect(sendable?.(begun + line)).toBe((begun + line).length);
		}
	});

	test.each([
		['the last counts', '"usage":{"total_tokens":1}} {"usage":{"total_tokens":2}', { total_tokens: 2 }],
		['counts with details', '"usage" : {"input_tokens":1,"x":{"y":2},"cost":"z"}', { input_tokens: 1 }],
		['counts before nothing', '{"usage":{"output_tokens":1}}\n{"usage":null}', { output_tokens: 1 }],
		['no counts in a text', JSON.stringify({ a: '"usage":{"total_tokens":1}' }), undefined],
		['no counts of another kind', '{"usage":{"pages":1}}', undefined],
		['no counts that are cut off', '{"usage":{"total_tokens":1', undefined],
		['no counts without any', '', undefined],
	])('tell %s', async (_, end, counts) => {
		expect((await request()).usage?.(end)).toEqual(counts);
	});
});
