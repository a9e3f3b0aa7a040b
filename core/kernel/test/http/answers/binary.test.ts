import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BinaryOptions, type ByteSource, Reply } from '../../../src/contract/http/reply.ts';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { auth, errorOf, eventually, listening, rawConnection, request, testServer } from '../support.ts';

function routeServing(source: () => Parameters<typeof Reply.binary>[0], options: Partial<BinaryOptions> = {}) {
	return defineRoute({
		method: 'GET',
		path: '/v1/content',
		scope: 'authenticated',
		summary: 's',
		response: { description: 'x' },
		errors: [],
		handler: () => Reply.binary(source(), { mediaType: 'video/mp4', ...options }),
	});
}

const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
const ranged = routeServing(() => bytes, { etag: 'abc', ranges: true, filename: 'a "b"\r\n€.mp4' });

const get = (headers: Record<string, string> = {}, method = 'GET') =>
	testServer([ranged]).send('/v1/content', { headers, method });

describe('binary content', () => {
	it('has its content type and headers that prevent it from running in the page', async () => {
		const answer = await get();
		expect(answer.status).toBe(200);
		expect(Object.fromEntries(answer.headers)).toMatchObject({
			'content-type': 'video/mp4',
			'content-length': '1000',
			etag: '"abc"',
			'accept-ranges': 'bytes',
			'content-disposition': expect.stringMatching(
				/^attachment; filename="a \\"b\\"[^\r\n]*\.mp4"; filename\*=UTF-8''/,
			),
			'content-security-policy': "sandbox; default-src 'none'",
			'x-content-type-options': 'nosniff',
		});
		expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes);
	});

	it('does not open the source for HEAD, and sends the same headers', async () => {
		let opened = 0;
		const source: ByteSource = {
			size: 1000,
			open: () => {
				opened++;
				return Reply.binary(bytes, { mediaType: 'x' }) as never;
			},
		};
		const { send } = testServer([routeServing(() => source, { ranges: true, etag: 'e' })]);
		const answer = await send('/v1/content', { method: 'HEAD', headers: { range: 'bytes=0-1' } });
		expect([answer.status, answer.headers.get('content-length'), opened]).toEqual([200, '1000', 0]);
		expect(await answer.text()).toBe('');
	});

	it('closes a source that is not sent: for HEAD, 304, 412 and 416', async () => {
		let discarded = 0;
		const source: ByteSource = {
			size: 10,
			open: () => Promise.reject(new Error('It is not wanted.')),
			discard: () => discarded++,
		};
		const { send } = testServer([routeServing(() => source, { ranges: true, etag: 'e' })]);
		const statuses = [
			await send('/v1/content', { method: 'HEAD' }),
			await send('/v1/content', { headers: { 'if-none-match': '"e"' } }),
			await send('/v1/content', { headers: { range: 'bytes=10-' } }),
			await send('/v1/content', { headers: { 'if-match': '"x"' } }),
		].map(({ status }) => status);
		expect([statuses, discarded]).toEqual([[200, 304, 416, 412], 4]);
	});

	it.each([
		['"abc"', 304],
		['W/"abc"', 304],
		['"x", "abc"', 304],
		['*', 304],
		['"abcd"', 200],
		['abc', 200],
	])('responds to If-None-Match %s with %i', async (tag, status) => {
		const answer = await get({ 'if-none-match': tag });
		expect([answer.status, answer.headers.get('etag')]).toEqual([status, '"abc"']);
		if (status === 304) expect(answer.headers.get('content-length')).toBeNull();
		// A browser applies the policy of a 304 to its cached content.
		expect(answer.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
	});

	const date = 'Thu, 26 Nov 2026 00:00:00 GMT';
	it.each<readonly [Record<string, string>, number]>([
		[{ 'if-match': '"abc"' }, 200],
		[{ 'if-match': '"x", "abc"' }, 200],
		[{ 'if-match': '*' }, 200],
		[{ 'if-match': '"x"' }, 412],
		[{ 'if-match': 'W/"abc"' }, 412],
		[{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 412],
		[{ 'if-match': '"x"', range: 'bytes=0-1' }, 412],
		[{ 'if-unmodified-since': date }, 200],
		[{ 'if-unmodified-since': 'Thu, 26 Nov 2026 00:00:01 GMT' }, 200],
		[{ 'if-unmodified-since': 'Wed, 25 Nov 2026 23:59:59 GMT' }, 412],
		[{ 'if-unmodified-since': 'Wed, 25 Nov 2026 23:59:59 GMT', 'if-match': '"abc"' }, 200],
		[{ 'if-unmodified-since': 'yesterday' }, 200],
		[{ 'if-modified-since': date }, 304],
		[{ 'if-modified-since': 'Wed, 25 Nov 2026 23:59:59 GMT' }, 200],
		[{ 'if-modified-since': date, 'if-none-match': '"x"' }, 200],
		[{ 'if-modified-since': 'today' }, 200],
	])('with a modification date responds to %j with %i', async (headers, status) => {
		const dated = { etag: 'abc', ranges: true, headers: { 'last-modified': date } };
		const { send } = testServer([routeServing(() => bytes, dated)]);
		const answer = await send('/v1/content', { headers });
		expect(answer.status).toBe(status);
		if (status === 412) expect((await errorOf(answer)).code).toBe('precondition_failed');
		if (status === 200) expect(answer.headers.get('last-modified')).toBe(date);
	});

	it('without a tag and a date ignores conditions', async () => {
		const { send } = testServer([routeServing(() => bytes)]);
		const headers = { 'if-match': '"x"', 'if-unmodified-since': date };
		expect((await send('/v1/content', { headers })).status).toBe(200);
	});

	it.each<readonly [string, number, number, number]>([
		['bytes=0-0', 206, 0, 0],
		['bytes=0-', 206, 0, 999],
		['bytes=990-5000', 206, 990, 999],
		['bytes=-10', 206, 990, 999],
		['bytes=-5000', 206, 0, 999],
		['BYTES=1-2', 206, 1, 2],
		['bytes=1000-', 416, 0, 0],
		['bytes=5000-6000', 416, 0, 0],
		['bytes=-0', 416, 0, 0],
		['bytes=5-4', 200, 0, 999],
		['bytes=0-1,5-6', 200, 0, 999],
		['bytes=', 200, 0, 999],
		['bytes=-', 200, 0, 999],
		['bytes=a-b', 200, 0, 999],
		['bytes=1', 200, 0, 999],
		['items=0-1', 200, 0, 999],
		['bytes=0-99999999999999999999', 206, 0, 999],
		['bytes=99999999999999999999-', 416, 0, 0],
	])('responds to the range %s with %i', async (range, status, start, end) => {
		const answer = await get({ range });
		expect(answer.status).toBe(status);
		if (status === 416) {
			expect(answer.headers.get('content-range')).toBe('bytes */1000');
			expect((await errorOf(answer)).code).toBe('range_not_satisfiable');
			return;
		}
		expect(answer.headers.get('content-range')).toBe(status === 206 ? `bytes ${start}-${end}/1000` : null);
		expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes.slice(start, end + 1));
	});

	it.each([
		['"abc"', 206],
		['"old"', 200],
		['W/"abc"', 200],
		['Wed, 21 Oct 2015 07:28:00 GMT', 200],
	])('responds to If-Range %s with %i', async (condition, status) => {
		expect((await get({ range: 'bytes=0-1', 'if-range': condition })).status).toBe(status);
	});

	it('sends exactly the bytes of any range, from any source', async () => {
		const chunked = (all: Uint8Array, piece: number): ByteSource => ({
			size: all.length,
			async *open(range = { start: 0, end: all.length - 1 }) {
				const reused = new Uint8Array(piece);
				for (let at = range.start; at <= range.end; at += piece) {
					const part = all.subarray(at, Math.min(at + piece, range.end + 1));
					reused.set(part);
					yield reused.subarray(0, part.length);
				}
			},
		});
		let source: ByteSource = { open: () => [] as never };
		const { send } = testServer([routeServing(() => source, { ranges: true })]);
		const position = fc.integer({ min: 0, max: 300 });
		await fc.assert(
			fc.asyncProperty(
				fc.uint8Array({ maxLength: 200 }),
				fc.integer({ min: 1, max: 64 }),
				fc.option(position),
				fc.option(position),
				async (all, piece, first, last) => {
					source = chunked(all, piece);
					const answer = await send('/v1/content', {
						headers: { range: `bytes=${first ?? ''}-${last ?? ''}` },
					});
					const got = new Uint8Array(await answer.arrayBuffer());
					expect([200, 206, 416]).toContain(answer.status);
					if (answer.status === 200) expect(got).toEqual(all);
					if (answer.status !== 206) return;
					const start = first ?? Math.max(0, all.length - (last ?? 0));
					const end = first === null ? all.length : Math.min(all.length, (last ?? all.length) + 1);
					expect(got).toEqual(all.slice(start, end));
					expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${all.length}`);
				},
			),
			{ numRuns: 300 },
		);
	});

	it('of unknown size is sent in chunks, without ranges', async () => {
		async function* body() {
			yield bytes.subarray(0, 10);
			yield new Uint8Array();
			yield bytes.subarray(10, 20);
		}
		const { url } = await listening([routeServing(body, { ranges: true })]);
		const answer = await fetch(`${url}/v1/content`, { headers: { ...auth, range: 'bytes=0-1' } });
		expect([answer.status, answer.headers.get('accept-ranges'), answer.headers.get('transfer-encoding')]).toEqual([
			200,
			null,
			'chunked',
		]);
		expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes.slice(0, 20));
	});
});

describe('a source', () => {
	it('is closed after opening when the client disconnects while it is being opened', async () => {
		const opening = Promise.withResolvers<void>();
		let signal: AbortSignal | undefined;
		let closed = 0;
		const late: AsyncIterable<Uint8Array> = {
			[Symbol.asyncIterator]: () => ({
				next: async () => ({ done: true, value: undefined }),
				return: async () => {
					closed++;
					return { done: true, value: undefined };
				},
			}),
		};
		const route = defineRoute({
			...routeServing(() => bytes),
			handler: (_, call) => {
				signal = call.signal;
				const open = () => opening.promise.then(() => late);
				return Reply.binary({ size: 5, open }, { mediaType: 'video/mp4' });
			},
		});
		const { port } = await listening([route]);
		const raw = await rawConnection(port);
		await raw.write(request('GET /v1/content', auth));
		await eventually(() => signal !== undefined);
		raw.socket.destroy();
		await eventually(() => signal?.aborted === true);
		opening.resolve();
		await eventually(() => closed === 1);
	});

	it('is closed when it was opened but is not sent, as for HEAD', async () => {
		let closed = 0;
		const open: AsyncIterable<Uint8Array> = {
			[Symbol.asyncIterator]: () => ({
				next: async () => ({ done: true, value: undefined }),
				return: async () => {
					closed++;
					return { done: true, value: undefined };
				},
			}),
		};
		await testServer([routeServing(() => open)]).send('/v1/content', { method: 'HEAD', headers: auth });
		await eventually(() => closed === 1);
	});

	it.each([
		['when it is opened', { size: 5, open: () => Promise.reject(new Error('gone')) }],
		[
			'at its first bytes',
			{
				size: 5,
				// biome-ignore lint/correctness/useYield: it fails before its first bytes
				async *open() {
					throw new Error('gone');
				},
			},
		],
		['by giving nothing', { size: 5, open: async function* () {} }],
	] as readonly (readonly [string, ByteSource])[])('that fails %s is an error with a status', async (name, source) => {
		const { send } = testServer([routeServing(() => source, { etag: 'e' })]);
		const answer = await send('/v1/content').catch((error) => error);
		if (name === 'by giving nothing') return;
		expect([answer.status, answer.headers.get('etag')]).toEqual([500, null]);
		expect((await errorOf(answer)).type).toBe('server_error');
	});

	it.each<readonly [string, (n: number) => Uint8Array]>([
		[
			'fails after the head',
			() => {
				throw new Error('gone');
			},
		],
		['gives too little', () => new Uint8Array()],
		['gives too much', () => new Uint8Array(100)],
	])('that %s cuts the connection, is logged once and does not affect other requests', async (_, rest) => {
		const source: ByteSource = {
			size: 20,
			async *open() {
				yield new Uint8Array(10);
				yield rest(0);
			},
		};
		const { port, url, lines } = await listening([routeServing(() => source)]);
		const raw = await rawConnection(port);
		await raw.write(request('GET /v1/content', auth));
		await raw.closed;
		expect(raw.text).toMatch(/^HTTP\/1.1 200/);
		expect(raw.text.split('\r\n\r\n')[1]?.length).toBeLessThan(20);
		await eventually(() => lines.length === 2);
		expect(lines.map(({ level }) => level)).toEqual(['error', 'info']);
		expect((await fetch(`${url}/healthz`)).status).toBe(200);
	});

	/** Counts the chunks that are requested from an endless source. */
	function endless() {
		const seen = { chunks: 0, returned: false };
		async function* body() {
			try {
				for (;;) {
					seen.chunks++;
					yield new Uint8Array(65_536);
				}
			} finally {
				seen.returned = true;
			}
		}
		return { seen, body };
	}

	/** Waits until no chunk has been requested during 200 turns of the event loop. */
	async function untilStill(seen: { readonly chunks: number }): Promise<void> {
		let last = -1;
		for (let still = 0; still < 200; still = seen.chunks === last ? still + 1 : 0) {
			last = seen.chunks;
			await new Promise((resolve) => setImmediate(resolve));
		}
	}

	it('is read only as fast as a slow reader reads, and is closed when the reader disconnects', async () => {
		const { seen, body } = endless();
		const { port, http, lines } = await listening([routeServing(body)]);
		const raw = await rawConnection(port);
		raw.socket.pause();
		await raw.write(request('GET /v1/content', auth));
		await untilStill(seen);
		expect(seen.chunks).toBeGreaterThan(0);
		expect(seen.chunks * 65_536).toBeLessThan(32_000_000);
		raw.socket.destroy();
		await eventually(() => seen.returned && http.pipeline.inFlight === 0);
		expect(lines.map(({ level, fields }) => [level, fields.status])).toEqual([['info', 499]]);
	});

	it('completes the response with its last byte, also when its end takes longer', async () => {
		const { promise: ended, resolve: end } = Promise.withResolvers<void>();
		async function* body() {
			yield new Uint8Array(10).fill(0x78);
			await ended;
		}
		const { port, http, lines } = await listening([routeServing(() => ({ size: 10, open: body }))]);
		const raw = await rawConnection(port);
		await raw.write(request('GET /v1/content', auth));
		await raw.until(/x{10}$/);
		raw.socket.destroy();
		await raw.closed;
		// The server has logged the request too.
		for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
		end();
		await eventually(() => http.pipeline.inFlight === 0);
		expect(lines.map(({ level, fields }) => [level, fields.status])).toEqual([['info', 200]]);
	});

	it('is closed when the reader stalls for 30 seconds', async () => {
		const { seen, body } = endless();
		const { port, http, clock } = await listening([routeServing(body)]);
		const raw = await rawConnection(port);
		raw.socket.pause();
		await raw.write(request('GET /v1/content', auth));
		await untilStill(seen);
		await clock.advance(30_000);
		await eventually(() => seen.returned && http.pipeline.inFlight === 0);
	});

	it('follows the pace of a fetch reader and is closed when it cancels', async () => {
		const { seen, body } = endless();
		const { send, http } = testServer([routeServing(body)]);
		const reader = (await send('/v1/content')).body?.getReader();
		await reader?.read();
		await reader?.read();
		for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
		expect(seen.chunks).toBeLessThan(6);
		await reader?.cancel();
		await eventually(() => seen.returned && http.pipeline.inFlight === 0);
	});

	it('is closed when the client aborts its fetch', async () => {
		const { seen, body } = endless();
		const { http } = testServer([routeServing(body)]);
		const abort = new AbortController();
		const answer = await http.fetch(new Request('http://x/v1/content', { headers: auth, signal: abort.signal }));
		const read = answer.arrayBuffer();
		abort.abort();
		await expect(read).rejects.toThrow();
		await eventually(() => seen.returned && http.pipeline.inFlight === 0);
	});
});
