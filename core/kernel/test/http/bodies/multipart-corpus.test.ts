import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { isUpload } from '../../../src/contract/http/upload.ts';
import { auth, eventually, listening, privateTemp, rawConnection, request, type TestServer } from '../support.ts';

const route = defineRoute({
	method: 'POST',
	path: '/v1/form',
	scope: 'authenticated',
	summary: 's',
	encoding: 'multipart',
	limits: { fieldsEndingIn: { '[image_url]': 22_020_096 } },
	body: z.looseObject({}),
	response: { description: 'x' },
	errors: [],
	// It ignores all files: an error without a listener must not end the process either.
	handler: ({ body }) => {
		const shown = Object.entries(body as object).map(([name, value]) => [
			name,
			isUpload(value) ? `${value.filename}:${value.size}` : value,
		]);
		return { fields: Object.fromEntries(shown) };
	},
});

type Served = TestServer & { readonly port: number; readonly url: string };

const type = (boundary: string) => `multipart/form-data; boundary=${boundary}`;
const field = (name: string, value: string, boundary = 'b') =>
	`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, content: string, boundary = 'b') =>
	`--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="f.bin"\r\ncontent-type: image/png\r\n\r\n${content}\r\n`;
const end = '--b--\r\n';
const times = (count: number, make: (index: number) => string) =>
	Array.from({ length: count }, (_, index) => make(index)).join('');

interface Sent {
	readonly body: string;
	readonly type?: string;
	/** The Content-Length of the head, if it is not the actual one. */
	readonly length?: number;
	/** Whether the client closes its side after the body. */
	readonly leaves?: boolean;
}

/**
 * Sends a form over a socket and reads until the server closes it. If the client disconnects, waits until the request
 * has ended.
 */
async function post({ port, http }: Served, sent: Sent): Promise<string> {
	const body = Buffer.from(sent.body, 'latin1');
	const raw = await rawConnection(port);
	await raw.write(
		request('POST /v1/form', {
			...auth,
			connection: 'close',
			'content-type': sent.type ?? type('b'),
			'content-length': String(sent.length ?? body.length),
		}),
	);
	raw.socket.write(body);
	if (sent.leaves) raw.socket.end();
	await raw.closed;
	await eventually(() => http.pipeline.inFlight === 0);
	return raw.text;
}

function expectRefusal(answer: string, status: number, code: string, param?: string | null): void {
	const [head = '', text = ''] = answer.split('\r\n\r\n');
	expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
	const { error } = JSON.parse(text) as { error: Record<string, unknown> };
	expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code']);
	expect(error.code).toBe(code);
	if (param !== undefined) expect(error.param).toBe(param);
	expect(String(error.message).length).toBeLessThan(400);
}

const refused: Readonly<Record<string, readonly [Sent, number, string, (string | null)?]>> = {
	'a flood of parts': [{ body: times(10_000, () => field('a', 'x')) + end }, 413, 'request_too_large'],
	'a flood of files': [{ body: times(10_000, () => file('a', 'x')) + end }, 413, 'request_too_large'],
	'49 fields': [{ body: times(49, (index) => field(`f${index}`, 'x')) + end }, 413, 'request_too_large'],
	'18 files': [{ body: times(18, (index) => file(`f${index}`, 'x')) + end }, 413, 'request_too_large'],
	'more than 24 MB of fields': [
		{ body: times(2, () => field('a[image_url]', 'x'.repeat(13_000_000))) + end },
		413,
		'request_too_large',
		null,
	],
	'a field above 128 KiB': [{ body: field('a', 'x'.repeat(131_073)) + end }, 413, 'request_too_large', 'a'],
	'a field name of a megabyte': [
		{ body: field('n'.repeat(1_000_000), 'x') + end },
		400,
		'unknown_parameter',
		'n'.repeat(100),
	],
	'a file under a name of 257 characters': [{ body: file('n'.repeat(257), 'x') + end }, 400, 'unknown_parameter'],
	'a field nested 10,000 deep': [{ body: field(`a${'[b]'.repeat(10_000)}`, 'x') + end }, 400, 'unknown_parameter'],
	'a file nested 10,000 deep': [{ body: file(`a${'[b]'.repeat(10_000)}`, 'x') + end }, 400, 'unknown_parameter'],
	'a field __proto__': [{ body: field('__proto__', 'x') + end }, 400, 'unknown_parameter', '__proto__'],
	'a nested field __proto__': [{ body: field('a[__proto__][polluted]', 'x') + end }, 400, 'unknown_parameter'],
	'a field constructor[prototype]': [
		{ body: field('constructor[prototype][polluted]', 'x') + end },
		400,
		'unknown_parameter',
	],
	'no boundary': [{ body: field('a', 'x') + end, type: 'multipart/form-data' }, 400, 'invalid_body'],
	'an empty boundary': [
		{ body: field('a', 'x', '') + end, type: 'multipart/form-data; boundary=""' },
		400,
		'invalid_body',
	],
	'another boundary': [{ body: field('a', 'x') + end, type: type('c') }, 400, 'invalid_body'],
	'a boundary that is slow to search for': [
		{ body: `--${'a'.repeat(251)}`.repeat(20_000), type: type('a'.repeat(252)) },
		400,
		'invalid_body',
	],
	'line ends of LF only': [{ body: (field('a', 'x') + end).replaceAll('\r\n', '\n') }, 400, 'invalid_body'],
	'no last boundary': [{ body: field('a', 'x') }, 400, 'invalid_body'],
	'no last boundary behind a file': [{ body: file('a', 'x') }, 400, 'invalid_body'],
	'an end in the head of a part': [{ body: '--b\r\ncontent-disposition: form-da' }, 400, 'invalid_body'],
	'an end in a file': [{ body: file('a', 'x'.repeat(100_000)).slice(0, -10) }, 400, 'invalid_body'],
	'an end in a boundary': [{ body: `${file('a', 'x'.repeat(1_000))}-` }, 400, 'invalid_body'],
	'a length that cuts the last boundary off': [
		{ body: field('a', 'x') + end, length: field('a', 'x').length + 2 },
		400,
		'invalid_body',
	],
	'the name of a JSON body': [{ body: '{"a":1}' }, 400, 'invalid_body'],
};

const accepted: Readonly<Record<string, readonly [Sent, Record<string, unknown>]>> = {
	'a boundary in quotes': [
		{ body: `${field('a', 'x', "b 'c+(d)/e")}--b 'c+(d)/e--`, type: type('"b \'c+(d)/e"') },
		{ a: 'x' },
	],
	'a boundary in the content': [
		{ body: field('a', '\r--b--\n--b x') + file('f', 'x--b\r\n-b\r--b--') + end },
		{ a: '\r--b--\n--b x', f: 'f.bin:14' },
	],
	'a part header __proto__': [
		{
			body: `--b\r\n__proto__: x\r\nconstructor: y\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n${end}`,
		},
		{ a: 'x' },
	],
	'a header of a megabyte': [
		{
			body: `--b\r\ncontent-disposition: form-data; name="a"\r\nx-long: ${'x'.repeat(1_000_000)}\r\n\r\n1\r\n${end}`,
		},
		{ a: '1' },
	],
	'5,000 headers': [
		{
			body: `--b\r\ncontent-disposition: form-data; name="a"\r\n${times(5_000, (index) => `x-${index}: y\r\n`)}\r\n1\r\n${end}`,
		},
		{ a: '1' },
	],
	'a field name of 256 characters': [{ body: field('n'.repeat(256), 'x') + end }, { ['n'.repeat(256)]: 'x' }],
	'a field name that every object has': [
		{ body: field('toString', 'x') + field('hasOwnProperty', 'y') + end },
		{ toString: 'x', hasOwnProperty: 'y' },
	],
	'the same field twice': [{ body: field('a', '1') + field('a', '2') + file('a', 'xyz') + end }, {}],
	'something behind its end': [{ body: `${field('a', 'x') + end}more` }, { a: 'x' }],
	'files that nobody listens to': [
		{ body: times(17, (index) => file(`f${index}`, 'x'.repeat(70_000))) + end },
		{ f0: 'f.bin:70000', f16: 'f.bin:70000' },
	],
};

