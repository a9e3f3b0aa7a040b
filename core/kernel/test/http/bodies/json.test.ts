import { once } from 'node:events';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { readJson } from '../../../src/http/bodies/json/json.ts';
import {
	auth,
	errorOf,
	eventually,
	listening,
	type RawConnection,
	rawConnection,
	request,
	testServer,
	worked,
} from '../support.ts';

const limit = 23_068_672;
const anyObject = defineRoute({
	method: 'POST',
	path: '/v1/anyObject',
	scope: 'authenticated',
	summary: 's',
	body: z.unknown(),
	limits: { json: limit },
	response: { description: 'x' },
	errors: [],
	handler: ({ body }) => ({ text: JSON.stringify(body) }),
});
const ignoring = defineRoute({ ...anyObject, path: '/v1/ignoring', handler: () => ({}) });
const routes = [anyObject, ignoring];
const head = { ...auth, 'content-type': 'application/json', connection: 'close' };

function post(body: string | Buffer<ArrayBuffer>, type = 'application/json') {
	const headers = { 'content-type': type };
	return testServer(routes).send('/v1/anyObject', { method: 'POST', body, headers });
}

/** Sends a body in pieces until the server stops reading, and returns the whole response. */
async function upload(port: number, pieces: Iterable<Buffer>, length?: number): Promise<string> {
	const raw = await rawConnection(port);
	const framing = length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) };
	await raw.write(request('POST /v1/ignoring', { ...head, ...framing }));
	for (const piece of pieces) {
		if (raw.socket.closed || raw.socket.destroyed) break;
		if (length === undefined) raw.socket.write(`${piece.length.toString(16)}\r\n`);
		raw.socket.write(piece);
		if (length === undefined) raw.socket.write('\r\n');
		if (raw.socket.writableNeedDrain) await drainedOrClosed(raw);
	}
	if (length === undefined && raw.socket.writable) raw.socket.write('0\r\n\r\n');
	await raw.closed;
	return raw.text;
}

function drainedOrClosed({ socket, closed }: RawConnection): Promise<unknown> {
	return Promise.race([once(socket, 'drain').catch(() => {}), closed]);
}

