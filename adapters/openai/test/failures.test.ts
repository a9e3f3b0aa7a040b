import { setImmediate as turn } from 'node:timers/promises';
import type { ChatEvent, ChatModel } from '@plinth/plugin-chat/model';
import { manualClock, silentLogger } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { answer, chatRequest, chunk } from './chat-calls.ts';
import { type Failed, failureOf } from './harness.ts';
import { key, scriptedChat } from './scripted-chat.ts';
import { bytes, endless, failure, frame, type Handler, hangUp, json, silent } from './upstream.ts';

function startStream(model: ChatModel): AsyncIterator<ChatEvent> {
	const run = { signal: new AbortController().signal, seed: 1, log: silentLogger() };
	return model.stream(chatRequest(), run)[Symbol.asyncIterator]();
}

async function failedWith(...handlers: Handler[]): Promise<Failed> {
	const { model } = await scriptedChat(handlers, { retries: 0 });
	return failureOf(answer(model));
}

describe('the log omits a rejection that repeats the request', () => {
	test.each([
		['and has a reason', 5_000, 'too hot'],
		['and exceeds the size limit', 50_000, 'no reason that could be read'],
	])('%s', async (_, times, said) => {
		const input = 'what nobody should read '.repeat(times);
		const failed = await failedWith(json({ detail: [{ input, msg: 'too hot' }] }, 422));
		expect(failed.code).toBe('invalid_value');
		expect(failed.log).toContain(said);
		expect(failed.log).not.toContain('nobody should read');
	});
});

