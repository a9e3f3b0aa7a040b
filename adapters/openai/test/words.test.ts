import { describe, expect, test } from 'vitest';
import { openai } from '../src/index.ts';
import { scrubber } from '../src/upstream/scrub.ts';
import { answer, chunk } from './chat-calls.ts';
import { gateway, ids, upstreamKey } from './gateway.ts';
import { failureOf, modelOf } from './harness.ts';
import { openedChat } from './opened.ts';
import { make, wish } from './pictures.ts';
import { rawBody } from './raw.ts';
import { failure, type Got, type Handler, json, scripted, sse } from './upstream.ts';
import { attempt, record, studio } from './videos.ts';

const key = 'k-1234';
const options = { apiKey: key, headers: { 'x-team': 'Basic team-7', 'x-trace': 'on' } };

/** What a server that knows no discretion says. */
const gossip = ({ headers }: Pick<Got, 'headers'>) => `http://${headers.host}/guard is on for ${key} of team-7`;
const told = 'the server/guard is on for [redacted] of [redacted]';
/** The same with a code that clients get to see. */
const blocked = (got: Got) => ({ code: 'content_filter', message: gossip(got) });

describe('what a server says about itself, its key and its headers reaches no client', () => {
	const begun = chunk({ content: 'Half' });
	test.each<[string, Handler]>([
		['in a refusal', (got, res) => failure(400, blocked(got))(got, res)],
		['in an event', (got, res) => sse(begun, { error: blocked(got) })(got, res)],
		['in a whole answer', (got, res) => json({ error: blocked(got) })(got, res)],
	])('%s', async (_, handler) => {
		const { baseURL } = await scripted(handler);
		const model = await modelOf(openai.chat({ baseURL, retries: 0, ...options }));
		const failed = await failureOf(answer(model));
		expect(failed).toMatchObject({ code: 'moderation_blocked', message: told });
		expect(failed.log).not.toMatch(/k-1234|team-7/);
	});

	test.each<[string, Handler]>([
		['as an answer', (got, res) => json({ error: blocked(got) })(got, res)],
		['as events', (got, res) => sse({ type: 'error', error: blocked(got) })(got, res)],
	])('in place of a picture, %s', async (_, handler) => {
		const { baseURL } = await scripted(handler);
		const model = await modelOf(openai.image({ baseURL, retries: 0, ...options }));
		const failed = await failureOf(make(model, wish(), { partials: 1 }));
		expect(failed).toMatchObject({ code: 'moderation_blocked', message: told });
	});

	test('in place of a video, whose id at the server is nobody’s business either', async () => {
		const poll: Handler = (got, res) => {
			const error = { code: 'invalid_prompt', message: `up_1: ${gossip(got)}` };
			return record('failed', { error })(got, res);
		};
		const { model } = await studio({ poll: [poll] }, options);
		const failed = await failureOf(attempt(model).result);
		expect(failed).toMatchObject({ status: 400, message: `the video: ${told}` });
		expect(failed.log).not.toMatch(/up_1|k-1234|team-7|127\.0/);
	});

	test('in the refusal of a request that is passed on', async () => {
		const { model, upstream } = await openedChat(options);
		const request = model.forward?.(rawBody({ model: 'mine', messages: [] }));
		const host = new URL(upstream.baseURL).host;
		const body = Buffer.from(JSON.stringify({ error: { message: gossip({ headers: { host } }) } }));
		expect(request?.refused(400, {}, body).message).toContain(told);
	});

	test('or the log, through the whole of an app', async () => {
		const front = await gateway((got, res) => {
			const message = `${got.headers.authorization} at ${got.headers.host}`;
			return failure(400, { message })(got, res);
		});
		// The second one is translated.
		for (const n of [1, 2]) {
			const body = { model: ids.chat, messages: [{ role: 'user', content: 'Hi.' }], n };
			const response = await front.ask('chat', JSON.stringify(body));
			expect(response.status).toBe(400);
			expect(`${await response.text()} ${front.lines}`).not.toContain(upstreamKey);
		}
	});
});

describe('of a host', () => {
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