function* piecesOf(text: string | Buffer, size = 65_536): Generator<Buffer> {
	const bytes = Buffer.from(text as string);
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function* repeat(piece: Buffer, bytes: number): Generator<Buffer> {
	for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
}

/** The body reader without a server, for many small bodies. */
function directReader(): (pieces: Iterable<Buffer>) => Promise<unknown> {
	const koa = new Koa();
	const { signal } = new AbortController();
	const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
	return (pieces) => {
		const req = Object.assign(Readable.from(pieces, { objectMode: false }), {
			method: 'POST',
			url: '/',
			headers,
		});
		return readJson(koa.createContext(req as never, {} as never), req as never, limit, signal);
	};
}

const megabytes = (count: number) => count * 1_048_576;

describe('a JSON body', () => {
	const bytes = (...parts: (string | readonly number[])[]) =>
		Buffer.concat(parts.map((part) => Buffer.from(part as string)));

	it.each<[string, string | Buffer<ArrayBuffer>, RegExp]>([
		['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, /deeper than 64 levels/],
		['20,000 levels', '{"a":'.repeat(20_000), /deeper than 64 levels/],
		['10,001 keys', `{${'"a":1,'.repeat(10_000)}"b":1}`, /more than 10000 keys/],
		['100,001 values', `[${'1,'.repeat(99_999)}1,1]`, /more than 100000 values/],
		['bad UTF-8 in a key', bytes('{"a', [0xff], '":1}'), /not UTF-8/],
		['bad UTF-8 in a value', bytes('{"a":"', [0xc0, 0x80], '"}'), /not UTF-8/],
		['a surrogate in UTF-8', bytes('["', [0xed, 0xa0, 0x80], '"]'), /not UTF-8/],
		['half a character at its end', bytes('["', [0xf0, 0x9f]), /not UTF-8/],
		['UTF-16', Buffer.from('{"a":"b"}', 'utf16le'), /malformed at line 1/],
		['UTF-16 with its mark', Buffer.from('\ufeff{"a":1}', 'utf16le'), /not UTF-8/],
		['a NUL', '{"a":\0}', /no JSON/],
		['a NUL in a string', '{"a":"\0"}', /malformed at line 1/],
		['a line break in a string', '["a\nb"]', /malformed at line 1/],
		['two byte order marks', '\ufeff\ufeff{}', /no JSON|malformed/],
		['a cut string', '{"a":"bc', /malformed|ends early/],
		['something behind its end', '{"a":1}{"a":2}', /malformed|no JSON/],
		['brackets that do not match', '{"a":[1}]', /malformed/],
		['a comment', '{"a":1}//', /malformed|no JSON/],
		['a number that is none', '{"a":0x10}', /malformed/],
		['a megabyte of blanks', ' '.repeat(megabytes(1)), /ends early/],
		['100,001 backslashes', `["${'\\'.repeat(100_001)}"]`, /malformed/],
	])('with %s gets a 400 with the reason', async (_, body, message) => {
		const error = await errorOf(await post(body));
		expect(error).toMatchObject({ status: 400, code: 'invalid_body', param: null });
		expect(error.message).toMatch(message);
		expect(error.message.length).toBeLessThan(200);
	});

	it.each<[string, string, unknown]>([
		['64 levels', `${'['.repeat(64)}${']'.repeat(64)}`, undefined],
		['10,000 keys', `{${'"a":1,'.repeat(9_999)}"a":2}`, { a: 2 }],
		['100,000 values', `[${'1,'.repeat(99_998)}1]`, undefined],
		['one key twice: the last one counts', '{"a":1,"b":0,"a":2}', { a: 2, b: 0 }],
		['an empty string', '""', ''],
		['one byte order mark', '\ufeff{"a":1}', { a: 1 }],
		['a number above all numbers', '[1e999]', [null]],
		['100,000 backslashes', `["${'\\'.repeat(100_000)}"]`, undefined],
		['blanks around it', `${' '.repeat(50_000)}[1]\r\n\t `, [1]],
		['an escaped NUL and an escaped half of a pair', '["\\u0000\\ud800"]', ['\0\ud800']],
	])('with %s is accepted', async (_, body, value) => {
		const answer = await post(body);
		expect(answer.status).toBe(200);
		const { text } = (await answer.json()) as { text: string };
		if (value !== undefined) expect(JSON.parse(text)).toEqual(value);
	});

	it('is read like by JSON.parse for any split, and does not change prototypes', {
		timeout: 30_000,
	}, async () => {
		const before = Object.getOwnPropertyNames(Object.prototype);
		const read = directReader();
		const names = ['__proto__', 'constructor', 'prototype', 'toString', 'a', '"'];
		const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
			tree: fc.oneof(
				{ maxDepth: 4 },
				fc.jsonValue({ maxDepth: 0 }),
				fc.array(tie('tree'), { maxLength: 3 }),
				fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 3 }),
			),
		}));
		const poison = /"(?:__proto__|prototype)":/;
		let refused = 0;
		await fc.assert(
			fc.asyncProperty(tree, fc.nat({ max: 30 }), async (value, size) => {
				const text = JSON.stringify(value);
				try {
					expect(JSON.stringify(await read(piecesOf(text, size + 1)))).toBe(text);
				} catch (error) {
					refused++;
					expect(error).toMatchObject({ code: 'E_BODY_MALFORMED' });
					expect(text).toMatch(poison);
				}
			}),
			{ numRuns: 5_000 },
		);
		expect(refused).toBeGreaterThan(0);
		expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
		expect(Object.keys({})).toEqual([]);
	});

	it.each(['utf-16', '"ISO-8859-1"', 'windows-1252', 'utf-8x'])('in the charset %s gets a 415', async (charset) => {
		const error = await errorOf(await post('{}', `application/json; a=b; Charset=${charset}`));
		expect(error).toMatchObject({ status: 415, code: 'unsupported_media_type' });
		expect(error.message).toContain(charset.replaceAll('"', ''));
	});

	it.each(['charset=UTF-8', 'charset="utf-8"', 'charset=utf8', 'charset=us-ascii', 'v=1'])(
		'with the parameter %s is accepted',
		async (parameter) => {
			expect((await post('{}', `application/json;${parameter}`)).status).toBe(200);
		},
	);

	it('that is interrupted does not count as a failure of the server', async () => {
		const { port, http, lines } = await listening(routes);
		const raw = await rawConnection(port);
		await raw.write(request('POST /v1/anyObject', { ...head, 'content-length': '1000' }, '{"a":'));
		await eventually(() => http.pipeline.inFlight === 1);
		raw.socket.resetAndDestroy();
		await eventually(() => http.pipeline.inFlight === 0 && lines.length === 1);
		expect(lines[0]).toMatchObject({ level: 'info', fields: { status: 499 } });
	});
});