describe('an upstream failure becomes', () => {
	test.each<[string, Handler, Partial<Failed>]>([
		[
			'400 with its parameter',
			failure(400, { message: 'temperature is too high', param: 'temperature', code: null }),
			{ status: 400, code: 'invalid_value', param: 'temperature' },
		],
		[
			'400 with the root of a path',
			failure(400, { message: 'no such role', param: 'messages[3].role', code: 'invalid_value' }),
			{ status: 400, code: 'invalid_value', param: 'messages' },
		],
		[
			'400 unsupported_value',
			failure(400, { message: 'no logit bias', code: 'unsupported_parameter', param: 'stop' }),
			{ status: 400, code: 'unsupported_value', param: 'stop' },
		],
		[
			'400 without a parameter that the client never sent',
			failure(400, { message: 'bad top_k', param: 'top_k' }),
			{ status: 400, code: 'invalid_value', param: undefined },
		],
		[
			'400 out of a FastAPI list',
			json({ detail: [{ loc: ['body', 'messages', 0], msg: 'field required' }] }, 422),
			{ status: 400, param: 'messages', message: 'The model refused the request: field required' },
		],
		[
			'400 out of a FastAPI text',
			json({ detail: 'too long' }, 400),
			{ status: 400, message: 'The model refused the request: too long' },
		],
		[
			'400 out of a text',
			json({ error: 'no image model' }, 400),
			{ status: 400, message: 'The model refused the request: no image model' },
		],
		[
			'400 out of a nested detail',
			json({ detail: { detail: { detail: 'too deep' }, message: 'too long' } }, 400),
			{ status: 400, message: 'The model refused the request: too long' },
		],
		[
			'400 out of a detail of any depth',
			bytes(`${'{"detail":'.repeat(30_000)}1${'}'.repeat(30_000)}`, 'application/json', 400),
			{ status: 400, code: 'invalid_value' },
		],
		['400 out of nothing', bytes('', 'text/plain', 400), { status: 400, code: 'invalid_value' }],
		[
			'400 context_length_exceeded',
			failure(400, { message: 'max 4096', code: 'context_length_exceeded' }),
			{ status: 400, code: 'context_length_exceeded', param: 'messages' },
		],
		[
			'400 context_length_exceeded, as llama.cpp says it',
			failure(400, { code: 400, message: 'It is.', type: 'exceed_context_size_error' }),
			{ status: 400, code: 'context_length_exceeded', param: 'messages' },
		],
		[
			'400 context_length_exceeded, as vLLM says it',
			failure(400, { message: 'maximum context length is 4096', type: 'BadRequestError' }),
			{ status: 400, code: 'context_length_exceeded', param: 'messages' },
		],
		[
			'400 with a bound that leaves no room for the conversation',
			failure(400, { message: 'maximum context length is 4096', param: 'max_tokens' }),
			{ status: 400, code: 'invalid_value', param: 'max_tokens' },
		],
		[
			'502 where a member is wrong that we have added',
			failure(400, { message: 'I know no mismatch', param: 'seed' }),
			{ status: 502, code: 'model_error' },
		],
		[
			'400 moderation_blocked',
			failure(400, { message: 'Not that.', code: 'moderation_blocked' }),
			{ status: 400, code: 'moderation_blocked', message: 'Not that.' },
		],
		['413', bytes('<html>too large</html>', 'text/html', 413), { status: 413, code: 'request_too_large' }],
		[
			'429 with the wait of the server',
			failure(429, { message: 'slow down' }, { 'retry-after': '17' }),
			{ status: 429, code: 'rate_limit_exceeded', retryAfter: '17' },
		],
		[
			'429 with a minute at most',
			failure(429, { message: 'slow down' }, { 'retry-after': '3600' }),
			{ status: 429, retryAfter: '60' },
		],
		[
			'502 where the operator has no credit left',
			failure(429, { message: 'You have no credit.', code: 'insufficient_quota' }),
			{ status: 502, code: 'model_error' },
		],
		[
			'502 where the key is wrong',
			failure(401, { message: `Incorrect API key provided: ${key}` }),
			{ status: 502, code: 'model_error' },
		],
		[
			'502 where the model is not there',
			failure(404, { message: 'no such model', code: 'model_not_found' }),
			{ status: 502, code: 'model_error' },
		],
		[
			'502 where the model has another name',
			failure(400, { message: 'model mismatch', param: 'model' }),
			{ status: 502, code: 'model_error' },
		],
		['502 after 500', failure(500, { message: 'trace' }), { status: 502, code: 'model_error' }],
		[
			'503 while the server loads',
			failure(503, { message: 'loading' }, { 'retry-after': '9' }),
			{ status: 503, code: 'model_unavailable', retryAfter: '9' },
		],
		['503 where nobody answers', hangUp, { status: 503, code: 'model_unavailable' }],
		['503 after 521', bytes('', 'text/html', 521), { status: 503, code: 'model_unavailable' }],
		['504 after 524', bytes('', 'text/html', 524), { status: 504, code: 'model_timeout' }],
		['504 after 504', bytes('', 'text/html', 504), { status: 504, code: 'model_timeout' }],
	])('%s', async (_, handler, expected) => {
		const failed = await failedWith(handler);
		expect(failed).toMatchObject(expected);
		if (failed.status >= 500) {
			expect(failed.message).not.toMatch(/trace|credit|mismatch|127\.0/);
			expect(failed.log).toMatch(/127\.0\.0\.1:\d+/);
		}
	});

	test('502 when a member that the operator added is invalid', async () => {
		const refusal = json({ detail: [{ loc: ['body', 'top_k'], msg: 'too many' }] }, 422);
		const { model } = await scriptedChat([refusal], { body: { top_k: 40 } });
		const failed = await failureOf(answer(model));
		expect(failed).toMatchObject({ status: 502, message: expect.not.stringContaining('many') });
	});

	test('503 when no server listens', async () => {
		const { upstream, model } = await scriptedChat([silent], { retries: 0 });
		await upstream.close();
		expect(await failureOf(answer(model))).toMatchObject({
			status: 503,
			code: 'model_unavailable',
		});
	});

	test('504 after the timeout of the request', async () => {
		const { model, waits } = await scriptedChat([silent], { timeoutSeconds: 9 });
		expect(await failureOf(answer(model))).toMatchObject({ status: 504, code: 'model_timeout' });
		expect(waits).toEqual([9_000]);
	});

	test('504 when the stream stalls', async () => {
		const pause: Handler = (_, res) => {
			res.writeHead(200, { 'content-type': 'text/event-stream' });
			res.write(`data: ${JSON.stringify(chunk({ content: 'Half' }))}\n\n`);
		};
		const clock = manualClock();
		const { model } = await scriptedChat([pause], { timeoutSeconds: 9 }, clock);
		const events = startStream(model);
		expect((await events.next()).value).toEqual({ type: 'text', text: 'Half' });
		const next = failureOf(events.next());
		// Until the reader has received the response of the server.
		await turn();
		await clock.advance(9_000);
		expect(await next).toMatchObject({ status: 504, code: 'model_timeout' });
	});

	test('no error when the reader pauses', async () => {
		const rest = Promise.withResolvers<void>();
		const slow: Handler = (_, res) => {
			res.writeHead(200, { 'content-type': 'text/event-stream' });
			res.write(frame(chunk({ content: 'Half' })));
			void rest.promise.then(() => res.end(frame(chunk({}, 'stop'))));
		};
		const clock = manualClock();
		const { model } = await scriptedChat([slow], { timeoutSeconds: 9 }, clock);
		const events = startStream(model);
		await events.next();
		await clock.advance(20_000);
		const next = events.next();
		rest.resolve();
		expect((await next).value).toMatchObject({ type: 'finish' });
	});

	test('502 for an endless error body', async () => {
		const failing = endless('text/plain', '', 500);
		expect(await failedWith(failing)).toMatchObject({ status: 502, code: 'model_error' });
	});
});
