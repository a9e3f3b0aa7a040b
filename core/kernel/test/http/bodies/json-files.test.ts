import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { documentFromField } from '@plinth/toolkit';
import fc from 'fast-check';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anyText } from '../../../../../test/support/characters.ts';
import { defineRoute, type SpoolOptions } from '../../../src/contract/http/route.ts';
import { isUpload } from '../../../src/contract/http/upload.ts';
import { DataUrlError, dataStart, decodeDataUrl } from '../../../src/http/bodies/files/data-url.ts';
import { IncomingFile } from '../../../src/http/bodies/files/incoming-file.ts';
import { Spool, SpoolFile } from '../../../src/http/bodies/files/spool.ts';
import { readJson } from '../../../src/http/bodies/json/json.ts';
import { JsonFiles } from '../../../src/http/bodies/json/json-files.ts';
import { httpLimits } from '../../../src/http/limits.ts';
import {
	auth,
	errorOf,
	eventually,
	listening,
	privateTemp,
	rawConnection,
	request,
	type Sent,
	testServer,
	worked,
} from '../support.ts';

const maxFile = 400_000;
const any = defineRoute({
	method: 'POST',
	path: '/v1/any',
	scope: 'authenticated',
	summary: 's',
	limits: { json: 209_715_200, file: maxFile },
	spoolDataUrls: true,
	body: z.unknown(),
	response: { description: 'x' },
	errors: [],
	handler: async ({ body }) => ({ shown: await describeValue(body) }),
});
const head = { ...auth, 'content-type': 'application/json' };

async function post(body: Sent, route = any): Promise<Response> {
	return testServer([route]).send('/v1/any', {
		method: 'POST',
		body,
		headers: { 'content-type': 'application/json' },
		duplex: 'half',
	} as RequestInit);
}

/** Describes what a handler receives for `body`, with hashes in place of files. */
async function describeBody(body: string): Promise<unknown> {
	const answer = await post(body);
	expect(answer.status).toBe(200);
	return ((await answer.json()) as { shown: unknown }).shown;
}

async function describeValue(value: unknown): Promise<unknown> {
	if (isUpload(value)) {
		const bytes = await value.bytes();
		expect(value).toMatchObject({ filename: '', size: bytes.length, sha256: hashOf(bytes) });
		return fileOf(bytes);
	}
	if (Array.isArray(value)) return Promise.all(value.map(describeValue));
	if (typeof value !== 'object' || value === null) return value;
	const members = Object.entries(value).map(async ([key, member]) => [key, await describeValue(member)]);
	return Object.fromEntries(await Promise.all(members));
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const fileOf = (bytes: Uint8Array) => `a file ${hashOf(bytes)}`;
const urlOf = (bytes: Buffer, label = 'image/png') => `data:${label};base64,${bytes.toString('base64')}`;

const smallPng = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);
const photo = randomBytes(60_000);
const url = urlOf(photo);

