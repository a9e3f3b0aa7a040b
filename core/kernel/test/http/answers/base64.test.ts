import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get as httpGet } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anyText } from '../../../../../test/support/characters.ts';
import { Reply, type ServerEvent } from '../../../src/contract/http/reply.ts';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { base64, JsonPieces, jsonText } from '../../../src/http/answers/base64.ts';
import { frame } from '../../../src/http/answers/sse.ts';
import { httpLimits } from '../../../src/http/limits.ts';
import { auth, eventually, listening, rawConnection, request, testServer } from '../support.ts';

function routeReturning(make: () => unknown) {
	return defineRoute({
		method: 'GET',
		path: '/v1/pictures',
		scope: 'authenticated',
		summary: 's',
		response: { description: 'x' },
		errors: [],
		handler: make,
	});
}

const get = (make: () => unknown, method = 'GET') =>
	testServer([routeReturning(make)]).send('/v1/pictures', { method });

function textOf(text: string | JsonPieces): string {
	return typeof text === 'string' ? text : Buffer.concat([...text.pieces()]).toString();
}

/** Sends a GET with node:http and not fetch, which buffers more of the response. */
async function responseTo(url: string): Promise<AsyncIterable<Buffer>> {
	const [answer] = await once(httpGet(url, { headers: auth }), 'response');
	return answer;
}

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4 },
		fc.uint8Array({ maxLength: 40 }).map((bytes) => base64(bytes)),
		anyText(),
		fc.jsonValue({ maxDepth: 1 }),
		fc.constant(undefined),
		fc.array(tie('value'), { maxLength: 4 }),
		fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
	),
}));

describe('base64 in JSON', () => {
	it('is encoded like JSON.stringify does at any place', () => {
		fc.assert(
			fc.property(value, (input) => {
				const text = jsonText(input);
				const expected = JSON.stringify(input) ?? 'null';
				expect(textOf(text)).toBe(expected);
				if (text instanceof JsonPieces) expect(text.byteLength).toBe(Buffer.byteLength(expected));
			}),
			{ numRuns: 1_000 },
		);
	});

	it.each([0, 1, 2, 3, 98_303, 98_304, 98_305, 196_608, 1_000_000, 1_000_001])(
		'splits %i bytes into pieces of at most 262,144',
		(size) => {
			const bytes = randomBytes(size);
			const text = jsonText({ é: base64(bytes), after: 'ü'.repeat(300_000) });
			expect(text).toBeInstanceOf(JsonPieces);
			const pieces = [...(text as JsonPieces).pieces()];
			expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(httpLimits.pieceBytes);
			expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual({
				é: bytes.toString('base64'),
				after: 'ü'.repeat(300_000),
			});
		},
	);

	it('joins short values into one piece', () => {
		const text = jsonText(Array.from({ length: 1_000 }, () => base64(Buffer.alloc(30))));
		expect([...(text as JsonPieces).pieces()]).toHaveLength(1);
	});

	it('does not change text without base64, and cannot be forged by text', () => {
		const forged = { toJSON: 'x', b: `plinth-base64-${crypto.randomUUID()}-0;` };
		expect(jsonText(forged)).toBe(JSON.stringify(forged));
		expect(textOf(jsonText([forged, base64(Buffer.from('abc'))]))).toBe(JSON.stringify([forged, 'YWJj']));
	});

	it('works inside toJSON, and is a string for JSON.stringify', () => {
		const picture = base64(Buffer.from('abc'));
		const url = { toJSON: () => `data:image/png;base64,${picture.toJSON()}` };
		expect(textOf(jsonText({ url, inner: { toJSON: () => JSON.stringify({ picture }) } }))).toBe(
			JSON.stringify({ url: 'data:image/png;base64,YWJj', inner: '{"picture":"YWJj"}' }),
		);
		expect(JSON.stringify({ picture })).toBe('{"picture":"YWJj"}');
	});

	it('passes on the error of a toJSON that throws', () => {
		const broken = {
			toJSON() {
				throw new Error('no');
			},
		};
		expect(() => jsonText([base64(Buffer.from('abc')), broken])).toThrow('no');
		expect(JSON.stringify(base64(Buffer.from('abc')))).toBe('"YWJj"');
	});
});

