import { randomBytes } from 'node:crypto';
import { createServer, request as nodeRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { plinthError } from '../../../src/contract/errors/coded-error.ts';
import type { ForwardDispatcher, ForwardRequest } from '../../../src/contract/ports/forward.ts';
import {
	auth,
	errorOf,
	eventually,
	goodKey,
	listening,
	rawConnection,
	request,
	type TestServer,
	testServer,
} from '../support.ts';
import { forwarded, forwarding, type Script, type Upstream, upstream } from './forward-support.ts';

const path = '/v1/chat/completions';
const body = JSON.stringify({ model: 'small', messages: [] });
const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
const post = { method: 'POST', headers, body } as const;
const typed = { 'content-type': 'application/json' };
const streamed = { 'content-type': 'text/event-stream' };
const toClient = request(`POST ${path}`, { ...auth, ...headers }, body);

interface Behind {
	readonly routes: Parameters<typeof testServer>[0];
	/** How often a request was said to be over. */
	over: number;
}

/** A route that sends everything to an upstream. */
function behind(
	to: Pick<Upstream, 'origin' | 'dispatcher'>,
	more: Partial<ForwardRequest> = {},
	route: Parameters<typeof forwarding>[1] = {},
): Behind {
	const kept: Behind = {
		over: 0,
		routes: [
			forwarding((raw, call) => {
				call.answeredBy('served');
				return call.forward(forwarded(to, raw, more), () => {
					kept.over += 1;
				});
			}, route),
		],
	};
	return kept;
}

async function served(script: Script, more: Partial<ForwardRequest> = {}) {
	const to = await upstream(script);
	const kept = behind(to, more);
	const server = await listening(kept.routes);
	return { to, kept, ...server };
}

function lineOf({ lines }: Pick<TestServer, 'lines'>): Record<string, unknown> | undefined {
	return lines.find(({ message }) => message === 'request')?.fields;
}

/** Reads an answer of Node's client, pausing behind every chunk when it is slow. */
function read(port: number, isSlow: boolean): Promise<{ head: object; bytes: Buffer }> {
	return new Promise((resolve, reject) => {
		const sent = nodeRequest({
			port,
			host: '127.0.0.1',
			path,
			method: 'POST',
			headers: { ...headers, ...auth },
			agent: false,
		});
		sent.on('error', reject);
		sent.on('response', (answer) => {
			const chunks: Buffer[] = [];
			answer.on('error', reject);
			answer.on('data', (chunk) => {
				chunks.push(chunk);
				if (!isSlow) return;
				answer.pause();
				setImmediate(() => setImmediate(() => answer.resume()));
			});
			answer.on('end', () => resolve({ head: answer.headers, bytes: Buffer.concat(chunks) }));
		});
		sent.end(body);
	});
}

const sizes = [0, 1, 2_000_000, 8_388_609];

describe('an answer that passes through', () => {
	it.each(sizes)('keeps its %d bytes, whoever carries it', async (size) => {
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
			const hosted = (host.address() as AddressInfo).port;
			const carried = Buffer.from(await (await send(path, post)).arrayBuffer());
			expect(carried.equals(bytes)).toBe(true);
			for (const [at, isSlow] of [
				[port, false],
				[port, true],
				[hosted, true],
			] as const) {
				const answer = await read(at, isSlow);
				expect(answer.bytes.equals(bytes)).toBe(true);
				expect(answer.head).toMatchObject({ 'content-type': 'audio/wav', ...length });
			}
			await eventually(() => http.inFlight === 0);
		}
	});

	it('goes out under our head, with the body that the upstream was sent', async () => {
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

	it('leaves a line with its model, and with the counts that its request reads from the end', async () => {
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
		expect(server.kept.over).toBe(1);
	});

	it('uses the connection to the upstream again', async () => {
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

	it('has the head of a stream before its first event', async () => {
		const { raw } = await streaming();
		expect(raw.text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
		expect(raw.text).toContain('content-type: text/event-stream\r\n');
		expect(raw.text).toContain('cache-control: no-cache\r\n');
		expect(raw.text).toContain('x-accel-buffering: no\r\n');
		expect(raw.text).not.toContain('content-length');
	});

	it('gets a comment between events in every silence of 15 seconds', async () => {
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

	it.each(['data: half', 'data: one\n', 'data: one\r\n'])(
		'gets no comment within an event: %j',
		async (part) => {
			const { raw, res, clock } = await streaming();
			res.write(part);
			await raw.until(/data: /);
			await clock.advance(45_000);
			res.write('x\r\n\r\n');
			await raw.until(/x\r\n\r\n/);
			expect(raw.text).not.toContain(': ping');
			await clock.advance(16_000);
			await raw.until(/: ping\n\n/);
		},
	);

	it('has no deadline, and reads its counts at the end', async () => {
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

	it('is refused when there is no room for one more, and the upstream hears of it', async () => {
		const to = await upstream((_, res) => {
			res.writeHead(200, streamed);
			res.write('data: 1\n\n');
		});
		const kept = behind(to);
		const load = { inFlightBytes: 1e9, requestsPerTenant: 9, streamsPerTenant: 0, streams: 9 };
		const { send } = testServer(kept.routes, { load });
		expect(await errorOf(await send(path, post))).toMatchObject({ status: 429 });
		await eventually(() => to.sockets.size === 0);
		expect(kept.over).toBe(1);
	});
});

describe('an upstream without an answer for the client', () => {
	const large = 'x'.repeat(200_000);

	it.each<[string, Script, string, string]>([
		[
			'that refuses',
			(_, res) => res.writeHead(429, { ...typed, 'X-Why': 'busy' }).end('{"error":"e"}'),
			'refused',
			'429 busy 13 {"error":"e"}',
		],
		[
			'that fails at length',
			(_, res) => res.writeHead(500).end(large),
			'refused',
			`500  65536 ${'x'.repeat(40)}`,
		],
		[
			'that fails and breaks off',
			(_, res) => {
				res.writeHead(502, { 'content-length': '100' }).write('half');
				setImmediate(() => res.destroy());
			},
			'refused',
			'502  4 half',
		],
		['that sends elsewhere', (_, res) => res.writeHead(302).end(), 'refused', '302  0 '],
		[
			'with another type',
			(_, res) => res.writeHead(200, { 'content-type': 'Text/HTML; a=b' }).end('<p>'),
			'unfit text/html',
			'The upstream: unfit text/html.',
		],
		['without a type', (_, res) => res.writeHead(200).end('x'), 'unfit ', 'The upstream: unfit .'],
		[
			'that has packed it',
			(_, res) => res.writeHead(200, { ...typed, 'content-encoding': 'gzip' }).end('x'),
			'unfit application/json',
			'The upstream: unfit application/json.',
		],
		[
			'that has packed it, as its second line says',
			(_, res) =>
				res
					.writeHead(200, [
						...['content-type', 'application/json'],
						...['content-encoding', 'identity', 'content-encoding', 'gzip'],
					])
					.end('x'),
			'unfit application/json',
			'The upstream: unfit application/json.',
		],
		[
			'without content',
			(_, res) => res.writeHead(204, typed).end(),
			'unfit application/json',
			'The upstream: unfit application/json.',
		],
		['that hangs up', (req) => req.socket.destroy(), 'lost', 'The upstream: lost.'],
		['that is no HTTP', (req) => req.socket.end('nonsense\r\n\r\n'), 'lost', 'The upstream: lost.'],
	])('%s is an error', async (_, script, param, message) => {
		const server = await served(script);
		const answer = await fetch(server.url + path, { ...post, headers: { ...headers, ...auth } });
		expect(answer.headers.get('x-plinth-model')).toBe('served');
		expect(await errorOf(answer)).toMatchObject({ status: 400, param, message });
		expect(server.kept.over).toBe(1);
		// Its connection serves the next request.
		expect((await server.send(path, post)).status).toBe(400);
		expect(lineOf(server)).toMatchObject({ status: 400, model: 'served' });
	});

	it('that cannot be reached is an error', async () => {
		const to = await upstream(() => {});
		await new Promise((resolve) => to.server.close(resolve));
		const { send } = testServer(behind(to).routes);
		expect(await errorOf(await send(path, post))).toMatchObject({ param: 'lost' });
	});

	it('whose dispatcher throws is an error', async () => {
		const dispatcher: ForwardDispatcher = {
			dispatch: () => {
				throw new Error('no');
			},
		};
		const { send } = testServer(behind({ origin: 'http://x', dispatcher }).routes);
		expect(await errorOf(await send(path, post))).toMatchObject({ param: 'lost' });
	});

	it('that is silent is an error when its time has passed', async () => {
		let asked = 0;
		const server = await served(() => {
			asked += 1;
		});
		const answer = server.send(path, post);
		await eventually(() => asked === 1);
		await server.clock.advance(59_999);
		expect(server.to.sockets.size).toBe(1);
		await server.clock.advance(1);
		expect(await errorOf(await answer)).toMatchObject({ param: 'silent' });
		await eventually(() => server.to.sockets.size === 0);
		expect(server.kept.over).toBe(1);
	});

	it('that does not finish its refusal is taken at its word', async () => {
		let asked = 0;
		const server = await served((_, res) => {
			res.writeHead(503).write('half');
			asked += 1;
		});
		const answer = server.send(path, post);
		await eventually(() => asked === 1);
		// The refusal is on its way until the connection is seen to be given up.
		await eventually(async () => {
			await server.clock.advance(60_000);
			return server.kept.over === 1;
		});
		expect((await errorOf(await answer)).message).toMatch(/^503|silent/);
	});

	it('hears of the deadline, and the client too', async () => {
		let asked = 0;
		const to = await upstream(() => {
			asked += 1;
		});
		const { routes } = behind(to, {}, { timeoutMs: 5_000 });
		const { send, clock } = testServer(routes);
		const answer = send(path, post);
		await eventually(() => asked === 1);
		await clock.advance(5_000);
		expect(await errorOf(await answer)).toMatchObject({ code: 'deadline_exceeded' });
		await eventually(() => to.sockets.size === 0);
	});

	it('is given up for the next one when whoever asked says so, and its late head is no answer', async () => {
		let late = () => {};
		const slow = await upstream((_, res) => {
			late = () => res.writeHead(200, typed).end('"late"');
		});
		const quick = await upstream((_, res) => {
			late();
			res.writeHead(200, typed).end('"quick"');
		});
		let over = 0;
		const given = new AbortController();
		const { send } = testServer([
			forwarding(async (raw, call) => {
				const ask = call.forward;
				const tell = () => {
					over += 1;
				};
				const first = ask(forwarded(slow, raw), tell, given.signal);
				await expect(first).rejects.toThrow('next');
				await expect(ask(forwarded(slow, raw), tell, given.signal)).rejects.toThrow('next');
				return ask(forwarded(quick, raw), tell, new AbortController().signal);
			}),
		]);
		const answer = send(path, post);
		await eventually(() => slow.sockets.size === 1);
		given.abort(new Error('next'));
		expect(await (await answer).json()).toBe('quick');
		await eventually(() => slow.sockets.size === 0);
		expect(over).toBe(3);
	});

	it('whose errors cannot be made does no harm', async () => {
		const broken = () => {
			throw plinthError('E_VALUE_INVALID', { param: 'thrown', message: 'no' });
		};
		const server = await served((_, res) => res.writeHead(500).end(), { refused: broken });
		expect(await errorOf(await server.send(path, post))).toMatchObject({ param: 'thrown' });
		const other = await served((_, res) => res.writeHead(200, typed).end(), { accepts: broken });
		expect(await errorOf(await other.send(path, post))).toMatchObject({ param: 'thrown' });
	});
});

describe('an answer that breaks off', () => {
	it.each<[string, Script]>([
		[
			'of a known length',
			(_, res) => {
				res.writeHead(200, { ...typed, 'content-length': '1000' }).write('{"half":');
				setImmediate(() => res.destroy());
			},
		],
		[
			'of unknown length',
			(_, res) => {
				res.writeHead(200, typed).write('{"half":');
				setImmediate(() => res.destroy());
			},
		],
		[
			'as a stream',
			(_, res) => {
				res.writeHead(200, streamed).write('data: {"half":1}\n\n');
				setImmediate(() => res.destroy());
			},
		],
	])('%s has no clean end', async (_, script) => {
		const server = await served(script);
		const raw = await rawConnection(server.port);
		await raw.write(toClient);
		await raw.closed;
		expect(raw.text).toContain('"half"');
		expect(raw.text).not.toMatch(/0\r\n\r\n$/);
		await eventually(() => lineOf(server) !== undefined);
		expect(lineOf(server)).toMatchObject({ status: 200, cut: true, model: 'served' });
		expect(server.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
		expect(server.kept.over).toBe(1);
		await expect(server.send(path, post).then((answer) => answer.text())).rejects.toThrow();
	});

	it('is cut when the upstream is silent in the middle', async () => {
		const server = await served((_, res) => {
			res.writeHead(200, typed).write('{"half":');
		});
		const raw = await rawConnection(server.port);
		await raw.write(toClient);
		await raw.until(/half/);
		await server.clock.advance(59_000);
		expect(raw.socket.closed).toBe(false);
		await server.clock.advance(2_000);
		await raw.closed;
		await eventually(() => server.to.sockets.size === 0);
		await eventually(() => lineOf(server) !== undefined);
		expect(lineOf(server)).toMatchObject({ status: 200, cut: true });
	});

	it('is not cut when only the clock is set', async () => {
		let end = () => {};
		const server = await served((_, res) => {
			res.writeHead(200, typed).write('{"half":');
			end = () => res.end('1}');
		});
		const raw = await rawConnection(server.port);
		await raw.write(toClient);
		await raw.until(/half/);
		server.clock.jump(3_600_000);
		await server.clock.advance(40_000);
		end();
		await raw.until(/1\}/);
	});

	it('is cut when the server stops', async () => {
		const server = await served((_, res) => {
			res.writeHead(200, streamed).write('data: 1\n\n');
		});
		const raw = await rawConnection(server.port);
		await raw.write(toClient);
		await raw.until(/data: 1/);
		server.http.abortAll();
		await raw.closed;
		expect(raw.text).not.toMatch(/0\r\n\r\n$/);
		await eventually(() => server.to.sockets.size === 0);
		await server.http.drained();
	});
});

describe('a client that leaves', () => {
	it.each<[string, Script, RegExp | undefined]>([
		['before the answer', () => {}, undefined],
		[
			'in the middle of it',
			(_, res) => {
				res.writeHead(200, typed).write('{"half":');
			},
			/half/,
		],
		[
			'in the middle of events',
			(_, res) => {
				res.writeHead(200, streamed).write('data: half\n\n');
			},
			/half/,
		],
		[
			'in the middle of a refusal',
			(_, res) => {
				res.writeHead(500).write('half');
			},
			undefined,
		],
	])('%s ends the work of the upstream', async (_, script, seen) => {
		let asked = 0;
		const server = await served((...all) => {
			script(...all);
			asked += 1;
		});
		const raw = await rawConnection(server.port);
		await raw.write(toClient);
		await eventually(() => asked === 1);
		if (seen) await raw.until(seen);
		raw.socket.destroy();
		await eventually(() => server.to.sockets.size === 0);
		await eventually(() => lineOf(server) !== undefined);
		expect(lineOf(server)).toMatchObject({ status: 499, model: 'served' });
		expect(lineOf(server)?.cut).toBeUndefined();
		expect(server.kept.over).toBe(1);
		expect(server.lines.filter(({ level }) => level !== 'info')).toEqual([]);
	});

	it('is taken for gone when it reads nothing for 30 seconds', async () => {
		const chunk = randomBytes(1_000_000);
		const quietMs = Number.MAX_SAFE_INTEGER;
		const server = await served(
			(_, res) => {
				res.writeHead(200, { 'content-type': 'audio/wav' });
				const write = () => {
					while (!res.destroyed && res.write(chunk));
				};
				res.on('drain', write);
				write();
			},
			{ quietMs },
		);
		const raw = await rawConnection(server.port);
		raw.socket.pause();
		await raw.write(toClient);
		await eventually(() => server.http.inFlight === 1);
		// The time begins when every buffer on the way is full.
		await eventually(async () => {
			await server.clock.advance(30_000);
			return server.http.inFlight === 0;
		});
		await eventually(() => server.to.sockets.size === 0);
		expect(lineOf(server)).toMatchObject({ status: 499 });
	});

	it('may read slowly as long as it reads', async () => {
		const bytes = randomBytes(8_000_000);
		const server = await served((_, res) => {
			res.writeHead(200, { 'content-type': 'audio/wav' }).end(bytes);
		});
		const answer = await server.send(path, post);
		const chunks: Uint8Array[] = [];
		for await (const chunk of answer.body ?? []) {
			chunks.push(chunk);
			// Longer than an upstream may be silent, all together.
			await server.clock.advance(20_000);
		}
		expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
	});
});
