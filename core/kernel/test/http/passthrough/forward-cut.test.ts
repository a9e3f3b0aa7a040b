import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ForwardDispatcher } from '../../../src/contract/ports/forward.ts';
import { eventually, listening, rawConnection } from '../support.ts';
import { lineOf, path, post, served, streamed, toClient, typed } from './forward-served.ts';
import { forwarded, forwarding, type Script, type Upstream, upstream } from './forward-support.ts';

describe('a response that breaks off', () => {
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
		expect(server.kept.endCount).toBe(1);
		await expect(server.send(path, post).then((answer) => answer.text())).rejects.toThrow();
	});

	it('is cut when the upstream becomes silent', async () => {
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

	it('is not cut when only the system clock changes', async () => {
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
		server.http.pipeline.abortAll();
		await raw.closed;
		expect(raw.text).not.toMatch(/0\r\n\r\n$/);
		await eventually(() => server.to.sockets.size === 0);
		await server.http.pipeline.drained();
	});
});

describe('a client that disconnects', () => {
	it.each<[string, Script, RegExp | undefined]>([
		['before the answer', () => {}, undefined],
		[
			'in the middle of the response',
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
		let requestCount = 0;
		const server = await served((...all) => {
			script(...all);
			requestCount += 1;
		});
		const raw = await rawConnection(server.port);
		await raw.write(toClient);
		await eventually(() => requestCount === 1);
		if (seen) await raw.until(seen);
		raw.socket.destroy();
		await eventually(() => server.to.sockets.size === 0);
		await eventually(() => lineOf(server) !== undefined);
		expect(lineOf(server)).toMatchObject({ status: 499, model: 'served' });
		expect(lineOf(server)?.cut).toBeUndefined();
		expect(server.kept.endCount).toBe(1);
		expect(server.lines.filter(({ level }) => level !== 'info')).toEqual([]);
	});

	it('is disconnected when it reads nothing for 30 seconds', async () => {
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
		await eventually(() => server.http.pipeline.inFlight === 1);
		// The time starts when all buffers on the way are full.
		await eventually(async () => {
			await server.clock.advance(30_000);
			return server.http.pipeline.inFlight === 0;
		});
		await eventually(() => server.to.sockets.size === 0);
		expect(lineOf(server)).toMatchObject({ status: 499 });
	});

	it('may read slowly', async () => {
		const bytes = randomBytes(8_000_000);
		const server = await served((_, res) => {
			res.writeHead(200, { 'content-type': 'audio/wav' }).end(bytes);
		});
		const answer = await server.send(path, post);
		const chunks: Uint8Array[] = [];
		for await (const chunk of answer.body ?? []) {
			chunks.push(chunk);
			// The total exceeds the time that an upstream may be silent. Some chunks are buffered; each is read in time.
			await server.clock.advance(2_000);
		}
		expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
	});
});

describe('the reply of a response that passes through', () => {
	/** A server in front of an upstream, and the outcome of its replies. */
	async function replying(to: Pick<Upstream, 'origin' | 'dispatcher'>) {
		const replies: { readonly status: number | undefined; isDone: boolean }[] = [];
		const server = await listening([
			forwarding(async (raw, call) => {
				const reply = await call.forward(forwarded(to, raw));
				if (reply.type !== 'forward') throw new Error('It is another reply.');
				const seen = { status: reply.status, isDone: false };
				replies.push(seen);
				reply.done.then(() => {
					seen.isDone = true;
				});
				return reply;
			}),
		]);
		return { replies, ...server };
	}

	it('has its status, and is done when all of it was written', async () => {
		let end = () => {};
		const to = await upstream((_, res) => {
			res.writeHead(202, typed).write('{"half":');
			end = () => res.end('1}');
		});
		const { port, replies } = await replying(to);
		const raw = await rawConnection(port);
		await raw.write(toClient);
		await raw.until(/half/);
		expect(replies).toEqual([{ status: 202, isDone: false }]);
		end();
		await eventually(() => replies[0]?.isDone === true);
	});

	it('is done when the upstream fails after its head, and the connection is closed', async () => {
		const to = await upstream((_, res) => {
			res.writeHead(200, typed).write('{"half":', () => res.destroy());
		});
		const { port, replies } = await replying(to);
		const raw = await rawConnection(port);
		await raw.write(toClient);
		await raw.closed;
		await eventually(() => replies[0]?.isDone === true);
	});

	it('ends when the client does not read for 30 seconds', async () => {
		const controller = { pause() {}, resume() {}, abort() {} };
		const dispatcher: ForwardDispatcher = {
			dispatch(_, handler) {
				handler.onResponseStart(controller, 200, { 'content-type': 'audio/wav' });
				handler.onResponseData(controller, randomBytes(16_000_000));
				handler.onResponseEnd(controller, {});
				return true;
			},
		};
		const { port, replies, clock, http } = await replying({ origin: 'http://x', dispatcher });
		const raw = await rawConnection(port);
		raw.socket.pause();
		await raw.write(toClient);
		await eventually(() => replies[0]?.isDone === true);
		await clock.advance(29_999);
		expect(http.pipeline.inFlight).toBe(1);
		await clock.advance(1);
		await eventually(() => http.pipeline.inFlight === 0);
	});
});