describe('a form over a socket', { timeout: 30_000 }, () => {
	let tempFiles: () => Promise<string[]>;
	let before: readonly string[];

	beforeAll(() => {
		before = Object.getOwnPropertyNames(Object.prototype);
	});

	async function expectUnharmed({ url, lines }: Served): Promise<void> {
		expect(await tempFiles()).toEqual([]);
		expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
		expect((await fetch(`${url}/healthz`)).status).toBe(200);
		expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
	}

	it.each(Object.keys(refused))('with %s is refused, and the server continues', async (name) => {
		const [sent, status, code, param] = refused[name] as (typeof refused)[string];
		tempFiles = await privateTemp();
		const served = await listening([route]);
		expectRefusal(await post(served, sent), status, code, param);
		await expectUnharmed(served);
	});

	it.each(Object.keys(accepted))('with %s is accepted', async (name) => {
		const [sent, fields] = accepted[name] as (typeof accepted)[string];
		tempFiles = await privateTemp();
		const served = await listening([route]);
		const answer = await post(served, sent);
		expect(answer).toMatch(/^HTTP\/1.1 200 /);
		const body = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as { fields: object };
		expect(body.fields).toMatchObject(fields);
		await expectUnharmed(served);
	});

	it('that is shorter than its length, from a client that disconnects, does no harm', async () => {
		tempFiles = await privateTemp();
		const served = await listening([route]);
		const body = file('a', 'x'.repeat(70_000));
		await post(served, { body, length: 100_000, leaves: true });
		await expectUnharmed(served);
	});

	it('that is longer than its length cannot hide a second request', async () => {
		tempFiles = await privateTemp();
		const served = await listening([route]);
		const body = field('a', 'x') + end;
		const hidden = request('GET /healthz', { connection: 'close' });
		const answer = await post(served, { body: `${body}${hidden}`, length: body.length });
		expect(answer.match(/HTTP\/1/g)).toHaveLength(1);
		expect(answer).not.toContain('"status"');
		await expectUnharmed(served);
	});

	it.each(['a flood of parts', 'a flood of files', 'a boundary that is slow to search for'])(
		'with %s costs less than a tenth of a second',
		async (name) => {
			tempFiles = await privateTemp();
			const served = await listening([route]);
			const [sent] = refused[name] as (typeof refused)[string];
			const spent: number[] = [];
			// The first run compiles the parser, and the machine may be busy.
			while (spent.length < 5 && !spent.some((ms) => ms < 100)) {
				const start = process.cpuUsage();
				await post(served, sent);
				const { user, system } = process.cpuUsage(start);
				spent.push((user + system) / 1_000);
			}
			expect(Math.min(...spent)).toBeLessThan(100);
		},
	);
});