describe('a long data URL in JSON', () => {
	it('arrives as a file, and other members arrive unchanged', async () => {
		const body = { a: [1, { b: url }], c: 'text', [url]: null, d: 'x'.repeat(200_000) };
		expect(await describeBody(JSON.stringify(body))).toEqual({ ...body, a: [1, { b: fileOf(photo) }] });
		expect(await describeBody(`\ufeff ${JSON.stringify(url)} `)).toBe(fileOf(photo));
	});

	it('gets the type of its content, and is deleted when the handler has settled', async () => {
		const tempFiles = await privateTemp();
		const png = Buffer.concat([smallPng, photo]);
		const seen: unknown[] = [];
		const look = (fails: boolean) =>
			defineRoute({
				...any,
				handler: async ({ body }) => {
					seen.push((body as { mediaType?: string }).mediaType, (await tempFiles()).length);
					if (fails) throw new Error('no');
					return {};
				},
			});
		const body = JSON.stringify(urlOf(png, 'text/html'));
		expect((await post(body, look(false))).status).toBe(200);
		expect((await post(body, look(true))).status).toBe(500);
		expect(seen).toEqual(['image/png', 1, 'image/png', 1]);
		expect(await tempFiles()).toEqual([]);
	});

	it.each([
		['of 65,536 characters stays a string', 65_536],
		['of 65,537 characters is a file', 65_537],
	])('%s', async (_, length) => {
		const start = 'data:;a=b;base64,';
		const text = start.padEnd(length, 'A');
		const shown = await describeBody(JSON.stringify(text));
		expect(shown).toBe(length > 65_536 ? fileOf(decodeDataUrl(text)) : text);
		// An escape counts as one character.
		const escaped = JSON.stringify(text).replaceAll('A', '\\u0041');
		expect(await describeBody(escaped)).toBe(shown);
	});

	it.each([
		['another scheme', `https://example.org/${'A'.repeat(70_000)}`],
		['no base64', `data:text/plain,${'A'.repeat(70_000)}`],
		['a header without an end', `data:image/png;base64${'A'.repeat(70_000)}`],
		['a header that is too long', `data:image/png;${'a'.repeat(1_100)};base64,${'A'.repeat(70_000)}`],
		['a blank in front', ` ${url}`],
		['what begins alike', `data ${'é'.repeat(70_000)}`],
	])('with %s stays a string', async (_, text) => {
		expect(await describeBody(JSON.stringify({ text }))).toEqual({ text });
	});

	it.each([
		['capitals', url.replace('data:image/png;base64', 'DATA:Image/PNG;BASE64')],
		['no media type', url.replace('image/png', '')],
		['parameters', url.replace('image/png', 'image/png;name="é ü.png";charset=x')],
		['a line break in its header', url.replace(';base64', ';\nbase64')],
		['lines', url.replace(/.{76}/g, '$&\r\n')],
	])('is accepted with %s', async (_, text) => {
		expect(await describeBody(JSON.stringify([text]))).toEqual([fileOf(photo)]);
	});

	it('is accepted without padding', async () => {
		for (const size of [60_000, 60_001, 60_002]) {
			const bytes = randomBytes(size);
			const bare = urlOf(bytes).replaceAll('=', '');
			expect(await describeBody(JSON.stringify([bare, urlOf(bytes)]))).toEqual([fileOf(bytes), fileOf(bytes)]);
		}
	});

	it('cannot be forged by a client', async () => {
		const forged = ['plinth-file-0', `plinth-file-${crypto.randomUUID()}-0`];
		const upload = { $kind: 'plinth.upload', path: '/etc/passwd', bytes: 1, stream: 1 };
		expect(await describeBody(JSON.stringify([forged, url, upload]))).toEqual([forged, fileOf(photo), upload]);
	});

	it('of a repeated key is the last one', async () => {
		const tempFiles = await privateTemp();
		const bad = `${url}!!!!`;
		const texts: [string, unknown][] = [
			[`{"a":"${url}","a":"short"}`, { a: 'short' }],
			[`{"a":"short","a":"${url}"}`, { a: fileOf(photo) }],
			[`{"a":"${urlOf(randomBytes(60_000))}","a":"${url}"}`, { a: fileOf(photo) }],
			[`{"a":"${bad}","a":1}`, { a: 1 }],
			[`{"a":"${bad}","a":"${url}"}`, { a: fileOf(photo) }],
		];
		for (const [text, value] of texts) expect(await describeBody(text)).toEqual(value);
		expect(await tempFiles()).toEqual([]);
	});

	it('becomes a file only if the route says so', async () => {
		const plain = defineRoute({ ...any, spoolDataUrls: false });
		const answer = await post(JSON.stringify(url), plain);
		expect(await answer.json()).toEqual({ shown: url });
	});
});