describe('a response with base64', () => {
	const picture = randomBytes(1_000_000);
	const other = randomBytes(400_001);
	const input = () => ({ data: [{ b64_json: base64(picture) }, { b64_json: base64(other) }, 'é'] });
	const expected = {
		data: [{ b64_json: picture.toString('base64') }, { b64_json: other.toString('base64') }, 'é'],
	};
	const length = String(Buffer.byteLength(JSON.stringify(expected)));

	it.each([
		['a value', input],
		['a reply', () => Reply.json(input(), { status: 201 })],
	])('is complete and has the right content-length, as %s', async (_, make) => {
		const { url } = await listening([routeReturning(make)]);
		const answer = await fetch(`${url}/v1/pictures`, { headers: auth });
		expect(answer.headers.get('content-length')).toBe(length);
		expect(await answer.json()).toEqual(expected);
		const fetched = await get(make);
		expect(fetched.headers.get('content-length')).toBe(length);
		expect(await fetched.json()).toEqual(expected);
	});

	it('is the same inside a host that wraps res.write', async () => {
		const { http } = testServer([routeReturning(input)]);
		const handle = http.callback();
		const written: Buffer[] = [];
		const server = createServer((req, res) => {
			const write = res.write.bind(res);
			res.write = ((piece: Buffer, ...rest: [() => void]) => {
				written.push(piece);
				return write(piece, ...rest);
			}) as typeof res.write;
			handle(req, res);
		});
		onTestFinished(() => void server.close());
		await once(server.listen(0, '127.0.0.1'), 'listening');
		const { port } = server.address() as AddressInfo;
		const headers = { ...auth, connection: 'close' };
		const answer = await fetch(`http://127.0.0.1:${port}/v1/pictures`, { headers });
		expect(await answer.json()).toEqual(expected);
		// No piece is overwritten by the next one.
		expect(JSON.parse(Buffer.concat(written).toString())).toEqual(expected);
	});

	it('has the same length for HEAD, and no body', async () => {
		const { port } = await listening([routeReturning(input)]);
		const raw = await rawConnection(port);
		await raw.write(request('HEAD /v1/pictures', { ...auth, connection: 'close' }));
		await raw.closed;
		expect(raw.text).toMatch(new RegExp(`^HTTP/1.1 200 [\\s\\S]*content-length: ${length}\r\n`));
		expect(raw.text).toMatch(/\r\n\r\n$/);
	});

	// 200 times the same picture of one megabyte, so that only the encoded text could fill the memory.
	const album = () => Array.from({ length: 200 }, () => base64(picture));
	const albumBytes = JSON.stringify(base64(picture)).length * 200;

	it('of 267 MB never uses more than 130 MB of memory', { timeout: 30_000 }, async () => {
		const { url } = await listening([routeReturning(album)]);
		const before = process.memoryUsage.rss();
		let [read, most] = [0, 0];
		for await (const piece of await responseTo(`${url}/v1/pictures`)) {
			read += piece.length;
			most = Math.max(most, process.memoryUsage.rss() - before);
		}
		expect(read).toBeGreaterThan(albumBytes);
		expect(most).toBeLessThan(130_000_000);
	});

	it('follows the pace of a fetch reader, in pieces of at most 262,144', async () => {
		const { send, http } = testServer([routeReturning(album)]);
		const reader = (await send('/v1/pictures')).body?.getReader();
		for (let count = 0; count < 20; count++) {
			expect((await reader?.read())?.value?.length).toBeLessThanOrEqual(httpLimits.pieceBytes);
		}
		await reader?.cancel();
		await eventually(() => http.pipeline.inFlight === 0);
	});

	it('waits for a slow reader, and ends when the reader disconnects', async () => {
		const { port, http, lines } = await listening([routeReturning(album)]);
		const raw = await rawConnection(port);
		raw.socket.pause();
		await raw.write(request('GET /v1/pictures', auth));
		await eventually(() => http.pipeline.inFlight === 1);
		raw.socket.resume();
		await raw.until(/content-length[\s\S]{1000000}/);
		raw.socket.pause();
		expect(raw.text.length).toBeLessThan(albumBytes / 2);
		raw.socket.destroy();
		await eventually(() => http.pipeline.inFlight === 0 && lines.length === 1);
		expect(lines.map(({ level, fields }) => [level, fields.status])).toEqual([['info', 499]]);
	});

	it('is cut off when the reader stalls for 30 seconds', async () => {
		const { port, http, clock } = await listening([routeReturning(album)]);
		const raw = await rawConnection(port);
		raw.socket.pause();
		await raw.write(request('GET /v1/pictures', auth));
		await eventually(() => http.pipeline.inFlight === 1);
		for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
		await clock.advance(30_000);
		await eventually(() => http.pipeline.inFlight === 0);
		expect(raw.text.length).toBeLessThan(albumBytes);
	});
});

describe('an event with base64', () => {
	const picture = randomBytes(1_000_001);
	const data = (bytes: unknown) => ({ type: 'partial', b64_json: bytes, text: 'a\nb' });

	function streaming(events: (signal: AbortSignal) => AsyncIterable<ServerEvent>) {
		return routeReturning(() => Reply.events(events(new AbortController().signal)));
	}

	it('has the same frame as an event with a string', () => {
		for (const event of [{ event: 'a\nb', id: '7' }, { event: 'x' }, {}]) {
			const text = frame({ ...event, data: data(picture.toString('base64')) });
			expect(textOf(frame({ ...event, data: data(base64(picture)) }))).toBe(text);
		}
		expect(textOf(frame({ data: base64(Buffer.from('abc')) }))).toBe('data: "YWJj"\n\n');
	});

	it('keeps its place between other events', async () => {
		const { url } = await listening([
			streaming(async function* () {
				yield { data: 1 };
				yield { event: 'p', data: data(base64(picture)) };
				yield { data: '[DONE]' };
			}),
		]);
		const answer = await fetch(`${url}/v1/pictures`, { headers: auth });
		const text = JSON.stringify(data(picture.toString('base64')));
		expect(await answer.text()).toBe(`data: 1\n\nevent: p\ndata: ${text}\n\ndata: [DONE]\n\n`);
	});

	it('sends no error frame when the server stops in the middle of the event', async () => {
		const { port, http } = await listening([
			streaming(async function* () {
				yield { data: Array.from({ length: 100 }, () => base64(picture)) };
			}),
		]);
		const raw = await rawConnection(port);
		await raw.write(request('GET /v1/pictures', auth));
		await raw.until(/data: \["/);
		raw.socket.pause();
		for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
		http.pipeline.abortAll();
		raw.socket.resume();
		await raw.closed;
		expect(raw.text).not.toContain('event: error');
		expect(raw.text).not.toMatch(/0\r\n\r\n$/);
		await eventually(() => http.pipeline.inFlight === 0);
	});

	it('sends the error frame after a complete event', async () => {
		const { send } = testServer([
			streaming(async function* () {
				yield { data: base64(picture) };
				throw new Error('secret');
			}),
		]);
		expect(await (await send('/v1/pictures')).text()).toMatch(/"\n\nevent: error\ndata: \{/);
	});
});
