import { describe, expect, test } from 'vitest';
import { openai } from '../src/index.ts';
import { scrubber } from '../src/upstream/scrub.ts';
import { answer, chunk } from './chat-calls.ts';
import { gateway, ids, upstreamKey } from './gateway.ts';
import { failureOf, modelOf } from './harness.ts';
import { imageRequest, make } from './pictures.ts';
import { rawBody } from './raw-body.ts';
import { chatModel } from './scripted-models.ts';
import { failure, type Handler, json, scripted, sse, type UpstreamRequest } from './upstream.ts';
import { attempt, createVideoModel, record } from './videos.ts';

const key = 'k-1234';
const options = { apiKey: key, headers: { 'x-team': 'Basic team-7', 'x-trace': 'on' } };

/** An error message with details of the server and the key. */
const serverDetails = ({ headers }: Pick<UpstreamRequest, 'headers'>) =>
	`http://${headers.host}/guard is on for ${key} of team-7`;
const reported = 'the server/guard is on for [redacted] of [redacted]';
/** The same with a code that is passed on to clients. */
const blocked = (request: UpstreamRequest) => ({ code: 'content_filter', message: serverDetails(request) });

describe('details of the server, its key and its headers do not reach clients:', () => {
	const started = chunk({ content: 'Half' });
	test.each<[string, Handler]>([
		['in a refusal', (request, res) => failure(400, blocked(request))(request, res)],
		['in an event', (request, res) => sse(started, { error: blocked(request) })(request, res)],
		['in a whole answer', (request, res) => json({ error: blocked(request) })(request, res)],
	])('%s', async (_, handler) => {
		const { baseURL } = await scripted(handler);
		const model = await modelOf(openai.chat({ baseURL, retries: 0, ...options }));
		const failed = await failureOf(answer(model));
		expect(failed).toMatchObject({ code: 'moderation_blocked', message: reported });
		expect(failed.log).not.toMatch(/k-1234|team-7/);
	});

	test.each<[string, Handler]>([
		['as an answer', (request, res) => json({ error: blocked(request) })(request, res)],
		['as events', (request, res) => sse({ type: 'error', error: blocked(request) })(request, res)],
	])('in an image request: %s', async (_, handler) => {
		const { baseURL } = await scripted(handler);
		const model = await modelOf(openai.image({ baseURL, retries: 0, ...options }));
		const failed = await failureOf(make(model, imageRequest(), { partials: 1 }));
		expect(failed).toMatchObject({ code: 'moderation_blocked', message: reported });
	});

	test('in a video request, including its id at the server', async () => {
		const poll: Handler = (request, res) => {
			const error = { code: 'invalid_prompt', message: `up_1: ${serverDetails(request)}` };
			return record('failed', { error })(request, res);
		};
		const { model } = await createVideoModel({ poll: [poll] }, options);
		const failed = await failureOf(attempt(model).result);
		expect(failed).toMatchObject({ status: 400, message: `the video: ${reported}` });
		expect(failed.log).not.toMatch(/up_1|k-1234|team-7|127\.0/);
	});

	test('in a rejection of a request that passes through', async () => {
		const { model, upstream } = await chatModel(options);
		const request = model.forward?.(rawBody({ model: 'mine', messages: [] }));
		const host = new URL(upstream.baseURL).host;
		const body = Buffer.from(JSON.stringify({ error: { message: serverDetails({ headers: { host } }) } }));
		expect(request?.refused(400, {}, body).message).toContain(reported);
	});

	test('nor the log, in a whole app', async () => {
		const front = await gateway((request, res) => {
			const message = `${request.headers.authorization} at ${request.headers.host}`;
			return failure(400, { message })(request, res);
		});
		// The second request is translated.
		for (const n of [1, 2]) {
			const body = { model: ids.chat, messages: [{ role: 'user', content: 'Hi.' }], n };
			const response = await front.post('chat', JSON.stringify(body));
			expect(response.status).toBe(400);
			expect(`${await response.text()} ${front.lines}`).not.toContain(upstreamKey);
		}
	});
});

describe('from a message about a host', () => {
	const says = (baseURL: string, text: string) => scrubber({ ...none, baseURL })(text);
	const none = { headers: {}, timeoutSeconds: 1, retries: 0, body: {} };

	test.each([
		['https://GPU-7.internal:8000/v1', 'HTTPS://gpu-7.internal:8000/x', 'the server/x'],
		['https://gpu-7.internal:8000/v1', 'gpu-7.internal:9000 died', 'the server died'],
		['https://gpu-7.internal/v1', 'gpu-7.internal, gpu-17.internal', 'the server, gpu-17.internal'],
		['https://api.openai.com/v1', 'see platform.openai.com', 'see platform.openai.com'],
		['http://10.0.0.1:80/v1', '10.0.0.1 10.0.0.12', 'the server 10.0.0.12'],
		['http://[::1]:8000/v1', 'http://[::1]:8000/x', 'the server/x'],
		['http://model:8000/v1', 'model:8000 has no model', 'the server has no model'],
		['http://model:8000/v1', 'http://model/x', 'the server/x'],
	])('%s, nothing is left in "%s"', (baseURL, text, expected) => {
		expect(says(baseURL, text)).toBe(expected);
	});
});