describe('long base64 without the header of a data URL', () => {
	const bare = photo.toString('base64');
	const taking = defineRoute({ ...any, spoolDataUrls: { bare: ['url', 'data'] } });
	const shown = async (body: unknown) => {
		const answer = await post(JSON.stringify(body), taking);
		return ((await answer.json()) as { shown: unknown }).shown;
	};

	it('arrives as a file in the members that allow it, at any depth', async () => {
		const file = fileOf(photo);
		expect(await shown({ url: bare })).toEqual({ url: file });
		expect(await shown([{ x: { data: bare, y: 1 } }, { url }])).toEqual([{ x: { data: file, y: 1 } }, { url: file }]);
	});

	it('stays a string in other members', async () => {
		const body = {
			a: bare,
			urls: bare,
			url: [bare, { a: bare }],
			b: [{ url: 'short' }, bare],
			[bare]: 1,
		};
		expect(await shown(body)).toEqual(body);
	});

	it('stays a string, like data URLs, in members that hold no files', async () => {
		const some = defineRoute({ ...any, spoolDataUrls: { only: ['url'], bare: ['url'] } });
		const body = { text: url, list: [url], url, deeper: [{ url }] };
		const answer = await post(JSON.stringify(body), some);
		const file = fileOf(photo);
		expect(await answer.json()).toEqual({
			shown: { text: url, list: [url], url: file, deeper: [{ url: file }] },
		});
	});

	it('may contain escapes and line breaks', async () => {
		const lines = bare.replace(/.{76}/g, '$&\n');
		const text = JSON.stringify({ url: lines, b: 2 }).replaceAll('/', '\\/').replaceAll('A', '\\u0041');
		const answer = await post(text, taking);
		expect(await answer.json()).toEqual({ shown: { url: fileOf(photo), b: 2 } });
	});

	it('of 65,536 characters stays a string, and of more is a file', async () => {
		const [short, long] = ['A'.repeat(65_536), 'A'.repeat(65_540)];
		expect(await shown([{ url: short }, { url: long }])).toEqual([
			{ url: short },
			{ url: fileOf(Buffer.from(long, 'base64')) },
		]);
	});

	it.each([
		['an address', `https://example.org/${bare}`],
		['a data URL of another encoding', `data:text/plain,${bare}`],
	])('stays a string when it is %s', async (_, text) => {
		expect(await shown({ url: text })).toEqual({ url: text });
	});

	it('is refused with its place when it is damaged', async () => {
		const answer = await post(JSON.stringify({ files: [{ url: bare }, { url: `${bare}*` }] }), taking);
		expect(await errorOf(answer)).toMatchObject({ status: 400, param: 'files[1].url' });
	});

	it('is passed on damaged where the route allows that, with the members after it', async () => {
		const seen: unknown[] = [];
		const keeping = defineRoute({
			...any,
			spoolDataUrls: { bare: ['url'], keepDamaged: true },
			handler: async ({ body }) => {
				for (const value of body as { url: unknown }[]) {
					try {
						const document = documentFromField(value.url, 'url');
						seen.push(isUpload(document) ? await describeValue(document) : document);
					} catch (error) {
						seen.push((error as Error).message);
					}
				}
				return {};
			},
		});
		const tempFiles = await privateTemp();
		const body = [{ url: bare }, { url: `${bare}*` }, { url: `data:;base64,${bare}=A` }, { url }];
		expect((await post(JSON.stringify(body), keeping)).status).toBe(200);
		const damaged = expect.stringContaining('url: the data is not valid base64.');
		expect(seen).toEqual([fileOf(photo), damaged, damaged, fileOf(photo)]);
		expect(await tempFiles()).toEqual([]);
		const large = await post(JSON.stringify([{ url: 'A'.repeat(600_000) }]), keeping);
		expect(await errorOf(large)).toMatchObject({ status: 413, param: '[0].url' });
	});
});

