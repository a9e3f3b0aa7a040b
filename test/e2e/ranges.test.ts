import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawClient } from '../support/client.ts';
import { fakeVideo, tinyMp4 } from '../support/fake-models.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

const size = tinyMp4.length;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let served: Served;
let content: string;
let etag: string;

beforeAll(async () => {
	served = await serveEmbedded({ models: { 'instant-1': fakeVideo() } });
	const client = rawClient(served.url, keyA);
	const { id } = await client.create({ model: 'instant-1', prompt: 'ranges' });
	content = `/v1/videos/${(await client.finished(id)).id}/content`;
	etag = (await client.send(content, { method: 'HEAD' })).headers.get('etag') ?? '';
});

afterAll(async () => {
	agent.destroy();
	await served?.stop();
});

type Headers = Readonly<Record<string, string>>;

interface Answer {
	readonly status: number;
	readonly range: string | null;
	readonly length: string | null;
	readonly bytes: Buffer;
}

/** Sends requests without a socket. */
async function throughFetch(method: string, headers: Headers): Promise<Answer> {
	const url = `http://localhost${content}`;
	const sent = new Request(url, { method, headers: { ...headers, 'x-api-key': keyA } });
	const answer = await served.app.fetch(sent);
	return {
		status: answer.status,
		range: answer.headers.get('content-range'),
		length: answer.headers.get('content-length'),
		bytes: Buffer.from(await answer.arrayBuffer()),
	};
}

/** Uses one connection: a response with a wrong length would corrupt the next one. */
async function throughSocket(method: string, headers: Headers): Promise<Answer> {
	const answer = await new Promise<IncomingMessage>((resolve, reject) => {
		const options = { agent, method, headers: { ...headers, 'x-api-key': keyA } };
		request(`${served.url}${content}`, options).on('response', resolve).on('error', reject).end();
	});
	const { 'content-range': range = null, 'content-length': length = null } = answer.headers;
	return { status: answer.statusCode ?? 0, range, length, bytes: await buffer(answer) };
}

type Expected = readonly [start: number, end: number] | 'whole' | 'nothing';

/** A header, and the range that it selects by RFC 9110 §14. */
interface Wanted {
	readonly range: string;
	readonly expected: Expected;
}

const whole = (range: string): Wanted => ({ range, expected: 'whole' });
const position = fc.oneof(
	fc.nat({ max: size + 50 }),
	fc.constantFrom(0, size - 1, size, size + 1, 2 ** 31, 2 ** 32, 2 ** 53, 1e21),
);
const digits = (value: number) => BigInt(value).toString();
const unit = fc.constantFrom('bytes', 'Bytes', 'BYTES');
const zeros = fc.constantFrom('', '0', '000000000000');

const fromTo = fc.tuple(unit, zeros, position, position).map(([name, zero, first, last]) => {
	const range = `${name}=${zero}${digits(first)}-${zero}${digits(last)}`;
	if (last < first) return whole(range);
	const window = [first, Math.min(last, size - 1)] as const;
	return { range, expected: first < size ? window : 'nothing' } as Wanted;
});
const from = fc.tuple(unit, position).map(([name, first]) => {
	const expected: Expected = first < size ? [first, size - 1] : 'nothing';
	return { range: `${name}=${digits(first)}-`, expected };
});
const suffix = fc.tuple(unit, position).map(([name, length]) => {
	const expected: Expected = length === 0 ? 'nothing' : [Math.max(0, size - length), size - 1];
	return { range: `${name}=-${digits(length)}`, expected };
});
const several = fc
	.array(fc.tuple(position, position), { minLength: 2, maxLength: 1_000 })
	.map((pairs) => whole(`bytes=${pairs.map((pair) => pair.map(digits).join('-')).join(',')}`))
	// The limit of a request head is 16 KB.
	.filter(({ range }) => range.length < 8_000);
const otherUnits = fc.constantFrom('items', 'byte', 'bytes ', 'xbytes', 'none', '').map((name) => whole(`${name}=0-1`));
const malformed = fc
	.stringMatching(/^bytes=[-0-9a-fx+., \t;=]{0,12}$/)
	.filter((range) => !/^bytes=(?:\d+-\d*|-\d+)\s*$/.test(range))
	.map(whole);
const anything = fc.stringMatching(/^[!-~]([ -~]{0,30}[!-~])?$/).filter((text) => !/^bytes=/i.test(text));
const wanted = fc.oneof(fromTo, from, suffix, several, otherUnits, malformed, anything.map(whole));

/** A condition, and whether the range applies with it. */
const condition = fc.constantFrom<readonly [string | undefined, boolean]>(
	...([
		[undefined, true],
		['same', true],
		['weak', false],
		['"other"', false],
		['', false],
		['*', false],
		['Wed, 21 Oct 2015 07:28:00 GMT', false],
		['Fri, 31 Dec 9999 23:59:59 GMT', false],
	] as const),
);

function headersOf(range: string, text: string | undefined): Headers {
	if (text === undefined) return { range };
	const tags: Headers = { same: etag, weak: `W/${etag}` };
	return { range, 'if-range': tags[text] ?? text };
}

function check(answer: Answer, expected: Expected): void {
	if (expected === 'nothing') {
		expect([answer.status, answer.range]).toEqual([416, `bytes */${size}`]);
		return;
	}
	const [start, end] = expected === 'whole' ? [0, size - 1] : expected;
	const range = expected === 'whole' ? null : `bytes ${start}-${end}/${size}`;
	expect(answer).toMatchObject({
		status: range === null ? 200 : 206,
		range,
		length: String(end - start + 1),
	});
	expect(answer.bytes.equals(tinyMp4.subarray(start, end + 1))).toBe(true);
}

describe.each([
	['without a socket', throughFetch],
	['over a socket', throughSocket],
])('a range requested %s', (_, send) => {
	test('returns exactly its bytes, the whole content, or 416', async () => {
		await fc.assert(
			fc.asyncProperty(wanted, condition, async ({ range, expected }, [text, counts]) => {
				check(await send('GET', headersOf(range, text)), counts ? expected : 'whole');
			}),
			{ numRuns: 500 },
		);
	});

	test('is ignored for HEAD', async () => {
		await fc.assert(
			fc.asyncProperty(wanted, async ({ range }) => {
				const answer = await send('HEAD', { range });
				expect(answer).toMatchObject({ status: 200, range: null, length: String(size) });
				expect(answer.bytes.length).toBe(0);
			}),
			{ numRuns: 60 },
		);
	});
});
