import { request as httpRequest, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Reply } from '../../../src/contract/http/reply.ts';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { acceptedEncoding } from '../../../src/http/answers/compress.ts';
import { auth, listening, testServer } from '../support.ts';

const text = 'häß '.repeat(1_000);
const base = {
	method: 'GET',
	scope: 'authenticated',
	summary: 's',
	response: { description: 'x' },
	errors: [],
} as const;
const events = async function* () {
	yield { data: text };
};
const routes = [
	defineRoute({ ...base, path: '/v1/long', handler: () => ({ text }) }),
	defineRoute({ ...base, path: '/v1/short', handler: () => ({ text: 'short' }) }),
	defineRoute({ ...base, path: '/v1/events', handler: () => Reply.events(events()) }),
	defineRoute({
		...base,
		path: '/v1/bytes',
		handler: () => Reply.binary(Buffer.from(text), { mediaType: 'text/plain', ranges: true, etag: 'e' }),
	}),
	defineRoute({
		...base,
		path: '/v1/text',
		handler: () => Reply.binary(Buffer.from(text), { mediaType: 'text/plain; charset=utf-8', etag: 'e' }),
	}),
	defineRoute({
		...base,
		path: '/v1/picture',
		handler: () => Reply.binary(Buffer.from(text), { mediaType: 'image/png' }),
	}),
];

/** A response as it was sent. `fetch` would decode it. */
interface Raw {
	readonly status: number | undefined;
	readonly headers: IncomingMessage['headers'];
	readonly body: Buffer;
}

function get(url: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Raw> {
	return new Promise((resolve, reject) => {
		const sent = httpRequest(url, { method, headers: { ...auth, ...headers } }, (answer) => {
			const chunks: Buffer[] = [];
			answer.on('data', (chunk: Buffer) => chunks.push(chunk));
			answer.on('end', () => {
				resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) });
			});
		});
		sent.on('error', reject).end();
	});
}

describe('a long JSON response', () => {
	it.each([
		['gzip', gunzipSync],
		['br', brotliDecompressSync],
	] as const)('comes in %s where the client asks for it', async (encoding, decode) => {
		const { url } = await listening(routes);
		const { headers, body } = await get(`${url}/v1/long`, { 'accept-encoding': encoding });
		expect(headers).toMatchObject({
			'content-encoding': encoding,
			vary: 'Accept-Encoding',
			'content-length': String(body.length),
		});
		expect(body.length).toBeLessThan(1_000);
		expect(JSON.parse(decode(body).toString())).toEqual({ text });
	});

	it('has the same headers for HEAD, and no body', async () => {
		const { url } = await listening(routes);
		const gzipHeaders = { 'accept-encoding': 'gzip' };
		const whole = await get(`${url}/v1/long`, gzipHeaders);
		const head = await get(`${url}/v1/long`, gzipHeaders, 'HEAD');
		expect(head.body.length).toBe(0);
		for (const name of ['content-length', 'content-encoding', 'content-type', 'vary']) {
			expect(head.headers[name]).toBe(whole.headers[name]);
		}
	});

	it.each([undefined, 'identity', 'gzip;q=0', 'zstd', '*;q=0'])(
		'is not compressed for Accept-Encoding: %s',
		async (encoding) => {
			const { url } = await listening(routes);
			const { headers, body } = await get(
				`${url}/v1/long`,
				encoding === undefined ? {} : { 'accept-encoding': encoding },
			);
			expect(headers['content-encoding']).toBeUndefined();
			expect(headers.vary).toBe('Accept-Encoding');
			expect(JSON.parse(body.toString())).toEqual({ text });
		},
	);

	it('keeps other values of Vary', async () => {
		const { url } = await listening(routes, { cors: ['https://app.example.com'] });
		const { headers } = await get(`${url}/v1/long`, { 'accept-encoding': 'gzip' });
		expect(headers.vary).toBe('Origin, Accept-Encoding');
	});

	it('is not compressed when the config turns compression off', async () => {
		const { url } = await listening(routes, { compresses: false });
		const { headers } = await get(`${url}/v1/long`, { 'accept-encoding': 'gzip' });
		expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
	});
});

describe('a long text', () => {
	it('has the encoding that the client requests, and none for other clients', async () => {
		const { url } = await listening(routes);
		const { headers, body } = await get(`${url}/v1/text`, { 'accept-encoding': 'gzip' });
		expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'text/plain; charset=utf-8' });
		expect(gunzipSync(body).toString()).toBe(text);
		const plain = await get(`${url}/v1/text`, {});
		expect([plain.body.toString(), plain.headers.vary]).toEqual([text, 'Accept-Encoding']);
		// Weak, because the bytes of the encodings differ (RFC 9110 §8.8.3).
		expect([plain.headers.etag, headers.etag]).toEqual(['W/"e"', 'W/"e"']);
	});

	it('is not sent to a client that has it cached', async () => {
		const { url } = await listening(routes);
		const known = await get(`${url}/v1/text`, { 'accept-encoding': 'gzip', 'if-none-match': '"e"' });
		expect([known.status, known.body.length, known.headers.vary]).toEqual([304, 0, 'Accept-Encoding']);
	});
});

describe('other responses', () => {
	it.each(['/v1/short', '/v1/events', '/v1/bytes', '/v1/picture', '/v1/nothing'])(
		'are not compressed: %s',
		async (path) => {
			const { url } = await listening(routes);
			const { headers } = await get(`${url}${path}`, { 'accept-encoding': 'br, gzip' });
			expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
		},
	);

	it('through `fetch` are not compressed, because the host may compress them', async () => {
		const { send } = testServer(routes);
		const { headers } = await send('/v1/long', { headers: { 'accept-encoding': 'gzip' } });
		expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, null]);
	});

	it('keep their ranges', async () => {
		const { url } = await listening(routes);
		const { status, headers } = await get(`${url}/v1/bytes`, { 'accept-encoding': 'gzip', range: 'bytes=0-1' });
		expect([status, headers['content-length'], headers['content-encoding']]).toEqual([206, '2', undefined]);
	});
});

describe('the OpenAPI document', () => {
	it('has the same ETag in every encoding', async () => {
		const { url } = await listening(routes);
		const gzipHeaders = { 'accept-encoding': 'gzip' };
		const { headers } = await get(`${url}/openapi.json`, gzipHeaders);
		const plain = await get(`${url}/openapi.json`, {});
		expect(headers['content-encoding']).toBe('gzip');
		expect(plain.headers.etag).toBe(headers.etag);
		const again = await get(`${url}/openapi.json`, { ...gzipHeaders, 'if-none-match': String(headers.etag) });
		expect([again.status, again.body.length, again.headers.vary]).toEqual([304, 0, 'Accept-Encoding']);
	});
});

describe('the accepted encoding', () => {
	it.each([
		[undefined, undefined],
		['', undefined],
		['gzip, deflate, br', 'br'],
		['gzip', 'gzip'],
		['GZIP', 'gzip'],
		['br;q=0.5, gzip;q=0.8', 'br'],
		['br;q=0, gzip', 'gzip'],
		['br;q=0.000,gzip;q=0', undefined],
		['br ; q = 0 , gzip ; q = 0.001', 'gzip'],
		['brotli, x-gzip, gzipped', undefined],
		['*', undefined],
		['identity', undefined],
	])('of %s is %s', (header, expected) => {
		expect(acceptedEncoding(header)).toBe(expected);
	});
});