describe('an invalid long data URL', () => {
	const long = 'A'.repeat(80_000);
	it.each<[string, string, number, string, RegExp]>([
		['a damaged character', `${url.slice(0, 70_000)}*${url.slice(70_001)}`, 400, 'invalid_value', /not valid base64/],
		[
			'a character that only looks like a digit',
			`${url.slice(0, 70_000)}Ł${url.slice(70_001)}`,
			400,
			'invalid_value',
			/not valid base64/,
		],
		['padding in the middle', `data:;base64,${long}==${long}`, 400, 'invalid_value', /not valid base64/],
		['three paddings', `data:;base64,${long}===`, 400, 'invalid_value', /not valid base64/],
		['one digit too many', `data:;base64,${long}A`, 400, 'invalid_value', /not valid base64/],
		['no data at all', `data:;base64,${'='.repeat(80_000)}`, 400, 'invalid_value', /base64/],
		['too many bytes', urlOf(Buffer.alloc(maxFile + 1)), 413, 'request_too_large', /more than 400000 bytes/],
	])('with %s is refused with its place', async (_, bad, status, code, message) => {
		const tempFiles = await privateTemp();
		const images = [{ image_url: url }, {}, null, { image_url: bad }, { image_url: url }];
		const error = await errorOf(await post(JSON.stringify({ images })));
		expect(error).toMatchObject({ status, code, param: 'images[3].image_url' });
		expect(error.message).toMatch(message);
		expect(error.message.length).toBeLessThan(200);
		expect(await tempFiles()).toEqual([]);
	});

	it('of exactly the maximum size is accepted', async () => {
		const bytes = Buffer.alloc(maxFile, 7);
		expect(await describeBody(JSON.stringify([urlOf(bytes)]))).toEqual([fileOf(bytes)]);
	});

	it('is refused without a param when it is the whole body', async () => {
		const error = await errorOf(await post(JSON.stringify(`${url}*`)));
		expect(error).toMatchObject({ status: 400, code: 'invalid_value', param: null });
		expect(error.message).toMatch(/^The body: /);
	});

	it.each<[string, string]>([
		['a bare line break', `{"a":"${url}\n"}`],
		['an unknown escape', `{"a":"${url}\\x"}`],
		['half an escape', `{"a":"${url}\\u00"}`],
		['a break-off', `{"a":"${url}`],
		['a break-off in an escape', `{"a":"${url}\\u00`],
		['a broken end', `{"a":"${url}"`],
		['a damaged character, and then a bare NUL', `{"a":"${url}*${url}\0"}`],
		['a key that could reach a prototype', `{"__proto__":"${url}"}`],
	])('is malformed JSON with %s', async (_, body) => {
		const tempFiles = await privateTemp();
		const error = await errorOf(await post(body));
		expect(error).toMatchObject({ status: 400, code: 'invalid_body', param: null });
		expect(await tempFiles()).toEqual([]);
	});

	it('is refused with bytes that are not UTF-8', async () => {
		const body = Buffer.concat([Buffer.from(`{"a":"${url}`), Buffer.from([0xff]), Buffer.from('"}')]);
		expect(await errorOf(await post(body))).toMatchObject({ code: 'invalid_body' });
	});

	it('counts with the number of sent bytes', async () => {
		const small = defineRoute({ ...any, limits: { json: 100_000, file: maxFile } });
		const stream = (text: string) => new Blob([text]).stream();
		expect((await post(stream(JSON.stringify(url)), small)).status).toBe(200);
		expect(await errorOf(await post(stream(JSON.stringify([url, url])), small))).toMatchObject({
			status: 413,
			code: 'request_too_large',
			param: null,
		});
	});
});

