import { createHash, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { fileField, isUpload, type UploadedFile } from '../../../src/contract/http/upload.ts';
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
} from '../support.ts';

const png = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

/** Describes what the handler received, with metadata and a hash in place of files. */
async function describeValue(value: unknown): Promise<unknown> {
	if (isUpload(value)) {
		const { filename, size, sha256, mediaType } = value;
		const read = createHash('sha256')
			.update(await value.bytes())
			.digest('hex');
		const streamed = createHash('sha256');
		for await (const chunk of value.stream()) streamed.update(chunk);
		return {
			filename,
			size,
			mediaType,
			same: read === sha256 && streamed.digest('hex') === sha256,
		};
	}
	if (Array.isArray(value)) return Promise.all(value.map(describeValue));
	if (typeof value !== 'object' || value === null) return value;
	const members = Object.entries(value).map(async ([key, member]) => [key, await describeValue(member)]);
	return Object.fromEntries(await Promise.all(members));
}

const any = defineRoute({
	method: 'POST',
	path: '/v1/any',
	scope: 'authenticated',
	summary: 's',
	encoding: 'multipart',
	limits: {
		file: 100_000,
		files: 3,
		field: 1_000,
		multipart: 1_000_000,
		fieldsEndingIn: { '[image_url]': 5_000 },
	},
	body: z.looseObject({}),
	response: { description: 'x' },
	errors: [],
	handler: async ({ body }) => describeValue(body),
});

const typed = defineRoute({
	...any,
	path: '/v1/typed',
	encoding: ['json', 'multipart'],
	body: z.object({
		prompt: z.string(),
		n: z.coerce.number().int().optional(),
		image: fileField({ maxBytes: 1_000 })
			.refine(({ mediaType }) => mediaType === 'image/png', { error: 'the file must be one of image/png' })
			.optional(),
	}),
});

const routes = [any, typed];

const boundary = 'xyzboundary';
const contentType = `multipart/form-data; boundary=${boundary}`;

type Part = readonly [disposition: string, content: string | Uint8Array, type?: string];

