import { eventually, manualClock, silentLogger } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { answer, chatRequest, chunk, hello } from './chat-calls.ts';
import { failureOf } from './harness.ts';
import { key, scriptedChat } from './scripted-chat.ts';
import { bytes, failure, type Handler, hangUp, scripted, silent, sse } from './upstream.ts';

describe('a request is retried', () => {
	const again: readonly [string, Handler][] = [
		['429', failure(429, { message: 'slow down' })],
		['500', failure(500, { message: 'oops' })],
		['503', bytes('', 'text/plain', 503)],
		['a lost connection', hangUp],
		['x-should-retry: true', failure(400, {}, { 'x-should-retry': 'true' })],
	];

	test.each(again)('after %s', async (_, handler) => {
		const { model, upstream, waits, lines } = await scriptedChat([handler, handler, sse(...hello)]);
		expect(await answer(model)).toHaveLength(3);
		expect(upstream.requests).toHaveLength(3);
		const [first = 0, second = 0] = waits;
		expect(first).toBeGreaterThanOrEqual(375);
		expect(first).toBeLessThanOrEqual(500);
		expect(second).toBeGreaterThanOrEqual(750);
		expect(second).toBeLessThanOrEqual(1_000);
		expect(lines).toHaveLength(2);
		expect(lines.join()).not.toContain(key);
	});

	test.each<[string, Record<string, string>, number]>([
		['in seconds', { 'retry-after': '7' }, 7_000],
		['in milliseconds', { 'retry-after-ms': '1250', 'retry-after': '9' }, 1_250],
		['as a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5_000],
	])('after the retry-after time %s, with jitter', async (_, headers, wait) => {
		const { model, waits } = await scriptedChat([failure(429, {}, headers), sse(...hello)]);
		await answer(model);
		expect(waits).toEqual([expect.toSatisfy((ms) => ms > wait && ms <= wait * 1.1)]);
	});

	test.each(['0', '0.2', '-5', 'Wed, 31 Dec 2025 00:00:00 GMT'])(
		'not earlier for retry-after: %s; each wait is longer than the previous one',
		async (said) => {
			const busy = failure(429, {}, { 'retry-after': said });
			const { model, waits } = await scriptedChat([busy, busy, busy, sse(...hello)], { retries: 3 });
			await answer(model);
			const grow = waits.map((ms, tries) => ms / (500 * 2 ** tries));
			expect(grow).toHaveLength(3);
			expect(grow.every((each) => each >= 0.75 && each <= 1)).toBe(true);
		},
	);

	test('as often as the config says', async () => {
		const { model, upstream } = await scriptedChat([hangUp], { retries: 4 });
		await failureOf(answer(model));
		expect(upstream.requests).toHaveLength(5);
	});

	test.each<[string, Handler]>([
		['a refusal', failure(400, { message: 'no' })],
		['what the server does not want to see again', failure(503, {}, { 'x-should-retry': 'false' })],
		['an empty purse', failure(429, { code: 'insufficient_quota' })],
		['what is not there', bytes('', 'text/plain', 501)],
	])('but not after %s', async (_, handler) => {
		const { model, upstream } = await scriptedChat([handler]);
		await failureOf(answer(model));
		expect(upstream.requests).toHaveLength(1);
	});

	test('but not when the wait would exceed its timeout', async () => {
		const handler = failure(429, {}, { 'retry-after': '30' });
		const { model, upstream } = await scriptedChat([handler], { timeoutSeconds: 25 });
		expect(await failureOf(answer(model))).toMatchObject({ status: 429, retryAfter: '30' });
		expect(upstream.requests).toHaveLength(1);
	});

	test('but not after the response has started', async () => {
		const half = sse(chunk({ content: 'Half' }));
		const { model, upstream } = await scriptedChat([half]);
		await failureOf(answer(model));
		expect(upstream.requests).toHaveLength(1);
	});
});

describe('a client that disconnects', () => {
	test.each<[string, Handler]>([
		['before the answer', silent],
		['within it', (_, res) => res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': \n\n')],
	])('%s ends the request, and the reason is kept', async (_, handler) => {
		const { model, upstream } = await scriptedChat([handler]);
		const stop = new AbortController();
		const reason = new Error('left');
		const work = answer(model, {}, stop.signal);
		await eventually('the request is there', () => upstream.requests.length === 1);
		stop.abort(reason);
		await expect(work).rejects.toBe(reason);
		await eventually('the connection is closed', () => upstream.aborted.count === 1);
	});

	test('at a warning aborts the stream', async () => {
		const open: Handler = (_, res) => {
			res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
		};
		const { model, upstream } = await scriptedChat([open], { dialect: 'localai' });
		const run = { signal: new AbortController().signal, seed: 1, log: silentLogger() };
		for await (const { type } of model.stream(chatRequest({ effort: 'low' }), run)) {
			expect(type).toBe('warning');
			break;
		}
		await eventually('the connection is closed', () => upstream.aborted.count === 1);
	});

	test('between two tries ends the wait', async () => {
		const { model, lines } = await scriptedChat([hangUp], {}, manualClock());
		const stop = new AbortController();
		const work = answer(model, {}, stop.signal);
		await eventually('the next try is waited for', () => lines.length === 1);
		stop.abort(new Error('left'));
		await expect(work).rejects.toBe(stop.signal.reason);
	});
});

describe('the key', () => {
	test('is sent to the server, with the headers of the config', async () => {
		const { model, upstream } = await scriptedChat([sse(...hello)], { headers: { 'x-team': 'a' } });
		await answer(model);
		expect(upstream.requests[0]?.headers).toMatchObject({
			authorization: `Bearer ${key}`,
			'x-team': 'a',
		});
	});

	test('is not sent when there is none', async () => {
		const { model, upstream } = await scriptedChat([sse(...hello)], { apiKey: '' });
		await answer(model);
		expect(upstream.requests[0]?.headers.authorization).toBeUndefined();
	});

	test('is not sent after a redirect, because redirects are not followed', async () => {
		const other = await scripted(sse(...hello));
		const away: Handler = (_, res) => res.writeHead(307, { location: `${other.baseURL}/x` }).end();
		const { model } = await scriptedChat([away]);
		expect(await failureOf(answer(model))).toMatchObject({
			status: 502,
			log: expect.stringContaining('correct baseURL'),
		});
		expect(other.requests).toEqual([]);
	});

	test('is contained in no error', async () => {
		const { model } = await scriptedChat([failure(401, { message: 'who are you?' })]);
		expect(JSON.stringify(await failureOf(answer(model)))).not.toContain(key);
	});
});