describe('a JSON document with long data URLs', () => {
	// No backslash beside a quote: JSON.parse of V8 13.6 confuses two such keys once it has seen both.
	const words = fc.constantFrom('a', 'b', 'toString', '"', 'é😀', '');
	const digits = fc
		.tuple(fc.nat({ max: 3 }), fc.constantFrom('', '', '', '=', '==', '===', 'A', '*', '\n', '\u0141'))
		.map(([size, end]) => urlOf(Buffer.alloc(52_000 + size, 'random bytes')).replace(/=*$/, end));
	const strings = fc.oneof(
		{ weight: 3, arbitrary: digits },
		{ weight: 1, arbitrary: fc.constant(`data:,${'/'.repeat(66_000)}`) },
		{ weight: 3, arbitrary: anyText() },
	);
	const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
		tree: fc.oneof(
			{ maxDepth: 3 },
			strings,
			fc.jsonValue({ maxDepth: 0 }),
			fc.array(tie('tree'), { maxLength: 3 }),
			fc.dictionary(words, tie('tree'), { maxKeys: 3 }),
		),
	}));

	const escapes = Array.from({ length: 128 }, (_, code) =>
		code === 0x2f ? '\\/' : `\\u00${code.toString(16).toUpperCase()}`,
	);

	/** JSON in which some characters are escaped unnecessarily. */
	const spelled = (value: unknown, period: number) => {
		if (period === 0) return JSON.stringify(value);
		let count = 0;
		const letter = (found: string) =>
			found.length > 1 || ++count % period !== 0 ? found : (escapes[found.charCodeAt(0)] as string);
		return JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"/g, (literal) =>
			literal.replace(/\\u[0-9a-f]{4}|\\.|[A-Za-z/+:;,]/g, letter),
		);
	};

	/** The expected result for a parsed value: the value with files, or the place of the first refusal. */
	function expected(value: unknown, path: string): unknown {
		if (typeof value === 'string') {
			if (value.length <= 65_536 || dataStart(value) === undefined) return value;
			try {
				return fileOf(decodeDataUrl(value));
			} catch (error) {
				if (error instanceof DataUrlError) throw new Refused(path);
				throw error;
			}
		}
		if (Array.isArray(value)) return value.map((item, at) => expected(item, `${path}[${at}]`));
		if (typeof value !== 'object' || value === null) return value;
		return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expected(item, `${path}.${key}`)]));
	}

	class Refused extends Error {}

	async function outcome(work: () => Promise<unknown>): Promise<unknown> {
		try {
			return { value: await work() };
		} catch (error) {
			if (error instanceof Refused) return { refused: error.message.replace(/^\./, '') };
			const { code, param = '' } = error as { code?: string; param?: string };
			if (code !== 'E_VALUE_INVALID') throw error;
			return { refused: param };
		}
	}

	/** The body reader without a server. */
	async function read(pieces: Iterable<Buffer>, options: SpoolOptions = {}): Promise<unknown> {
		const koa = new Koa();
		const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
		const stream = Readable.from(pieces, { objectMode: false });
		const req = Object.assign(stream, { method: 'POST', url: '/', headers });
		const ctx = koa.createContext(req as never, {} as never);
		const files = new JsonFiles({ ...httpLimits, file: maxFile }, options);
		try {
			const { signal } = new AbortController();
			return await describeValue(files.restore(await readJson(ctx, ctx.req, 209_715_200, signal, files)));
		} finally {
			await files.remove();
		}
	}

	it('equals the result of JSON.parse and a decoder, for any spelling and any split', {
		timeout: 60_000,
	}, async () => {
		const tempFiles = await privateTemp();
		let [files, refusals] = [0, 0];
		const sizes = fc.array(fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 70_000 })), {
			minLength: 1,
		});
		const periods = fc.constantFrom(0, 0, 1, 2, 1_000);
		await fc.assert(
			fc.asyncProperty(tree, sizes, periods, async (value, cuts, period) => {
				const bytes = Buffer.from(spelled(value, period));
				// JSON has no -0.
				const expectedOutcome = await outcome(async () => expected(JSON.parse(JSON.stringify(value)), ''));
				expect(await outcome(() => read(piecesOf(bytes, cuts)))).toEqual(expectedOutcome);
				if ('refused' in (expectedOutcome as object)) refusals++;
				else if (JSON.stringify(expectedOutcome).includes('a file ')) files++;
			}),
			{ numRuns: 300 },
		);
		expect(files).toBeGreaterThan(10);
		expect(refusals).toBeGreaterThan(10);
		expect(await tempFiles()).toEqual([]);
	});

	it('may arrive byte by byte', { timeout: 30_000 }, async () => {
		const text = JSON.stringify({ a: 'dat', b: [url.replaceAll('/', '\u0141'), url] });
		const good = text.replaceAll('\u0141', '\\/').replaceAll('data', '\\u0064ata');
		expect(await read(piecesOf(Buffer.from(good), [1]))).toEqual({
			a: 'dat',
			b: [fileOf(photo), fileOf(photo)],
		});
	});

	it('may arrive in pieces of any size when it contains only base64', {
		timeout: 30_000,
	}, async () => {
		const bytes = photo.subarray(0, 49_500);
		const bare = bytes.toString('base64');
		const body = {
			file_data: bare,
			files: [{ name: bare, file_data: bare }, bare],
			x: 'file_data',
		};
		const file = fileOf(bytes);
		for (const size of [1, 5, 4_099]) {
			const pieces = piecesOf(Buffer.from(JSON.stringify(body)), [size]);
			expect(await read(pieces, { bare: ['file_data'] })).toEqual({
				file_data: file,
				files: [{ name: bare, file_data: file }, bare],
				x: 'file_data',
			});
		}
	});

	function* piecesOf(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
		for (let at = 0, turn = 0; at < bytes.length; turn++) {
			const size = 1 + (sizes[turn % sizes.length] ?? 0) - (sizes.length === 1 ? 1 : 0);
			yield bytes.subarray(at, at + Math.max(1, size));
			at += Math.max(1, size);
		}
	}
});

