import { eventually, manualClock, silentLogger } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { asked, key } from './asked.ts';
import { answer, chunk, hello, talk } from './chat-calls.ts';
import { failureOf } from './harness.ts';
import { bytes, failure, type Handler, hangUp, scripted, silent, sse } from './upstream.ts';

describe('a request is sent again', () => {
	const again: readonly [string, Handler][] = [
		['429', failure(429, { message: 'slow down' })],
		['500', failure(500, { message: 'oops' })],
		['503', bytes('', 'text/plain', 503)],
		['a lost connection', hangUp],
		['what the server wants to see again', failure(400, {}, { 'x-should-retry': 'true' })],
	];

	test.each(again)('after %s', async (_, handler) => {
		const { model, upstream, waits, lines } = await asked([handler, handler, sse(...hello)]);
		expect(await answer(model)).toHaveLength(3);
		expect(upstream.got).toHaveLength(3);
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
	])('when the server says, %s, or a little later', async (_, headers, wait) => {
		const { model, waits } = await asked([failure(429, {}, headers), sse(...hello)]);
		await answer(model);
		expect(waits).toEqual([expect.toSatisfy((ms) => ms > wait && ms <= wait * 1.1)]);
	});

	test.each(['0', '0.2', '-5', 'Wed, 31 Dec 2025 00:00:00 GMT'])(
		'no sooner for a server that says %s: each wait is longer than the one before',
		async (said) => {
			const busy = failure(429, {}, { 'retry-after': said });
			const { model, waits } = await asked([busy, busy, busy, sse(...hello)], { retries: 3 });
			await answer(model);
			const grow = waits.map((ms, tries) => ms / (500 * 2 ** tries));
			expect(grow).toHaveLength(3);
			expect(grow.every((each) => each >= 0.75 && each <= 1)).toBe(true);
		},
	);

	test('as often as the config says', async () => {
		const { model, upstream } = await asked([hangUp], { retries: 4 });
		await failureOf(answer(model));
		expect(upstream.got).toHaveLength(5);
	});

	test.each<[string, Handler]>([
		['a refusal', failure(400, { message: 'no' })],
		['what the server does not want to see again', failure(503, {}, { 'x-should-retry': 'false' })],
		['an empty purse', failure(429, { code: 'insufficient_quota' })],
		['what is not there', bytes('', 'text/plain', 501)],
	])('but not after %s', async (_, handler) => {
		const { model, upstream } = await asked([handler]);
		await failureOf(answer(model));
		expect(upstream.got).toHaveLength(1);
	});

	test('but not where the wait would end behind its time', async () => {
		const handler = failure(429, {}, { 'retry-after': '30' });
		const { model, upstream } = await asked([handler], { timeoutSeconds: 25 });
		expect(await failureOf(answer(model))).toMatchObject({ status: 429, retryAfter: '30' });
		expect(upstream.got).toHaveLength(1);
	});

	test('but not once the answer has begun', async () => {
		const half = sse(chunk({ content: 'Half' }));
		const { model, upstream } = await asked([half]);
		await failureOf(answer(model));
		expect(upstream.got).toHaveLength(1);
	});
});

describe('a client who leaves', () => {
	test.each<[string, Handler]>([
		['before the answer', silent],
		['within it', (_, res) => res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': \n\n')],
	])('%s ends the request, and hears its own reason', async (_, handler) => {
		const { model, upstream } = await asked([handler]);
		const stop = new AbortController();
		const reason = new Error('left');
		const work = answer(model, {}, stop.signal);
		await eventually('the request is there', () => upstream.got.length === 1);
		stop.abort(reason);
		await expect(work).rejects.toBe(reason);
		await eventually('the connection is gone', () => upstream.left.count === 1);
	});

	test('at a warning lets the answer go', async () => {
		const open: Handler = (_, res) => {
			res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
		};
		const { model, upstream } = await asked([open], { dialect: 'localai' });
		const run = { signal: new AbortController().signal, seed: 1, log: silentLogger() };
		for await (const { type } of model.stream(talk({ effort: 'low' }), run)) {
			expect(type).toBe('warning');
			break;
		}
		await eventually('the connection is gone', () => upstream.left.count === 1);
	});

	test('between two tries ends the wait', async () => {
		const { model, lines } = await asked([hangUp], {}, manualClock());
		const stop = new AbortController();
		const work = answer(model, {}, stop.signal);
		await eventually('the next try is waited for', () => lines.length === 1);
		stop.abort(new Error('left'));
		await expect(work).rejects.toBe(stop.signal.reason);
	});
});

describe('the key', () => {
	test('is sent to the server, with the headers of the config', async () => {
		const { model, upstream } = await asked([sse(...hello)], { headers: { 'x-team': 'a' } });
		await answer(model);
		expect(upstream.got[0]?.headers).toMatchObject({
			authorization: `Bearer ${key}`,
			'x-team': 'a',
		});
	});

	test('is not sent where there is none', async () => {
		const { model, upstream } = await asked([sse(...hello)], { apiKey: '' });
		await answer(model);
		expect(upstream.got[0]?.headers.authorization).toBeUndefined();
	});

	test('follows no redirect', async () => {
		const other = await scripted(sse(...hello));
		const away: Handler = (_, res) => res.writeHead(307, { location: `${other.baseURL}/x` }).end();
		const { model } = await asked([away]);
		expect(await failureOf(answer(model))).toMatchObject({
			status: 502,
			log: expect.stringContaining('correct baseURL'),
		});
		expect(other.got).toEqual([]);
	});

	test('stands in no error', async () => {
		const { model } = await asked([failure(401, { message: 'who are you?' })]);
		expect(JSON.stringify(await failureOf(answer(model)))).not.toContain(key);
	});
});