/**
 * How long `work` blocked the event loop, in milliseconds: the longest turn of a run, in the best of three runs.
 */
async function blockedDuring(work: () => Promise<void>): Promise<number> {
	const blocked: number[] = [];
	while (blocked.length < 3 && !blocked.some((ms) => ms < 250)) {
		let [longest, last, isOver] = [0, worked(), false];
		const turn = () => {
			const now = worked();
			longest = Math.max(longest, now - last);
			last = now;
			if (!isOver) setImmediate(turn);
		};
		setImmediate(turn);
		await work();
		isOver = true;
		await new Promise((resolve) => setImmediate(resolve));
		blocked.push(longest);
	}
	return Math.min(...blocked);
}

describe('a hostile JSON body', { timeout: 30_000 }, () => {
	const large = (begin: string, piece: string) => Buffer.from(begin.padEnd(limit - 100 - piece.length, piece));
	const keys = () => {
		const members = Array.from({ length: 1_000_000 }, (_, index) => `"key number ${index}":1`);
		return Buffer.from(`{${members.join()}}`);
	};
	const attacks: readonly (readonly [string, () => Buffer, RegExp])[] = [
		['a million keys', keys, /400 .*more than 10000 keys/s],
		['ten million elements', () => large('[', '1,'), /400 .*more than 100000 values/s],
		['ten million empty arrays', () => large('[', '[],'), /400 .*more than 100000 values/s],
		['five million levels', () => large('', '{"a":'), /400 .*deeper than 64 levels/s],
		['22 MB of blanks', () => large('[', '\n'), /400 .*the JSON ends early/s],
		['22 MB of digits', () => large('', '7'), /200 /],
		['22 MB of escapes', () => Buffer.concat([large('["', '\\"'), Buffer.from('"]')]), /200 /],
		['22 MB of base64', () => Buffer.concat([large('{"a":"', 'A'), Buffer.from('"}')]), /200 /],
		['22 MB of no JSON', () => large('', 'x'), /400 .*it is no JSON/s],
	];

	it.each(attacks)('of %s does not block other requests', async (_, make, expected) => {
		const { port } = await listening(routes);
		const body = make();
		let answer = '';
		const blocked = await blockedDuring(async () => {
			answer = await upload(port, piecesOf(body), body.length);
		});
		expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${expected.source}`, 's'));
		expect(blocked).toBeLessThan(250);
	});

	it('of 110 MB is refused by its Content-Length before it is read', async () => {
		const { port } = await listening(routes);
		const raw = await rawConnection(port);
		const length = String(megabytes(110));
		await raw.write(request('POST /v1/anyObject', { ...head, 'content-length': length }));
		expect(await raw.until(/request_too_large/)).toMatch(/^HTTP\/1.1 413 /);
	});

	it('of 110 MB without a length is refused at the limit', async () => {
		const { port, http } = await listening(routes);
		const piece = Buffer.alloc(65_536, 'A');
		function* body() {
			yield Buffer.from('["');
			yield* repeat(piece, megabytes(110));
		}
		let answer = '';
		const blocked = await blockedDuring(async () => {
			answer = await upload(port, body());
		});
		expect(answer).toMatch(/^HTTP\/1.1 413 [\s\S]*request_too_large/);
		expect(blocked).toBeLessThan(250);
		await eventually(() => http.pipeline.inFlight === 0);
	});
});
