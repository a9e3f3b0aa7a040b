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

function answering(make: () => unknown) {
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

const get = (make: () => unknown, method = 'GET') => testServer([answering(make)]).send('/v1/pictures', { method });

function whole(text: string | JsonPieces): string {
	return typeof text === 'string' ? text : Buffer.concat([...text.pieces()]).toString();
}

/** The answer to a GET; read by itself, because fetch keeps more of it. */
async function reading(url: string): Promise<AsyncIterable<Buffer>> {
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
	it('reads like the text of JSON.stringify, wherever it stands', () => {
		fc.assert(
			fc.property(value, (made) => {
				const text = jsonText(made);
				const expected = JSON.stringify(made) ?? 'null';
				expect(whole(text)).toBe(expected);
				if (text instanceof JsonPieces) expect(text.byteLength).toBe(Buffer.byteLength(expected));
			}),
			{ numRuns: 1_000 },
		);
	});

	it.each([0, 1, 2, 3, 98_303, 98_304, 98_305, 196_608, 1_000_000, 1_000_001])(
		'of %i bytes comes in pieces of at most 262,144',
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

	it('is written together where it is short', () => {
		const text = jsonText(Array.from({ length: 1_000 }, () => base64(Buffer.alloc(30))));
		expect([...(text as JsonPieces).pieces()]).toHaveLength(1);
	});

	it('leaves a text without it as it is, and is not made up by one', () => {
		const forged = { toJSON: 'x', b: `plinth-base64-${crypto.randomUUID()}-0;` };
		expect(jsonText(forged)).toBe(JSON.stringify(forged));
		expect(whole(jsonText([forged, base64(Buffer.from('abc'))]))).toBe(JSON.stringify([forged, 'YWJj']));
	});

	it('may stand in what has a form of its own, and is its text to everybody else', () => {
		const picture = base64(Buffer.from('abc'));
		const url = { toJSON: () => `data:image/png;base64,${picture.toJSON()}` };
		expect(whole(jsonText({ url, inner: { toJSON: () => JSON.stringify({ picture }) } }))).toBe(
			JSON.stringify({ url: 'data:image/png;base64,YWJj', inner: '{"picture":"YWJj"}' }),
		);
		expect(JSON.stringify({ picture })).toBe('{"picture":"YWJj"}');
	});

	it('is not waited for behind a text that cannot be made', () => {
		const broken = {
			toJSON() {
				throw new Error('no');
			},
		};
		expect(() => jsonText([base64(Buffer.from('abc')), broken])).toThrow('no');
		expect(JSON.stringify(base64(Buffer.from('abc')))).toBe('"YWJj"');
	});
});

describe('an answer with base64', () => {
	const picture = randomBytes(1_000_000);
	const other = randomBytes(400_001);
	const made = () => ({ data: [{ b64_json: base64(picture) }, { b64_json: base64(other) }, 'é'] });
	const expected = {
		data: [{ b64_json: picture.toString('base64') }, { b64_json: other.toString('base64') }, 'é'],
	};
	const length = String(Buffer.byteLength(JSON.stringify(expected)));

	it.each([
		['a value', made],
		['a reply', () => Reply.json(made(), { status: 201 })],
	])('is complete and as long as it says, as %s', async (_, make) => {
		const { url } = await listening([answering(make)]);
		const answer = await fetch(`${url}/v1/pictures`, { headers: auth });
		expect(answer.headers.get('content-length')).toBe(length);
		expect(await answer.json()).toEqual(expected);
		const carried = await get(make);
		expect(carried.headers.get('content-length')).toBe(length);
		expect(await carried.json()).toEqual(expected);
	});

	it('is the same inside a host that wraps what is written', async () => {
		const { http } = testServer([answering(made)]);
		const handle = http.callback();
		const kept: Buffer[] = [];
		const server = createServer((req, res) => {
			const write = res.write.bind(res);
			res.write = ((piece: Buffer, ...rest: [() => void]) => {
				kept.push(piece);
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
		// No piece is written over by the next one.
		expect(JSON.parse(Buffer.concat(kept).toString())).toEqual(expected);
	});

	it('has the same length for HEAD, and no body', async () => {
		const { port } = await listening([answering(made)]);
		const raw = await rawConnection(port);
		await raw.write(request('HEAD /v1/pictures', { ...auth, connection: 'close' }));
		await raw.closed;
		expect(raw.text).toMatch(new RegExp(`^HTTP/1.1 200 [\\s\\S]*content-length: ${length}\r\n`));
		expect(raw.text).toMatch(/\r\n\r\n$/);
	});

	// 200 pictures of one megabyte each; the same one, so that only the texts could fill the memory.
	const album = () => Array.from({ length: 200 }, () => base64(picture));
	const albumBytes = JSON.stringify(base64(picture)).length * 200;

	it('of 267 MB takes a small part of that, at any time', { timeout: 30_000 }, async () => {
		const { url } = await listening([answering(album)]);
		const before = process.memoryUsage.rss();
		let [read, most] = [0, 0];
		for await (const piece of await reading(`${url}/v1/pictures`)) {
			read += piece.length;
			most = Math.max(most, process.memoryUsage.rss() - before);
		}
		expect(read).toBeGreaterThan(albumBytes);
		expect(most).toBeLessThan(130_000_000);
	});

	it('keeps the pace of a fetch reader, in pieces of at most 262,144', async () => {
		const { send, http } = testServer([answering(album)]);
		const reader = (await send('/v1/pictures')).body?.getReader();
		for (let count = 0; count < 20; count++) {
			expect((await reader?.read())?.value?.length).toBeLessThanOrEqual(httpLimits.pieceBytes);
		}
		await reader?.cancel();
		await eventually(() => http.pipeline.inFlight === 0);
	});

	it('waits for a slow reader, and is over when he leaves', async () => {
		const { port, http, lines } = await listening([answering(album)]);
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

	it('is cut off when a reader stalls for half a minute', async () => {
		const { port, http, clock } = await listening([answering(album)]);
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
		return answering(() => Reply.events(events(new AbortController().signal)));
	}

	it('is the same frame as one with a string', () => {
		for (const event of [{ event: 'a\nb', id: '7' }, { event: 'x' }, {}]) {
			const text = frame({ ...event, data: data(picture.toString('base64')) });
			expect(whole(frame({ ...event, data: data(base64(picture)) }))).toBe(text);
		}
		expect(whole(frame({ data: base64(Buffer.from('abc')) }))).toBe('data: "YWJj"\n\n');
	});

	it('stands between the others', async () => {
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

	it('that is not finished when the server stops is followed by nothing', async () => {
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

	it('that was written to its end is followed by the error', async () => {
		const { send } = testServer([
			streaming(async function* () {
				yield { data: base64(picture) };
				throw new Error('secret');
			}),
		]);
		expect(await (await send('/v1/pictures')).text()).toMatch(/"\n\nevent: error\ndata: \{/);
	});
});
