import { keyRing } from '@plinth/keys';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failure, rawClient } from '../support/client.ts';
import { ApiDocument, type Operation } from '../support/openapi/document.ts';
import { type RawAnswer, rawAnswer, rawHead } from '../support/raw.ts';
import { bootEmbedded, keyA, keyB, type Served, serveEmbedded } from '../support/serve.ts';

const bearer = `authorization: Bearer ${keyA}`;
const apiKey = `x-api-key: ${keyA}`;

/** Header lines that must be refused, in Latin-1. */
const refused: readonly (readonly [shape: string, lines: readonly string[]])[] = [
	['an unknown bearer', ['authorization: Bearer nobody']],
	['an unknown x-api-key', ['x-api-key: nobody']],
	['Basic', [`authorization: Basic ${Buffer.from(`u:${keyA}`).toString('base64')}`]],
	['Basic beside a valid x-api-key', ['authorization: Basic abc', apiKey]],
	['a bare key', [`authorization: ${keyA}`]],
	['a bare key beside a valid x-api-key', [`authorization: ${keyA}`, apiKey]],
	['another scheme with the same prefix', [`authorization: BearerX ${keyA}`]],
	['no blank after the scheme', [`authorization: Bearer${keyA}`]],
	['an empty Authorization', ['authorization:']],
	['an empty Authorization beside a valid x-api-key', ['authorization:', apiKey]],
	['a blank Authorization', ['authorization:    ']],
	['a scheme alone', ['authorization: Bearer']],
	['a scheme and blanks', ['authorization: Bearer    ', apiKey]],
	['a tab after the scheme', [`authorization: Bearer\t${keyA}`]],
	['a tab in the key', [`x-api-key: ${keyA}\tx`]],
	['a second word', [`${bearer} x`]],
	['an empty x-api-key', ['x-api-key:']],
	['an empty x-api-key beside a valid bearer', [bearer, 'x-api-key:']],
	['a blank x-api-key', ['x-api-key:   ']],
	['two keys that differ', [bearer, `x-api-key: ${keyB}`]],
	['a valid bearer and an unknown x-api-key', [bearer, 'x-api-key: nobody']],
	['Authorization twice', [bearer, bearer]],
	['Authorization twice, the second unknown', [bearer, 'authorization: Bearer nobody']],
	['x-api-key twice', [apiKey, apiKey]],
	['x-api-key twice beside a bearer', [bearer, apiKey, apiKey]],
	['bearers joined by a comma', [`${bearer}, Bearer ${keyA}`]],
	['keys joined by a comma', [`${apiKey}, ${keyA}`]],
	['keys joined by a comma alone', [`${apiKey},${keyA}`]],
	['a key of 8 KB', [`x-api-key: ${'k'.repeat(8_192)}`]],
	['a bearer of 8 KB', [`authorization: Bearer ${'k'.repeat(8_192)}`]],
	['Latin-1', ['x-api-key: cl\xe9']],
	['UTF-8', [`x-api-key: ${Buffer.from('clé').toString('latin1')}`]],
	['UTF-8 in a bearer', [`authorization: Bearer ${Buffer.from('🔑').toString('latin1')}`]],
	['a name of Object.prototype', ['x-api-key: __proto__']],
];

const accepted: readonly (readonly [shape: string, lines: readonly string[]])[] = [
	['a bearer', [bearer]],
	['a bearer in lower case', [`authorization: bearer ${keyA}`]],
	['a bearer in capitals', [`AUTHORIZATION: BEARER ${keyA}`]],
	['x-api-key', [apiKey]],
	['both, equal', [bearer, apiKey]],
	['blanks around the value, which are ignored', [`x-api-key:   ${keyA}  `]],
];

let served: Served;
let document: ApiDocument;
let guarded: readonly Operation[];

beforeAll(async () => {
	served = await serveEmbedded({ server: { authFailuresPerMinute: 0 } });
	document = new ApiDocument(served.app.openapi());
	guarded = document.operations.filter(({ security }) => security?.length !== 0);
});

afterAll(() => served?.stop());

/** The request line of an operation, with ids that do not exist. */
function lineOf({ method, path }: Operation, query = ''): string {
	return `${method} ${path.replaceAll(/\{[^}]+\}/g, 'nobody')}${query}`;
}

const send = (line: string, headers: readonly string[]) => rawAnswer(served.url, rawHead(line, headers));

/** The visible parts of a response, without the parts that differ between any two responses. */
function lasting({ status, headers, body }: RawAnswer) {
	const changing = ['x-request-id', 'date', 'openai-processing-ms'];
	return { status, headers: headers.filter(([name]) => !changing.includes(name)), body };
}

