import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { auth, errorOf, eventually, goodKey, listening, rawConnection, testServer } from '../support.ts';
import { behind, headers, lineOf, path, post, read, served, streamed, toClient, typed } from './forward-served.ts';
import { upstream } from './forward-support.ts';

const sizes = [0, 1, 2_000_000, 4_194_305];

describe('a response that passes through', () => {
	it.each(sizes)('keeps its %d bytes, over a port, inside a host and through fetch', async (size) => {
		const bytes = randomBytes(size);
		for (const length of [{ 'content-length': String(size) }, {}]) {
			const to = await upstream((_, res) => {
				res.writeHead(200, { 'content-type': 'audio/wav', ...length });
				res.end(bytes);
			});
			const { routes } = behind(to);
			const { port, send, http } = await listening(routes);
			const host = createServer(http.callback());
			await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
			onTestFinished(() => void host.close());
			const hostPort = (host.address() as AddressInfo).port;
			const fetched = Buffer.from(await (await send(path, post)).arrayBuffer());
			expect(fetched.equals(bytes)).toBe(true);
			for (const [target, isSlow] of [
				[port, false],
				[port, true],
				[hostPort, true],
			] as const) {
				const answer = await read(target, isSlow);
				expect(answer.bytes.equals(bytes)).toBe(true);
				expect(answer.head).toMatchObject({ 'content-type': 'audio/wav', ...length });
			}
			await eventually(() => http.pipeline.inFlight === 0);
		}
	});

	it('has the head of this server, and the upstream gets the body of the client', async () => {
		const seen: unknown[] = [];
		const { url } = await served((req, res, sent) => {
			seen.push(req.method, req.url, req.headers, sent.toString());
			res.writeHead(201, {
				'content-type': 'application/json; x=y',
				'set-cookie': 'a=b',
				server: 'secret',
				'x-request-id': 'theirs',
			});
			res.end('{"a":1}');
		});
		const answer = await fetch(`${url}${path}`, {
			...post,
			headers: { ...headers, ...auth, 'x-request-id': 'ours' },
		});
		expect(answer.status).toBe(201);
		expect(await answer.text()).toBe('{"a":1}');
		const { date, connection, 'keep-alive': _, ...told } = Object.fromEntries(answer.headers);
		expect(told).toEqual({
			'x-request-id': 'ours',
			'content-type': 'application/json; x=y',
			'cache-control': 'no-store',
			'transfer-encoding': 'chunked',
			'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
			'cross-origin-resource-policy': 'same-origin',
			'referrer-policy': 'no-referrer',
			'x-content-type-options': 'nosniff',
			'x-frame-options': 'DENY',
			'openai-processing-ms': '0',
			'x-plinth-model': 'served',
		});
		expect(seen.slice(0, 2)).toEqual(['POST', path]);
		expect(seen[2]).toMatchObject({ authorization: 'Bearer of-the-upstream' });
		expect(JSON.stringify(seen[2])).not.toContain(goodKey);
		expect(seen[3]).toBe(JSON.stringify({ model: 'upstream-model', messages: [] }));
	});

	it('logs a line with its model, and with the counts that are read from its end', async () => {
		const ends: string[] = [];
		const usage = (end: string) => {
			ends.push(end);
			return { total_tokens: 7 };
		};
		const text = `${'a'.repeat(200_000)}${'b'.repeat(4_096)}`;
		const server = await served((_, res) => res.writeHead(200, typed).end(text), { usage });
		await (await fetch(server.url + path, { ...post, headers: { ...headers, ...auth } })).text();
		await eventually(() => lineOf(server) !== undefined);
		expect(lineOf(server)).toMatchObject({
			status: 200,
			model: 'served',
			usage: { total_tokens: 7 },
		});
		expect(ends.map((end) => end.slice(-4_096))).toEqual(['b'.repeat(4_096)]);
		expect(lineOf(server)?.cut).toBeUndefined();
		expect(server.kept.endCount).toBe(1);
	});

	it('reuses the connection to the upstream', async () => {
		const { to, send } = await served((_, res) => res.writeHead(200, typed).end('{}'));
		for (let n = 0; n < 20; n += 1) await (await send(path, post)).text();
		expect(to.sockets.size).toBeLessThan(4);
	});
});

describe('a stream of events that passes through', () => {
	async function streaming() {
		const open: ServerResponse[] = [];
		const server = await served((_, res) => {
			res.writeHead(200, streamed);
			res.flushHeaders();
			open.push(res);
		});
		const raw = await rawConnection(server.port);
		await raw.write(toClient);
		await raw.until(/\r\n\r\n/);
		return { ...server, raw, res: open[0] as ServerResponse };
	}

	it('sends its head before its first event', async () => {
		const { raw } = await streaming();
		expect(raw.text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
		expect(raw.text).toContain('content-type: text/event-stream\r\n');
		expect(raw.text).toContain('cache-control: no-cache\r\n');
		expect(raw.text).toContain('x-accel-buffering: no\r\n');
		expect(raw.text).not.toContain('content-length');
	});

	it('gets a comment between events after 15 seconds of silence', async () => {
		const { raw, res, clock } = await streaming();
		await clock.advance(14_999);
		expect(raw.text).not.toContain(': ping');
		await clock.advance(1_001);
		await raw.until(/: ping\n\n/);
		res.write('data: one\n\n');
		await raw.until(/data: one\n\n/);
		await clock.advance(14_999);
		expect(raw.text).not.toMatch(/data: one[\s\S]*: ping/);
		await clock.advance(1_001);
		await raw.until(/data: one[\s\S]*: ping\n\n/);
	});

	it.each(['data: half', 'data: one\n', 'data: one\r\n'])('gets no comment within an event: %j', async (part) => {
		const { raw, res, clock } = await streaming();
		res.write(part);
		await raw.until(/data: /);
		await clock.advance(45_000);
		res.write('x\r\n\r\n');
		await raw.until(/x\r\n\r\n/);
		expect(raw.text).not.toContain(': ping');
		await clock.advance(16_000);
		await raw.until(/: ping\n\n/);
	});

	it('has no deadline, and reads its counts target the end', async () => {
		const server = await streaming();
		const { raw, res, clock } = server;
		for (let n = 0; n < 30; n += 1) {
			res.write(`data: {"n":${n},"x":null}\n\n`);
			await raw.until(new RegExp(`"n":${n},`));
			await clock.advance(40_000);
		}
		res.end('data: {"counts":7}\n\n');
		await raw.until(/counts[\s\S]*0\r\n\r\n$/);
		await eventually(() => lineOf(server) !== undefined);
		expect(lineOf(server)).toMatchObject({ status: 200, usage: { counts: 7 } });
	});

	it('is refused when too many streams are open, and the upstream is aborted', async () => {
		const to = await upstream((_, res) => {
			res.writeHead(200, streamed);
			res.write('data: 1\n\n');
		});
		const kept = behind(to);
		const load = { inFlightBytes: 1e9, requestsPerTenant: 9, streamsPerTenant: 0, streams: 9 };
		const { send } = testServer(kept.routes, { load });
		expect(await errorOf(await send(path, post))).toMatchObject({ status: 429 });
		await eventually(() => to.sockets.size === 0);
		expect(kept.endCount).toBe(1);
	});
});