describe('the cost of a document', () => {
	it('is zero when its strings are short', async () => {
		const tempFiles = await privateTemp();
		const files = new JsonFiles({ ...httpLimits, file: maxFile });
		const texts = Array.from({ length: 2_000 }, (_, index) => `data:;base64,AAAA${index}`);
		const chunk = Buffer.from(JSON.stringify({ texts }));
		const passed = await files.pass(chunk);
		// The same memory: nothing was extracted, copied or joined.
		expect([passed.buffer, passed.byteOffset, passed.length]).toEqual([chunk.buffer, chunk.byteOffset, chunk.length]);
		const body = { texts };
		expect(files.restore(body)).toBe(body);
		expect(await tempFiles()).toEqual([]);
	});

	it('is limited by the number of its files', async () => {
		const tempFiles = await privateTemp();
		const files = new JsonFiles({ ...httpLimits, files: 2 });
		const file = JSON.stringify(urlOf(randomBytes(60_000)));
		await files.pass(Buffer.from(`[${file},${file}`));
		await expect(files.pass(Buffer.from(`,${file}]`))).rejects.toMatchObject({
			code: 'E_BODY_TOO_LARGE',
			message: expect.stringContaining('2 files'),
		});
		await files.remove();
		expect(await tempFiles()).toEqual([]);
	});

	it('is limited by the text outside of its files', async () => {
		const tempFiles = await privateTemp();
		const files = new JsonFiles({ ...httpLimits, file: maxFile, allFields: 100_000 });
		const file = urlOf(randomBytes(200_000));
		// Of the file, only its placeholder counts.
		await files.pass(Buffer.from(`[${JSON.stringify(file)},"${'x'.repeat(90_000)}`));
		await expect(files.pass(Buffer.from('x'.repeat(10_000)))).rejects.toMatchObject({
			code: 'E_BODY_TOO_LARGE',
		});
		await files.remove();
		expect(await tempFiles()).toEqual([]);
	});

	it('stays low in memory and blocking time for 150 MB', { timeout: 60_000 }, async () => {
		const large = defineRoute({
			...any,
			limits: { json: 209_715_200 },
			handler: ({ body }) => (body as { size: number }[]).map(({ size }) => size),
		});
		const { url: server } = await listening([large]);
		const digits = Buffer.alloc(262_144, 'A');
		const sending = httpRequest(`${server}/v1/any`, { method: 'POST', headers: head });
		const answered = once(sending, 'response');
		const watch = watchProcess();
		for (let count = 0; count < 3; count++) {
			sending.write(`${count === 0 ? '[' : ','}"data:;base64,`);
			for (let sent = 0; sent < 50_331_648; sent += digits.length) {
				if (!sending.write(digits)) await once(sending, 'drain');
			}
			sending.write('"');
		}
		sending.end(']');
		const [answer] = (await answered) as [IncomingMessage];
		const { memory, longest } = watch();
		expect(answer.statusCode).toBe(200);
		expect(await json(answer)).toEqual(Array(3).fill((50_331_648 / 4) * 3));
		expect(memory).toBeLessThan(60_000_000);
		expect(longest).toBeLessThan(150);
	});
});