describe('every route that requires a key', () => {
	test('is one of many', () => {
		expect(guarded.length).toBeGreaterThanOrEqual(10);
		expect(guarded.map(({ name }) => name)).toEqual(
			expect.arrayContaining(['GET /v1/models', 'POST /v1/videos', 'POST /v1/audio/speech']),
		);
	});

	test('refuses everything but one valid key, with the same response on every route', async () => {
		const sample = lasting(await send('GET /v1/models', ['x-api-key: nobody']));
		expect(sample.status).toBe(401);
		expect(sample.headers).toEqual(
			expect.arrayContaining([
				['www-authenticate', 'Bearer error="invalid_token"'],
				['x-should-retry', 'false'],
			]),
		);
		expect(JSON.parse(sample.body).error).toMatchObject({ code: 'invalid_api_key', param: null });
		for (const [shape, lines] of refused) {
			// The error depends on the headers, and not on the route.
			const first = lasting(await send('GET /v1/models', lines));
			const withoutLength = ({ headers }: typeof first) => headers.filter(([name]) => name !== 'content-length');
			expect([first.status, withoutLength(first)], shape).toEqual([401, withoutLength(sample)]);
			expect(JSON.parse(first.body).error, shape).toMatchObject({ code: 'invalid_api_key', param: null });
			for (const operation of guarded) {
				expect(lasting(await send(lineOf(operation), lines)), `${operation.name}: ${shape}`).toEqual(first);
			}
		}
	});

	test('refuses a request without a key with the same response, whatever its query', async () => {
		const sample = lasting(await send('GET /v1/models', []));
		expect(sample.status).toBe(401);
		expect(sample.headers).toEqual(
			expect.arrayContaining([
				['www-authenticate', 'Bearer'],
				['x-should-retry', 'false'],
			]),
		);
		for (const operation of guarded) {
			for (const name of ['key', 'api_key', 'api-key', 'x-api-key', 'access_token', 'token']) {
				const response = lasting(await send(lineOf(operation, `?${name}=${keyA}`), []));
				expect(response, `${operation.name}: ${name}`).toEqual(sample);
			}
		}
	});

	test('accepts one valid key', async () => {
		for (const operation of guarded) {
			for (const [shape, lines] of accepted) {
				const request = rawHead(lineOf(operation), lines);
				const { status } = await rawAnswer(served.url, request, { headOnly: true });
				expect([401, 403], `${operation.name}: ${shape}`).not.toContain(status);
			}
		}
	});

	test.each([
		['without a key', []],
		['with a wrong key', ['x-api-key: nobody']],
	])('refuses a large upload %s before it is sent', async (_sentence, key) => {
		const upload = ['content-length: 52428800', 'content-type: multipart/form-data; boundary=b'];
		const withBody = guarded.filter(({ requestBody }) => requestBody);
		expect(withBody.length).toBeGreaterThanOrEqual(3);
		for (const operation of withBody) {
			for (const expects of [[], ['expect: 100-continue']]) {
				// No body follows the head: the response must not wait for it.
				const { text } = await send(lineOf(operation), [...key, ...upload, ...expects]);
				expect(text, operation.name).toMatch(/^HTTP\/1\.1 401 /);
			}
		}
	});
});

describe('scopes', () => {
	const scopeOf = ({ description = '' }: { description?: string }) =>
		/Needs the scope `([^`]+)`\./.exec(description)?.[1];

	test('allow the operations that they name, and no others', async () => {
		const booted = await bootEmbedded({ keys: '', server: { authFailuresPerMinute: 0 } });
		try {
			const { scopes } = booted.app.tree();
			const needed = new Set(guarded.map((operation) => scopeOf(operation as object)));
			expect([...needed].filter(Boolean).sort()).toEqual(scopes);
			expect(scopes.length).toBeGreaterThanOrEqual(3);
			const ring = booted.app.service(keyRing);
			for (const scope of [...scopes, '*']) {
				const { key } = await ring.issue({ tenant: 'narrow', scopes: [scope] });
				const client = rawClient('http://plinth.test', key, (sent) => booted.app.fetch(sent));
				for (const operation of guarded) {
					const wanted = scopeOf(operation as object);
					const [method = '', path = ''] = lineOf(operation).split(' ');
					const answer = await client.send(path, { method });
					const what = `${operation.name} with ${scope}`;
					if (scope === '*' || wanted === undefined || wanted === scope) {
						expect([401, 403], what).not.toContain(answer.status);
						// A response that is not read would delay the stop.
						await answer.body?.cancel();
					} else {
						expect(answer.status, what).toBe(403);
						const error = await failure(answer);
						expect(error).toMatchObject({ code: 'insufficient_permissions', param: null });
						expect(error.message).toContain(`"${wanted}"`);
					}
				}
			}
		} finally {
			await booted.stop();
		}
	});

	test('are compared as a whole', async () => {
		const ring = served.app.service(keyRing);
		for (const scope of served.app.tree().scopes) {
			const operation = guarded.find((each) => scopeOf(each as object) === scope) as Operation;
			const beginnings = Array.from({ length: scope.length - 1 }, (_, at) => scope.slice(0, at + 1));
			const alike = [...beginnings, `${scope}x`, scope.toUpperCase(), `${scope}:*`, '**'];
			// One key per scope, so that the response shows which one was used.
			for (const given of alike) {
				const { key } = await ring.issue({ tenant: 'narrow', scopes: [given] });
				const { status } = await send(lineOf(operation), [`x-api-key: ${key}`]);
				expect(status, `${operation.name} with ${given}`).toBe(403);
			}
		}
	});
});

describe('the built-in composition', () => {
	test('answers 429 from the 21st invalid key in a minute on, and accepts valid keys', async () => {
		const limited = await serveEmbedded();
		try {
			const status = async (key: string) => {
				const answer = await fetch(`${limited.url}/v1/models`, { headers: { 'x-api-key': key } });
				await answer.body?.cancel();
				return answer.status;
			};
			const guesses: number[] = [];
			for (let index = 0; index < 22; index++) guesses.push(await status(`guess-${index}`));
			expect(guesses).toEqual([...Array.from({ length: 20 }, () => 401), 429, 429]);
			expect(await status(keyA)).toBe(200);
		} finally {
			await limited.stop();
		}
	});
});
