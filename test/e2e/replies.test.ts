import { describe, expect, test } from 'vitest';
import { rawClient } from '../support/client.ts';
import { watchResponses } from '../support/openapi/response-watch.ts';

const json = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const document = {
	paths: {
		'/v1/things/{id}': {
			get: { responses: { 200: { content: { 'application/json': { schema: json } } } } },
		},
		'/v1/things/all': { get: { responses: { 200: { content: { 'audio/wav': {} } } } } },
	},
	components: {
		schemas: { Error: { type: 'object', properties: { error: {} }, required: ['error'] } },
	},
};
const always = { 'x-request-id': 'req_1', 'openai-processing-ms': '1' };
const validResponse = () => Response.json({ id: 'a' }, { headers: always });

/** The violations of the document by one response of a server. */
async function violationsOf(response: Response, path = '/v1/things/a'): Promise<readonly string[]> {
	const url = 'http://plinth.test/ai';
	const checker = watchResponses(url, async () => Response.json(document));
	await checker.watch({ method: 'GET', url: `${url}${path}` }, async () => response);
	return checker.violations;
}

describe('the response checker', () => {
	test('reports nothing for a response that the document allows', async () => {
		expect(await violationsOf(validResponse())).toEqual([]);
		const sound = new Response('RIFF', { headers: { ...always, 'content-type': 'audio/wav' } });
		expect(await violationsOf(sound, '/v1/things/all')).toEqual([]);
		const unknown = Response.json({ error: {} }, { status: 404, headers: always });
		expect(await violationsOf(unknown, '/v1/nothing')).toEqual([]);
	});

	test.each([
		['a member of another type', Response.json({ id: 1 }, { headers: always }), /\/id must be string/],
		['a missing member', Response.json({}, { headers: always }), /must have required property 'id'/],
		['an extra member', Response.json({ id: 'a', b: 1 }, { headers: always }), /"b"/],
		['another status', Response.json({ id: 'a' }, { status: 202, headers: always }), /does not list this status/],
		['another content type', new Response('a', { headers: always }), /the content type text\/plain/],
		['no request id', Response.json({ id: 'a' }), /the header x-request-id is missing/],
	])('finds %s', async (_sentence, response, complaint) => {
		expect(await violationsOf(response)).toContainEqual(expect.stringMatching(complaint));
	});

	test('reports a success without an operation in the document', async () => {
		expect(await violationsOf(validResponse(), '/v1/nothing')).toEqual([
			'GET /v1/nothing answered 200: the document has no such operation',
		]);
	});

	test('makes the raw client throw an error', async () => {
		const door = async ({ url }: Request) =>
			url.endsWith('/openapi.json') ? Response.json(document) : Response.json({}, { headers: always });
		const client = rawClient('http://plinth.test', 'key', door);
		await expect(client.send('/v1/things/a')).rejects.toThrow(/required property 'id'/);
	});
});