/**
 * Watches the process until the returned function is called, which returns the growth of its memory in bytes and the
 * longest time in milliseconds in which no timer ran.
 */
function watchProcess(): () => { readonly memory: number; readonly longest: number } {
	const before = process.memoryUsage.rss();
	let [memory, longest, last] = [0, 0, worked()];
	const timer = setInterval(() => {
		const now = worked();
		longest = Math.max(longest, now - last);
		last = now;
		memory = Math.max(memory, process.memoryUsage.rss() - before);
	}, 5);
	return () => {
		clearInterval(timer);
		return { memory, longest };
	};
}

describe('a body with files', () => {
	const half = `{"a":"${url}","b":"${urlOf(randomBytes(300_000)).slice(0, 300_000)}`;
	const framing = { ...head, 'content-length': '1000000' };

	it('that is interrupted leaves no files', async () => {
		const tempFiles = await privateTemp();
		const { port, http, lines } = await listening([any]);
		for (const cut of [half, half.slice(0, 90_000), half.slice(0, 40_000)]) {
			const raw = await rawConnection(port);
			await raw.write(request('POST /v1/any', framing, cut));
			await eventually(() => http.pipeline.inFlight === 1);
			if (cut === half) await eventually(async () => (await tempFiles()).length === 1);
			raw.socket.resetAndDestroy();
			await eventually(() => http.pipeline.inFlight === 0);
			expect(await tempFiles()).toEqual([]);
		}
		expect(lines.map(({ level, fields }) => [level, fields.status])).toEqual(Array(3).fill(['info', 499]));
	});

	it('that stalls ends at the deadline and leaves no files', async () => {
		const tempFiles = await privateTemp();
		const { port, clock, http } = await listening([defineRoute({ ...any, timeoutMs: 5_000 })]);
		const raw = await rawConnection(port);
		await raw.write(request('POST /v1/any', framing, half));
		await eventually(async () => (await tempFiles()).length === 1);
		await clock.advance(5_000);
		expect(await raw.until(/}$/)).toMatch(/^HTTP\/1.1 408 [\s\S]*request_timeout/);
		expect(await tempFiles()).toEqual([]);
		await clock.advance(2_000);
		await raw.closed;
		await eventually(() => http.pipeline.inFlight === 0);
	});

	it('that cannot be written to disk gets a 500 and does not hang', async () => {
		const before = process.env.TMPDIR;
		process.env.TMPDIR = '/nowhere/at/all';
		const answer = await post(JSON.stringify([url, urlOf(randomBytes(300_000))]));
		if (before === undefined) delete process.env.TMPDIR;
		else process.env.TMPDIR = before;
		expect((await errorOf(answer)).status).toBe(500);
	});
});

describe('a file on a full disk', () => {
	it('rejects its sender, both while waiting and while writing', async () => {
		const handle = {
			writev: async () => {
				throw Object.assign(new Error('full'), { code: 'ENOSPC' });
			},
			close: async () => {},
		};
		const create = async () => new SpoolFile('/nowhere/at/all', handle as unknown as FileHandle, true);
		const file = new IncomingFile(Object.assign(new Spool(), { create }), 1_000_000);
		const refused = { code: 'E_STORE_FULL' };
		// The write itself continues.
		await file.write('A'.repeat(400_000));
		await expect(file.write('A'.repeat(400_000))).rejects.toMatchObject(refused);
		await expect(file.end()).rejects.toMatchObject(refused);
		await file.remove();
	});
});
