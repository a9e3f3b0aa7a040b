import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Reply } from '../../src/contract/http/reply.ts';
import { defineRoute } from '../../src/contract/http/route.ts';
import { eventually, goodKey, listening, rawConnection } from './support.ts';

const base = {
	scope: 'authenticated',
	summary: 's',
	response: { description: 'x' },
	errors: [],
} as const;

/** Routes that record which requests were accepted. */
function routesWith(seen: string[]) {
	return [
		defineRoute({
			...base,
			method: 'POST',
			path: '/v1/echo',
			body: z.unknown(),
			handler: ({ body }) => {
				seen.push(`echo ${JSON.stringify(body)}`);
				return { echo: body };
			},
		}),
		defineRoute({
			...base,
			method: 'GET',
			path: '/v1/smuggled',
			handler: () => {
				seen.push('smuggled');
				return { smuggled: true };
			},
		}),
		defineRoute({
			...base,
			method: 'GET',
			path: '/v1/slow',
			handler: (_, { signal }) => {
				const body = async function* () {
					yield Buffer.from('first');
					await new Promise((resolve) => signal.addEventListener('abort', resolve));
				};
				return Reply.binary(body(), { mediaType: 'text/plain' });
			},
		}),
	];
}

const key = `x-api-key: ${goodKey}`;
const json = 'Content-Type: application/json';
/** A request inside a body, which must never get a response. */
const smuggled = `GET /v1/smuggled HTTP/1.1\r\nHost: a\r\n${key}\r\n\r\n`;

/** A request from its lines, followed by the unchanged body. */
const post = (headers: readonly string[], body: string, line = 'POST /v1/echo HTTP/1.1') =>
	[line, 'Host: a', key, json, ...headers, '', body].join('\r\n');
const chunk = (text: string, size = text.length.toString(16)) => `${size}\r\n${text}\r\n`;

