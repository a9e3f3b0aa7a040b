import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anyText } from '../../../../test/support/characters.ts';
import { Reply } from '../../src/contract/http/reply.ts';
import { defineRoute } from '../../src/contract/http/route.ts';
import { fileField } from '../../src/contract/http/upload.ts';
import { codePoints } from '../../src/http/validation/validate.ts';
import { privateTemp, testServer } from './support.ts';

const base = {
	scope: 'authenticated',
	summary: 's',
	response: { description: 'x' },
	errors: [],
} as const;

const create = defineRoute({
	...base,
	method: 'POST',
	path: '/v1/things',
	encoding: ['json', 'multipart'],
	body: z.object({
		prompt: codePoints({ min: 1, max: 50 }),
		n: z.coerce.number().int().max(10).optional(),
		kind: z.union([z.literal('a'), z.object({ b: z.array(z.string()) })]).optional(),
		image: z.union([fileField(), z.array(fileField())]).optional(),
	}),
	handler: async ({ body }, { idempotency }) => ({ prompt: body.prompt, ...idempotency }),
});

const download = defineRoute({
	...base,
	method: 'GET',
	path: '/v1/named',
	query: z.object({ name: z.string() }),
	handler: ({ query }) => Reply.binary(new Uint8Array(1), { mediaType: 'text/plain', filename: query.name }),
});

const { send, lines } = testServer([create, download]);

function post(body: Buffer<ArrayBuffer> | string, type: string): Promise<Response> {
	return send('/v1/things', { method: 'POST', body, headers: { 'content-type': type } });
}

function polluted(): readonly string[] {
	return Object.keys(Object.prototype);
}

describe('hostile input', { timeout: 30_000 }, () => {
	const form = Buffer.concat([
		Buffer.from('--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\nhello\r\n'),
		Buffer.from('--b\r\ncontent-disposition: form-data; name="kind[b][]"\r\n\r\nx\r\n'),
		Buffer.from(
			'--b\r\ncontent-disposition: form-data; name="image[]"; filename="x"\r\ncontent-type: image/png\r\n\r\n',
		),
		randomBytes(300),
		Buffer.from('\r\n--b--\r\n'),
	]);

	it('in a damaged form never causes a 5xx or leaves a file', async () => {
		const tempFiles = await privateTemp();
		const position = fc.nat({ max: form.length });
		const edit = fc.record({
			at: position,
			cut: fc.nat({ max: 40 }),
			put: fc.uint8Array({ maxLength: 20 }),
		});
		await fc.assert(
			fc.asyncProperty(fc.array(edit, { maxLength: 4 }), async (edits) => {
				let body = Buffer.from(form);
				for (const { at, cut, put } of edits) {
					body = Buffer.concat([body.subarray(0, at), put, body.subarray(at + cut)]);
				}
				const answer = await post(body, 'multipart/form-data; boundary=b');
				expect(answer.status).toBeLessThan(500);
				await answer.text();
			}),
			{ numRuns: 300 },
		);
		expect(await tempFiles()).toEqual([]);
		expect(polluted()).toEqual([]);
	});

	it('in any JSON never causes a 5xx', async () => {
		const key = fc.constantFrom('prompt', 'n', 'kind', 'image', 'b', '__proto__', 'constructor', 'toString');
		const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
			tree: fc.oneof(
				{ maxDepth: 4 },
				fc.jsonValue({ maxDepth: 0 }),
				fc.array(tie('tree'), { maxLength: 3 }),
				fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
			),
		}));
		await fc.assert(
			fc.asyncProperty(tree, async (value) => {
				const answer = await post(JSON.stringify(value) ?? 'null', 'application/json');
				expect(answer.status).toBeLessThan(500);
				if (answer.status >= 400) expect(Object.keys((await answer.json()) as object)).toEqual(['error']);
			}),
			{ numRuns: 500 },
		);
		expect(polluted()).toEqual([]);
	});

	it('of any bytes as JSON never causes a 5xx', async () => {
		await fc.assert(
			fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => {
				const answer = await post(Buffer.from(bytes), 'application/json');
				expect(answer.status).toBeLessThan(500);
			}),
			{ numRuns: 200 },
		);
	});

	it('as a file name never adds or breaks a header', async () => {
		const names = ['a\r\nx-evil: 1', '"\\', '😀'.repeat(1_500), '\0', '../../etc/passwd', '‮gpj.exe', "*=utf-8''x"];
		const name = fc.oneof(fc.constantFrom(...names), anyText());
		await fc.assert(
			fc.asyncProperty(name, async (value) => {
				const answer = await send(`/v1/named?name=${encodeURIComponent(value.toWellFormed())}`);
				expect(answer.status).toBe(200);
				expect(answer.headers.get('x-evil')).toBeNull();
				const disposition = answer.headers.get('content-disposition') ?? '';
				expect(disposition).toMatch(/^attachment/);
				expect(disposition.length).toBeLessThan(4_000);
				await answer.arrayBuffer();
			}),
			{ numRuns: 150 },
		);
	});

	it('has never caused an error in the log', () => {
		expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
	});
});
