import { describe, expect, it } from 'vitest';
import { plinthError } from '../../../src/contract/errors/coded-error.ts';
import type { ForwardDispatcher } from '../../../src/contract/ports/forward.ts';
import { auth, errorOf, eventually, testServer } from '../support.ts';
import { behind, headers, lineOf, path, post, served, typed } from './forward-served.ts';
import { forwarded, forwarding, type Script, upstream } from './forward-support.ts';

describe('an upstream without a usable response', () => {
	const large = 'x'.repeat(200_000);

	it.each<[string, Script, string, string]>([
		[
			'that refuses',
			(_, res) => res.writeHead(429, { ...typed, 'X-Why': 'busy' }).end('{"error":"e"}'),
			'refused',
			'429 busy 13 {"error":"e"}',
		],
		['that fails at length', (_, res) => res.writeHead(500).end(large), 'refused', `500  65536 ${'x'.repeat(40)}`],
		[
			'that fails and breaks off',
			(_, res) => {
				res.writeHead(502, { 'content-length': '100' }).write('half');
				setImmediate(() => res.destroy());
			},
			'refused',
			'502  4 half',
		],
		['that redirects', (_, res) => res.writeHead(302).end(), 'refused', '302  0 '],
		[
			'with another type',
			(_, res) => res.writeHead(200, { 'content-type': 'Text/HTML; a=b' }).end('<p>'),
			'unfit text/html',
			'The upstream: unfit text/html.',
		],
		['without a type', (_, res) => res.writeHead(200).end('x'), 'unfit ', 'The upstream: unfit .'],
		[
			'that compresses its response',
			(_, res) => res.writeHead(200, { ...typed, 'content-encoding': 'gzip' }).end('x'),
			'unfit application/json',
			'The upstream: unfit application/json.',
		],
		[
			'that names the compression in a repeated header',
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
	])('%s causes an error', async (_, script, param, message) => {
		const server = await served(script);
		const answer = await fetch(server.url + path, { ...post, headers: { ...headers, ...auth } });
		expect(answer.headers.get('x-plinth-model')).toBe('served');
		expect(await errorOf(answer)).toMatchObject({ status: 400, param, message });
		expect(server.kept.endCount).toBe(1);
		// Its connection is used for the next request.
		expect((await server.send(path, post)).status).toBe(400);
		expect(lineOf(server)).toMatchObject({ status: 400, model: 'served' });
	});

	it('that cannot be reached causes an error', async () => {
		const to = await upstream(() => {});
		await new Promise((resolve) => to.server.close(resolve));
		const { send } = testServer(behind(to).routes);
		expect(await errorOf(await send(path, post))).toMatchObject({ param: 'lost' });
	});

	it('whose dispatcher throws causes an error', async () => {
		const dispatcher: ForwardDispatcher = {
			dispatch: () => {
				throw new Error('no');
			},
		};
		const { send } = testServer(behind({ origin: 'http://x', dispatcher }).routes);
		expect(await errorOf(await send(path, post))).toMatchObject({ param: 'lost' });
	});

	it('that is silent causes an error after the time limit', async () => {
		let requestCount = 0;
		const server = await served(() => {
			requestCount += 1;
		});
		const answer = server.send(path, post);
		await eventually(() => requestCount === 1);
		await server.clock.advance(59_999);
		expect(server.to.sockets.size).toBe(1);
		await server.clock.advance(1);
		expect(await errorOf(await answer)).toMatchObject({ param: 'silent' });
		await eventually(() => server.to.sockets.size === 0);
		expect(server.kept.endCount).toBe(1);
	});

	it('that does not finish its refusal causes an error', async () => {
		let requestCount = 0;
		const server = await served((_, res) => {
			res.writeHead(503).write('half');
			requestCount += 1;
		});
		const answer = server.send(path, post);
		await eventually(() => requestCount === 1);
		// The refusal is in transit until the connection is aborted.
		await eventually(async () => {
			await server.clock.advance(60_000);
			return server.kept.endCount === 1;
		});
		expect((await errorOf(await answer)).message).toMatch(/^503|silent/);
	});

	it('is aborted at the deadline, and the client gets an error', async () => {
		let requestCount = 0;
		const to = await upstream(() => {
			requestCount += 1;
		});
		const { routes } = behind(to, {}, { timeoutMs: 5_000 });
		const { send, clock } = testServer(routes);
		const answer = send(path, post);
		await eventually(() => requestCount === 1);
		await clock.advance(5_000);
		expect(await errorOf(await answer)).toMatchObject({ code: 'deadline_exceeded' });
		await eventually(() => to.sockets.size === 0);
	});

	it('is aborted when forward selects the next upstream, and its late head is ignored', async () => {
		let late = () => {};
		const slow = await upstream((_, res) => {
			late = () => res.writeHead(200, typed).end('"late"');
		});
		const quick = await upstream((_, res) => {
			late();
			res.writeHead(200, typed).end('"quick"');
		});
		let endCount = 0;
		const attempt = new AbortController();
		const { send } = testServer([
			forwarding(async (raw, call) => {
				const forwardTo = call.forward;
				const onEnd = () => {
					endCount += 1;
				};
				const first = forwardTo(forwarded(slow, raw), onEnd, attempt.signal);
				await expect(first).rejects.toThrow('next');
				await expect(forwardTo(forwarded(slow, raw), onEnd, attempt.signal)).rejects.toThrow('next');
				return forwardTo(forwarded(quick, raw), onEnd, new AbortController().signal);
			}),
		]);
		const answer = send(path, post);
		await eventually(() => slow.sockets.size === 1);
		attempt.abort(new Error('next'));
		expect(await (await answer).json()).toBe('quick');
		await eventually(() => slow.sockets.size === 0);
		expect(endCount).toBe(3);
	});

	it('whose error mapping throws does no harm', async () => {
		const broken = () => {
			throw plinthError('E_VALUE_INVALID', { param: 'thrown', message: 'no' });
		};
		const server = await served((_, res) => res.writeHead(500).end(), { refused: broken });
		expect(await errorOf(await server.send(path, post))).toMatchObject({ param: 'thrown' });
		const other = await served((_, res) => res.writeHead(200, typed).end(), { accepts: broken });
		expect(await errorOf(await other.send(path, post))).toMatchObject({ param: 'thrown' });
	});
});