const refused: Readonly<Record<string, string>> = {
	'Content-Length and Transfer-Encoding': post(
		['Content-Length: 4', 'Transfer-Encoding: chunked'],
		`${chunk('1')}0\r\n\r\n${smuggled}`,
	),
	'Transfer-Encoding and Content-Length': post(
		['Transfer-Encoding: chunked', 'Content-Length: 4'],
		`0\r\n\r\n${smuggled}`,
	),
	'two lengths that differ': post(['Content-Length: 1', 'Content-Length: 99'], `1${smuggled}`),
	'two lengths that agree': post(['Content-Length: 1', 'Content-Length: 1'], '1'),
	'lengths in a list': post(['Content-Length: 1, 1'], '1'),
	'a negative length': post(['Content-Length: -1'], smuggled),
	'a length with a plus': post(['Content-Length: +1'], `1${smuggled}`),
	'a hexadecimal length': post(['Content-Length: 0x1'], `1${smuggled}`),
	'a length with a blank in it': post(['Content-Length: 1 1'], `1${smuggled}`),
	'a length beyond all numbers': post(['Content-Length: 18446744073709551617'], `1${smuggled}`),
	'no length behind its name': post(['Content-Length:'], smuggled),
	'a blank before the colon': post(['Content-Length : 1'], `1${smuggled}`),
	'a blank before the colon of Transfer-Encoding': post(['Transfer-Encoding : chunked'], `0\r\n\r\n${smuggled}`),
	'Transfer-Encoding: identity': post(['Transfer-Encoding: identity'], smuggled),
	'Transfer-Encoding: xchunked': post(['Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`),
	'Transfer-Encoding: chunked, identity': post(['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${smuggled}`),
	'Transfer-Encoding in quotes': post(['Transfer-Encoding: "chunked"'], `0\r\n\r\n${smuggled}`),
	'Transfer-Encoding twice, chunked first': post(
		['Transfer-Encoding: chunked', 'Transfer-Encoding: x'],
		`0\r\n\r\n${smuggled}`,
	),
	'Transfer-Encoding behind a control character': post(['Transfer-Encoding: \x0bchunked'], `0\r\n\r\n${smuggled}`),
	'a chunk size that overflows': post(['Transfer-Encoding: chunked'], chunk('1', 'fffffffffffffffff')),
	'a negative chunk size': post(['Transfer-Encoding: chunked'], chunk('1', '-1')),
	'a chunk size with 0x': post(['Transfer-Encoding: chunked'], chunk('1', '0x1')),
	'a chunk longer than its size': post(['Transfer-Encoding: chunked'], `1\r\n1${smuggled}\r\n0\r\n\r\n`),
	'a chunk size ended by LF alone': post(['Transfer-Encoding: chunked'], `1\n1\r\n0\r\n\r\n${smuggled}`),
	'chunk extensions without end': post(['Transfer-Encoding: chunked'], `1;${'x'.repeat(20_000)}\r\n1\r\n0\r\n\r\n`),
	'a length behind the last chunk': post(
		['Transfer-Encoding: chunked'],
		`${chunk('7')}0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
	),
	'lines ended by LF alone': post(['Content-Length: 1'], '1').replaceAll('\r\n', '\n'),
	'a line ended by CR alone': post(['X-A: b\rTransfer-Encoding: chunked'], `0\r\n\r\n${smuggled}`),
	'a folded line': post(['X-A: b', ' Transfer-Encoding: chunked'], `0\r\n\r\n${smuggled}`),
	'a NUL in a value': post(['X-A: b\0c', 'Content-Length: 1'], '1'),
	'a NUL in a name': post(['X-\0A: b', 'Content-Length: 1'], '1'),
	'a name of nothing': post([': b', 'Content-Length: 1'], '1'),
	'no host': post(['Content-Length: 1'], '1').replace('Host: a\r\n', ''),
	'two hosts': post(['Host: b', 'Content-Length: 1'], '1'),
	'a blank before the first header': post(['Content-Length: 1'], '1').replace('Host', ' Host'),
	'two blanks in the request line': post(['Content-Length: 1'], '1', 'POST  /v1/echo  HTTP/1.1 HTTP/1.1'),
	'a tab in the request line': post(['Content-Length: 1'], '1', 'POST\t/v1/echo\tHTTP/1.1'),
	'another protocol': post(['Content-Length: 1'], '1', 'POST /v1/echo HTTP/9.9'),
	'no protocol': post(['Content-Length: 1'], '1', 'POST /v1/echo'),
	'a method in small letters': post(['Content-Length: 1'], '1', 'post /v1/echo HTTP/1.1'),
	'the beginning of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
	'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
};

/** Each entry is one request, whose body the echo route returns. */
const single: Readonly<Record<string, readonly [bytes: string, echo: unknown]>> = {
	'a request in its length': [
		post([`Content-Length: ${JSON.stringify(smuggled).length}`], JSON.stringify(smuggled)),
		smuggled,
	],
	'a request in a chunk': [
		post(['Transfer-Encoding: chunked'], `${chunk(JSON.stringify(smuggled))}0\r\n\r\n`),
		smuggled,
	],
	'chunk extensions': [post(['Transfer-Encoding: chunked'], `1;a=b\r\n7\r\n0;c\r\n\r\n`), 7],
	'a trailer that looks like a header': [
		post(['Transfer-Encoding: chunked'], `${chunk('7')}0\r\nX-API-Key: b\r\n\r\n`),
		7,
	],
	'Transfer-Encoding in capitals': [post(['TRANSFER-ENCODING: CHUNKED'], `${chunk('7')}0\r\n\r\n`), 7],
	'zeros before the chunk size': [post(['Transfer-Encoding: chunked'], `0000001\r\n7\r\n0\r\n\r\n`), 7],
	'a length with zeros before it': [post(['Content-Length: 01'], '7'), 7],
	'an absolute address of another host': [
		post(['Content-Length: 1'], '7', 'POST http://elsewhere.test/v1/echo HTTP/1.1'),
		7,
	],
	'the addresses that proxies trust': [
		post(['X-Original-URL: /v1/smuggled', 'X-HTTP-Method-Override: GET', 'Content-Length: 1'], '7'),
		7,
	],
};

describe('a request that two parsers could read differently', () => {
	it.each(Object.keys(refused))('with %s is refused, and its connection closed', async (name) => {
		const seen: string[] = [];
		const { port, http, lines } = await listening(routesWith(seen));
		const raw = await rawConnection(port);
		await raw.write(Buffer.from(refused[name] ?? '', 'latin1'));
		await raw.closed;
		await eventually(() => http.pipeline.inFlight === 0);
		const [head = '', body = '{}'] = raw.text.split('\r\n\r\n');
		expect(raw.text.match(/HTTP\/1/g)).toHaveLength(1);
		expect(head).toMatch(/^HTTP\/1.1 4\d\d /);
		expect(head).toMatch(/^connection: close$/im);
		const { error } = JSON.parse(body) as { error: object };
		expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code']);
		expect(seen).toEqual([]);
		expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
	});

	it.each(Object.keys(single))('with %s is one request', async (name) => {
		const seen: string[] = [];
		const { port } = await listening(routesWith(seen));
		const raw = await rawConnection(port);
		const [bytes, echo] = single[name] as (typeof single)[string];
		await raw.write(Buffer.from(bytes, 'latin1'));
		// A smuggled request would get its response before this one.
		await raw.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
		await raw.closed;
		expect(seen).toEqual([`echo ${JSON.stringify(echo)}`]);
		expect(raw.text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
		expect(raw.text).not.toContain('"smuggled":true');
	});

	it('after a request in progress cuts that response, and writes nothing into it', async () => {
		const seen: string[] = [];
		const { port, http } = await listening(routesWith(seen));
		const raw = await rawConnection(port);
		await raw.write(`GET /v1/slow HTTP/1.1\r\nHost: a\r\n${key}\r\n\r\n`);
		await raw.until(/first/);
		await raw.write('NO HTTP\r\n\r\n');
		await raw.closed;
		expect(raw.text.match(/HTTP\/1.1 /g)).toHaveLength(1);
		expect(raw.text).toMatch(/first\r\n$/);
		await eventually(() => http.pipeline.inFlight === 0);
	});
});