function form(...parts: readonly Part[]): Buffer<ArrayBuffer> {
	const chunks = parts.flatMap(([disposition, content, type]) => [
		Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`),
		Buffer.from(type ? `content-type: ${type}\r\n\r\n` : '\r\n'),
		Buffer.from(content as string),
		Buffer.from('\r\n'),
	]);
	return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
}

const field = (name: string, value: string): Part => [`name="${name}"`, value];
const file = (name: string, content: string | Uint8Array, filename = 'f.bin'): Part => [
	`name="${name}"; filename="${filename}"`,
	content,
	'application/octet-stream',
];

function post(body: Sent, path = '/v1/any', type = contentType): Promise<Response> {
	return testServer(routes).send(path, {
		method: 'POST',
		body,
		headers: { 'content-type': type },
		duplex: 'half',
	} as RequestInit);
}

describe('a form', () => {
	it('folds field names, keeps the order and nests brackets', async () => {
		const answer = await post(
			form(
				file('image[]', png, 'a.png'),
				field('tags[]', 'x'),
				file('image[1]', 'plain', '../../etc/b.txt'),
				field('tags[1]', 'y'),
				field('one[]', 'z'),
				field('input_reference[image_url]', 'data:,'),
				field('input_reference[detail][level]', 'low'),
				field('prompt', 'häß 😀'),
				field('constructor', 'c'),
				field('odd]name', 'o'),
			),
		);
		expect(await answer.json()).toEqual({
			image: [
				{ filename: 'a.png', size: png.length, mediaType: 'image/png', same: true },
				{ filename: 'b.txt', size: 5, mediaType: 'application/octet-stream', same: true },
			],
			tags: ['x', 'y'],
			one: 'z',
			input_reference: { image_url: 'data:,', detail: { level: 'low' } },
			prompt: 'häß 😀',
			constructor: 'c',
			'odd]name': 'o',
		});
	});

	it('that fetch encodes is accepted, also over a port, without a length and in small pieces', async () => {
		const tempFiles = await privateTemp();
		const data = new FormData();
		data.set('image', new Blob([png], { type: 'text/html' }), 'x.html');
		data.set('prompt', 'p');
		const expected = {
			prompt: 'p',
			image: { filename: 'x.html', size: png.length, mediaType: 'image/png', same: true },
		};
		const { url } = await listening(routes);
		const answer = await fetch(`${url}/v1/typed`, { method: 'POST', body: data, headers: auth });
		expect(await answer.json()).toEqual(expected);
		const { port } = await listening(routes);
		const raw = await rawConnection(port);
		await raw.write(
			request('POST /v1/any', {
				...auth,
				'content-type': contentType,
				'transfer-encoding': 'chunked',
				connection: 'close',
			}),
		);
		for (const byte of form(field('a', '1'), file('f', 'zz')))
			await raw.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]));
		await raw.write('0\r\n\r\n');
		await raw.closed;
		expect(raw.text).toMatch(/^HTTP\/1.1 200 [\s\S]*"a":"1","f":{"filename":"f.bin","size":2/);
		expect(await tempFiles()).toEqual([]);
	});

	it('recognizes a file without a name by its content type, and a text too', async () => {
		const answer = await post(
			form(
				['name="image"', png, 'image/png'],
				['name="data"', 'plain'],
				['name="note"', 'text', 'text/plain; charset=utf-8'],
				['name="json"', '{}', 'application/json'],
			),
		);
		expect(await answer.json()).toEqual({
			image: { filename: '', size: png.length, mediaType: 'image/png', same: true },
			data: 'plain',
			note: 'text',
			json: '{}',
		});
	});

	it('accepts empty files, empty values, empty forms and a preamble', async () => {
		const answer = await post(form(file('f', '', 'empty.png'), field('v', '')));
		expect(await answer.json()).toEqual({
			f: { filename: 'empty.png', size: 0, mediaType: 'application/octet-stream', same: true },
			v: '',
		});
		expect(await (await post(form())).json()).toEqual({});
		expect((await post(Buffer.concat([Buffer.from('hello\r\n'), form(field('a', 'b'))]))).status).toBe(200);
	});

	it('treats an empty file input as absent', async () => {
		const answer = await post(form(file('f', '', ''), field('v', 'x')));
		expect(await answer.json()).toEqual({ v: 'x' });
	});

	it('stores files that only this user can read, until the handler has settled', async () => {
		const tempFiles = await privateTemp();
		let kept: UploadedFile | undefined;
		const peek = defineRoute({
			...any,
			handler: async ({ body }) => {
				kept = (body as { f: UploadedFile }).f;
				const [folder = ''] = await tempFiles();
				const modes = await Promise.all(
					[folder, join(folder, '0')].map(async (path) => (await stat(join(tmpdir(), path))).mode & 0o777),
				);
				return { folder, modes };
			},
		});
		const { send } = testServer([peek]);
		const answer = await send('/v1/any', {
			method: 'POST',
			body: form(file('f', 'x')),
			headers: { 'content-type': contentType },
		});
		expect(await answer.json()).toEqual({
			folder: expect.stringMatching(/^plinth-/),
			modes: [0o700, 0o600],
		});
		expect(await tempFiles()).toEqual([]);
		await expect(kept?.bytes()).rejects.toThrow('ENOENT');
	});

	it('may contain text that the schema turns into numbers', async () => {
		const answer = await post(form(field('prompt', 'p'), field('n', '3')), '/v1/typed');
		expect(await answer.json()).toEqual({ prompt: 'p', n: 3 });
	});

	it.each([
		['text where a file is wanted', [field('prompt', 'p'), field('image', 'x')], 400, 'invalid_type', 'image'],
		['a file where text is wanted', [file('prompt', 'x')], 400, 'invalid_type', 'prompt'],
		['a number that is none', [field('prompt', 'p'), field('n', 'x')], 400, 'invalid_type', 'n'],
		['a file of another type', [field('prompt', 'p'), file('image', 'GIF89a')], 400, 'invalid_value', 'image'],
		[
			'a file above the field’s limit',
			[field('prompt', 'p'), file('image', Buffer.concat([png, Buffer.alloc(1000)]))],
			413,
			'request_too_large',
			'image',
		],
		['nothing', [], 400, 'missing_required_parameter', 'prompt'],
	] as const)('with %s is refused by the schema', async (_, parts, status, code, param) => {
		const tempFiles = await privateTemp();
		const answer = await post(form(...parts), '/v1/typed');
		expect(await errorOf(answer)).toMatchObject({ code, param });
		expect(answer.status).toBe(status);
		expect(await tempFiles()).toEqual([]);
	});

	const many = (count: number, make: (i: number) => Part) => Array.from({ length: count }, (_, i) => make(i));
	const big = Buffer.alloc(100_001, 1);
	const good = form(file('f', randomBytes(5_000)), field('a', 'b'));
	const refused: readonly (readonly [string, Buffer<ArrayBuffer>, number, string, string?])[] = [
		['cut in the middle of a file', good.subarray(0, 3_000), 400, 'invalid_body'],
		['cut in the headers of a part', good.subarray(0, 40), 400, 'invalid_body'],
		['cut before its end', good.subarray(0, -6), 400, 'invalid_body'],
		[
			'with another boundary',
			Buffer.from(good.toString('latin1').replaceAll(boundary, 'other'), 'latin1'),
			400,
			'invalid_body',
		],
		['with one file too many', form(...many(4, (i) => file(`f${i}`, 'x'))), 413, 'request_too_large'],
		['with one field too many', form(...many(49, (i) => field(`f${i}`, 'x'))), 413, 'request_too_large'],
		['with 10,000 parts', form(...many(10_000, () => ['name=f', 'x'])), 413, 'request_too_large'],
		['with a file above its limit', form(file('images[0]', big)), 413, 'request_too_large', 'images'],
		['with a field above its limit', form(field('f', 'x'.repeat(1_001))), 413, 'request_too_large', 'f'],
		[
			'with a field above its own limit',
			form(field('a[image_url]', 'x'.repeat(5_001))),
			413,
			'request_too_large',
			'a.image_url',
		],
		[
			'above the limit of the body',
			form(...many(3, (i) => file(`f${i}`, big.subarray(1))), ['name=p', Buffer.alloc(800_000)]),
			413,
			'request_too_large',
		],
		['with a field __proto__', form(field('__proto__', 'x')), 400, 'unknown_parameter', '__proto__'],
		['with a field __proto__[x]', form(field('__proto__[x]', 'x')), 400, 'unknown_parameter', '__proto__[x]'],
		['with a field a[__proto__]', form(field('a[__proto__]', 'x')), 400, 'unknown_parameter', 'a[__proto__]'],
		['with a large file __proto__', form(file('__proto__', big)), 400, 'unknown_parameter', '__proto__'],
		['with a file __proto__', form(file('__proto__', 'x')), 400, 'unknown_parameter', '__proto__'],
		['with a nameless field', form(['', 'x']), 400, 'unknown_parameter'],
		['with endless brackets', form(field(`a${'[b]'.repeat(30)}`, 'x')), 400, 'unknown_parameter'],
		[
			'with a field that is both value and object',
			form(field('a', 'x'), field('a[b]', 'y')),
			400,
			'invalid_value',
			'a',
		],
	];
	it.each(refused.map(([name, ...rest]) => ({ name, rest })))(
		'$name is refused, and no file is tempFiles',
		async ({ rest }) => {
			const [body, status, code, param] = rest;
			const tempFiles = await privateTemp();
			const error = await errorOf(await post(body));
			expect(error).toMatchObject({ status, code });
			if (param !== undefined) expect(error.param).toBe(param);
			expect(await tempFiles()).toEqual([]);
			expect(({} as { x?: unknown }).x).toBeUndefined();
		},
	);

	it('accepts a field up to the limit of the field', async () => {
		const answer = await post(form(field('a[image_url]', 'x'.repeat(5_000))));
		expect(answer.status).toBe(200);
	});

	it.each(['multipart/form-data', 'multipart/form-data; boundary='])('with the type %s is refused', async (type) => {
		const answer = await post(form(), '/v1/any', type);
		expect([answer.status, (await errorOf(answer)).code]).toEqual([400, 'invalid_body']);
	});

	// A search with backtracking would exceed the time limit of the test.
	it('with a boundary that is slow to search for is read to its end', async () => {
		const long = 'a'.repeat(252);
		const answer = await post(
			Buffer.from(`--${'a'.repeat(251)}`.repeat(3_000)),
			'/v1/any',
			`multipart/form-data; boundary=${long}`,
		);
		expect(answer.status).toBe(400);
	});

	it('with a part header __proto__ and with a flood of headers does no harm', async () => {
		const flood = Array.from({ length: 5_000 }, (_, i) => `x-${i}: y`).join('\r\n');
		const body = `--${boundary}\r\n__proto__: x\r\ncontent-disposition: form-data; name="a"\r\n${flood}\r\n\r\nb\r\n--${boundary}--\r\n`;
		const answer = await post(body);
		expect([answer.status, await answer.json()]).toEqual([200, { a: 'b' }]);
	});

	it('that the server cannot store gets a 500', async () => {
		await privateTemp();
		process.env.TMPDIR = '/nowhere';
		const { send, lines } = testServer(routes);
		const answer = await send('/v1/any', {
			method: 'POST',
			body: form(file('f', 'x'.repeat(70_000)), field('a', 'b')),
			headers: { 'content-type': contentType },
		});
		expect(answer.status).toBe(500);
		expect(lines[0]?.fields.err).toMatchObject({ code: 'ENOENT' });
	});

	it('is read correctly in ten requests at the same time', async () => {
		const tempFiles = await privateTemp();
		const { send } = testServer(routes);
		const answers = await Promise.all(
			Array.from({ length: 10 }, (_, i) =>
				send('/v1/any', {
					method: 'POST',
					headers: { 'content-type': contentType },
					body: form(file('f', Buffer.alloc(50_000 + i, i))),
				}).then((answer) => answer.json() as Promise<{ f: { size: number; same: boolean } }>),
			),
		);
		expect(answers.map(({ f }) => [f.size, f.same])).toEqual(Array.from({ length: 10 }, (_, i) => [50_000 + i, true]));
		expect(await tempFiles()).toEqual([]);
	});
});

describe('an upload over a real connection', () => {
	it('above the limit is refused by its Content-Length before it is read', async () => {
		const { port, http } = await listening(routes);
		const raw = await rawConnection(port);
		await raw.write(
			request('POST /v1/any', {
				...auth,
				'content-type': contentType,
				'content-length': '1000001',
			}),
		);
		expect(await raw.until(/}$/)).toMatch(/^HTTP\/1.1 413 [\s\S]*1000000 bytes/);
		raw.socket.destroy();
		await eventually(() => http.pipeline.inFlight === 0);
	});

	it('above the limit without a length lets the client finish sending and read the 413', async () => {
		const tempFiles = await privateTemp();
		const { url, port } = await listening(routes);
		const raw = await rawConnection(port);
		await raw.write(
			request('POST /v1/any', {
				...auth,
				'content-type': contentType,
				'transfer-encoding': 'chunked',
			}),
		);
		await raw.write(`5\r\n--${boundary.slice(0, 3)}\r\n`);
		// A client that writes everything before it reads: 8 MB above the limit.
		const chunk = Buffer.alloc(65_536);
		for (let i = 0; i < 128; i++) {
			await raw.write(Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')]));
		}
		await raw.write('0\r\n\r\n');
		await raw.closed;
		expect(raw.text).toMatch(/^HTTP\/1.1 413 [\s\S]*request_too_large/);
		expect(await tempFiles()).toEqual([]);
		expect((await fetch(`${url}/healthz`)).status).toBe(200);
	});

	it('that is interrupted leaves no file and no error in the log, and the process continues', async () => {
		const tempFiles = await privateTemp();
		const { port, http, lines, url } = await listening(routes);
		const body = form(field('a', 'b'), file('f', Buffer.alloc(90_000, 7)));
		for (const cut of [10, 100, 200, 5_000, 60_000]) {
			const raw = await rawConnection(port);
			await raw.write(
				request('POST /v1/any', {
					...auth,
					'content-type': contentType,
					'content-length': String(body.length),
				}),
			);
			await raw.write(body.subarray(0, cut));
			await eventually(() => http.pipeline.inFlight === 1);
			if (cut === 60_000) await eventually(async () => (await tempFiles()).length === 1);
			raw.socket.resetAndDestroy();
			await eventually(() => http.pipeline.inFlight === 0);
		}
		await eventually(() => lines.length === 5);
		expect(lines.map(({ level, fields }) => [level, fields.status])).toEqual(Array(5).fill(['info', 499]));
		expect(await tempFiles()).toEqual([]);
		expect((await fetch(`${url}/healthz`)).status).toBe(200);
	});

	it.each([
		['no boundary', 'multipart/form-data'],
		['a long boundary', `multipart/form-data; boundary=${'b'.repeat(300)}`],
	])('with %s in its type is refused with advice', async (_, type) => {
		const body = form(field('a', 'b'));
		const headers = { 'content-type': type };
		expect(await errorOf(await testServer(routes).send('/v1/any', { method: 'POST', body, headers }))).toMatchObject({
			code: 'invalid_body',
			message: expect.stringMatching(/has no valid boundary\. Let your HTTP library set this header/),
		});
	});

	it('that stalls ends at the deadline with a 408', async () => {
		const tempFiles = await privateTemp();
		const { port, clock, http } = await listening([defineRoute({ ...any, timeoutMs: 5_000 })]);
		const raw = await rawConnection(port);
		const body = form(file('f', Buffer.alloc(90_000, 7)));
		await raw.write(
			request('POST /v1/any', {
				...auth,
				'content-type': contentType,
				'content-length': String(body.length),
			}),
		);
		await raw.write(body.subarray(0, 60_000));
		await eventually(async () => (await tempFiles()).length === 1);
		await clock.advance(5_000);
		expect(await raw.until(/}$/)).toMatch(/^HTTP\/1.1 408 [\s\S]*not finished within 5 seconds[\s\S]*request_timeout/);
		await clock.advance(2_000);
		await raw.closed;
		await eventually(() => http.pipeline.inFlight === 0);
		expect(await tempFiles()).toEqual([]);
	});

	it('gets a 100 Continue when the client waits for it', async () => {
		const { port } = await listening(routes);
		const raw = await rawConnection(port);
		const body = form(field('a', 'b'));
		await raw.write(
			request('POST /v1/any', {
				...auth,
				expect: '100-continue',
				'content-type': contentType,
				'content-length': String(body.length),
				connection: 'close',
			}),
		);
		await raw.until(/^HTTP\/1.1 100 Continue\r\n\r\n/);
		await raw.write(body);
		await raw.closed;
		expect(raw.text).toMatch(/HTTP\/1.1 200 [\s\S]*{"a":"b"}$/);
	});
});
