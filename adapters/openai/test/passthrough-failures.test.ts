import type { ForwardRequest, PlinthError } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { answer } from './chat-calls.ts';
import { rawBody } from './raw-body.ts';
import { chatModel, imageModel } from './scripted-models.ts';
import { failure, json } from './upstream.ts';

const talk = (part: object = {}) => ({
	model: 'mine',
	messages: [{ role: 'user', content: 'Hello?' }],
	...part,
});

describe('an upstream response that is no answer is reported', () => {
	async function passed() {
		const { model, upstream, lines } = await chatModel();
		return { request: model.forward?.(rawBody(talk())) as ForwardRequest, upstream, lines };
	}

	function describeError({ spec, param, message, headers }: PlinthError) {
		return [spec.status, spec.code, param, headers['retry-after'], message];
	}

	test('as a rejection, with the parameter and without the host', async () => {
		const { request, upstream } = await passed();
		const message = `${new URL(upstream.baseURL).host} says: too hot`;
		const body = Buffer.from(JSON.stringify({ error: { message, param: 'temperature' } }));
		expect(describeError(request.refused(400, {}, body))).toEqual([
			...[400, 'invalid_value', 'temperature', undefined],
			'The model refused the request: the server says: too hot',
		]);
	});

	test('as a rejection of a seed, which only the client can have set', async () => {
		const { request } = await passed();
		const body = Buffer.from(JSON.stringify({ error: { message: 'no', param: 'seed' } }));
		expect(describeError(request.refused(400, {}, body)).slice(0, 3)).toEqual([...[400, 'invalid_value', 'seed']]);
	});

	test('as model_busy with the retry-after time', async () => {
		const { request } = await passed();
		const error = request.refused(429, { 'retry-after': '7' }, Buffer.from('slow down'));
		expect(describeError(error).slice(0, 4)).toEqual([429, 'rate_limit_exceeded', undefined, '7']);
	});

	test('as an error of the server, including a wrong key', async () => {
		const { request } = await passed();
		expect(describeError(request.refused(401, {}, Buffer.from('{"error":{"message":"key!"}}')))).toEqual([
			...[502, 'model_error', undefined, undefined, expect.not.stringContaining('key!')],
		]);
	});

	test('as model_unavailable or model_timeout when the server is down or silent', async () => {
		const { request } = await passed();
		expect(request.lost(new Error('ECONNRESET')).code).toBe('E_MODEL_UNAVAILABLE');
		expect(request.silent().code).toBe('E_MODEL_TIMEOUT');
	});
});

describe('a server without the requested response type', () => {
	const noEvents = { message: 'no', param: 'stream' };

	test('gets a translated request, unless that would be billed twice', async () => {
		const chat = (await chatModel()).model.forward?.(rawBody(talk()));
		expect(chat?.unfit('text/html')).toMatchObject({
			code: 'E_MODEL_FAILED',
			cause: { message: expect.stringContaining('"text/html"') },
		});
		expect(chat?.mayRepeat?.()).toBe(true);
		const { model } = await imageModel();
		const picture = model.forward?.(rawBody({ model: 'mine', prompt: 'a cat' }));
		picture?.unfit('text/html');
		expect(picture?.mayRepeat?.()).toBe(false);
	});

	test('gets a translated request when it has no streams', async () => {
		const { model } = await chatModel();
		const refusal = Buffer.from(JSON.stringify({ error: noEvents }));
		const request = model.forward?.(rawBody(talk({ stream: true })));
		expect(request?.refused(400, {}, refusal).code).toBe('E_MODEL_FAILED');
		expect(request?.mayRepeat?.()).toBe(true);
	});

	test('gets no stream requests after it has rejected one', async () => {
		const whole = { choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] };
		const { model } = await chatModel({}, (request, res) =>
			(request.json.stream ? failure(400, noEvents) : json(whole))(request, res),
		);
		expect(model.forward?.(rawBody(talk({ stream: true })))).toBeDefined();
		await answer(model);
		expect(model.forward?.(rawBody(talk({ stream: true })))).toBeUndefined();
		expect(model.forward?.(rawBody(talk()))).toBeDefined();
	});
});

describe('the stream of a server', () => {
	async function request() {
		const { model } = await chatModel();
		return model.forward?.(rawBody(talk({ stream: true }))) as ForwardRequest;
	}

	test.each(['data: {"error":{"message":"CUDA"}}\n\n', 'a\r\ndata:{"error":"CUDA"}'])(
		'is an error when it begins with %j',
		async (text) => {
			const { sendable } = await request();
			expect(() => sendable?.(text)).toThrow('sent an error');
		},
	);

	test('is held back while it may still begin with an error', async () => {
		const { sendable } = await request();
		const started = 'data: {"a":1}\n\n';
		for (const line of ['d', 'data: {"err', 'data: {"error"'.slice(0, -1), 'data:{']) {
			expect(sendable?.(started + line)).toBe(started.length);
		}
		for (const line of ['', 'data: {"error_rate":1', 'data: {"e":"{\\"error\\":1}"', ': x']) {
			expect(sendable?.(started + line)).toBe((started + line).length);
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
	])('reports %s', async (_, end, counts) => {
		expect((await request()).usage?.(end)).toEqual(counts);
	});
});
