import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failure, type RawClient, rawClient } from '../support/client.ts';
import { fakeVideo } from '../support/fake-models.ts';
import { keyA, keyB, type Served, serveEmbedded } from '../support/serve.ts';

const id = `video_${'0'.repeat(44)}`;
const json = { 'content-type': 'application/json' };
const withKey = { 'x-api-key': keyA };

/** Failures of every kind, each with its expected status. */
const failures: readonly (readonly [sentence: string, status: number, path: string, RequestInit])[] = [
	['no key', 401, '/v1/models', {}],
	['a wrong key', 401, '/v1/models', { headers: { authorization: 'Bearer nobody' } }],
	['no key on a path that does not exist', 401, '/v1/nothing', {}],
	['no key on an unknown path under /api', 401, '/api/nothing', {}],
	['two keys that disagree', 401, '/v1/models', { headers: { authorization: `Bearer ${keyA}`, 'x-api-key': keyB } }],
	['an unknown path', 404, '/v1/nothing', { headers: withKey }],
	['an unknown path outside the API', 404, '/nothing', {}],
	['an unknown video', 404, `/v1/videos/${id}`, { headers: withKey }],
	['a malformed video id', 404, '/v1/videos/nonsense', { headers: withKey }],
	['the events of an unknown video', 404, `/v1/videos/${id}/events`, { headers: withKey }],
	['an invalid event position', 400, '/v1/events', { headers: { ...withKey, 'last-event-id': 'nonsense' } }],
	['events of an unknown kind', 400, '/v1/events?kind=nonsense', { headers: withKey }],
	['an unknown file', 404, '/v1/files/file-1', { headers: withKey }],
	['an unknown webhook endpoint', 404, '/v1/webhook_endpoints/whe_1', { headers: withKey }],
	['an unknown webhook delivery', 404, '/v1/webhook_deliveries/whd_1', { headers: withKey }],
	['the wrong method', 405, '/v1/videos', { method: 'PUT', headers: withKey }],
	['an operation that is not offered', 404, '/v1/videos/edits', { headers: withKey }],
	['a body without a content type', 415, '/v1/videos', { method: 'POST', headers: withKey, body: Buffer.from('{}') }],
	[
		'a body of another type',
		415,
		'/v1/audio/speech',
		{ method: 'POST', headers: { ...withKey, 'content-type': 'text/plain' }, body: 'Hello.' },
	],
	[
		'a compressed body',
		415,
		'/v1/audio/speech',
		{
			method: 'POST',
			headers: { ...withKey, ...json, 'content-encoding': 'gzip' },
			body: Buffer.from('nonsense'),
		},
	],
	[
		'JSON of more than 1 MB',
		413,
		'/v1/audio/speech',
		{
			method: 'POST',
			headers: { ...withKey, ...json },
			body: JSON.stringify({ input: 'x'.repeat(1_100_000) }),
		},
	],
	[
		'JSON that cannot be parsed',
		400,
		'/v1/videos',
		{ method: 'POST', headers: { ...withKey, ...json }, body: '{"model":' },
	],
	['an empty JSON object', 400, '/v1/videos', { method: 'POST', headers: { ...withKey, ...json }, body: '{}' }],
	['a picture that does not exist', 404, '/v1/images/results/nonsense?signature=x', {}],
	[
		'an edit without a picture',
		400,
		'/v1/images/edits',
		{
			method: 'POST',
			headers: { ...withKey, ...json },
			body: '{"model":"builtin-image","prompt":"x"}',
		},
	],
	['a page after an unknown id', 400, '/v1/videos?after=nonsense', { headers: withKey }],
	['a page that is too long', 400, '/v1/videos?limit=101', { headers: withKey }],
];

let served: Served;
let client: RawClient;

beforeAll(async () => {
	served = await serveEmbedded({ models: { 'instant-1': fakeVideo() } });
	client = rawClient(served.url, keyA);
});

afterAll(() => served?.stop());

describe.each(failures)('%s', (_sentence, status, path, init) => {
	const response = () => fetch(`${served.url}${path}`, init);

	test(`answers ${status}`, async () => {
		expect((await response()).status).toBe(status);
	});

	test('answers with the four-key body', async () => {
		const body = (await (await response()).json()) as { error: object };
		expect(Object.keys(body)).toEqual(['error']);
		expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type']);
	});

	test('has a unique request id', async () => {
		const ids = [await response(), await response()].map(({ headers }) => headers.get('x-request-id'));
		expect(ids).toEqual([expect.stringMatching(/^req_/), expect.stringMatching(/^req_/)]);
		expect(new Set(ids).size).toBe(2);
	});
});

describe('a request id', () => {
	test('is present in a success response, too', async () => {
		const { headers } = await client.send('/v1/models');
		expect(headers.get('x-request-id')).toMatch(/^req_/);
	});

	test('is the one that the client sent', async () => {
		const response = await client.send('/v1/models', { headers: { 'x-request-id': 'mine-1' } });
		expect(response.headers.get('x-request-id')).toBe('mine-1');
	});
});

describe('a request that is not HTTP', () => {
	test('is answered with the same error body', async () => {
		const response = await rawBytes('NONSENSE\r\n\r\n');
		const [head = '', body = ''] = response.split('\r\n\r\n');
		expect(head).toMatch(/^HTTP\/1\.1 400 /);
		expect(head).toMatch(/^x-request-id: req_/m);
		const { error } = JSON.parse(body) as { error: object };
		expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
	});
});

describe('a wrong method', () => {
	test('gets the supported methods', async () => {
		const response = await client.send('/v1/videos', { method: 'PUT' });
		const allowed = response.headers.get('allow')?.split(/,\s*/);
		expect(allowed?.sort()).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
	});
});

describe('a key', () => {
	test('that is sent twice is refused, although both are equal', async () => {
		const { status } = await rawGet('/v1/models', ['x-api-key', keyA, 'x-api-key', keyA]);
		expect(status).toBe(401);
	});

	test('may be a Bearer token in any letter case', async () => {
		const { status } = await rawGet('/v1/models', ['authorization', `bearer ${keyA}`]);
		expect(status).toBe(200);
	});
});

describe('an invalid parameter is named', () => {
	const create = (body: object) => client.post('/v1/videos', { model: 'instant-1', prompt: 'x', ...body });
	const speak = (body: object) =>
		client.post('/v1/audio/speech', {
			model: 'builtin-speech',
			voice: 'nova',
			input: 'Hello.',
			response_format: 'wav',
			...body,
		});

	test.each([
		['a missing prompt', { prompt: undefined }, 'prompt', 'missing_required_parameter'],
		['an empty prompt', { prompt: '' }, 'prompt', 'string_below_min_length'],
		['a long prompt', { prompt: 'x'.repeat(32_001) }, 'prompt', 'string_above_max_length'],
		['a prompt that is a number', { prompt: 1 }, 'prompt', 'invalid_type'],
		['an unknown size', { size: '1x1' }, 'size', 'invalid_value'],
		['an unknown length', { seconds: '3' }, 'seconds', 'invalid_value'],
		['a picture that is text', { input_reference: 'x' }, 'input_reference', 'invalid_type'],
	])('in a video: %s', async (_sentence, body, param, code) => {
		const response = await create(body);
		expect([response.status, await failure(response)]).toMatchObject([400, { param, code }]);
	});

	test.each([
		['a missing input', { input: undefined }, 'input', 'missing_required_parameter'],
		['a long input', { input: 'x'.repeat(4_097) }, 'input', 'string_above_max_length'],
		['an unknown voice', { voice: 'nobody' }, 'voice', 'invalid_value'],
		['an unknown format', { response_format: 'midi' }, 'response_format', 'invalid_value'],
		['a speed that is too high', { speed: 5 }, 'speed', 'integer_above_max_value'],
		['text that is not English', { input: 'Guten Morgen, wie geht es dir heute?' }, 'input', null],
	])('in speech: %s', async (_sentence, body, param, code) => {
		const response = await speak(body);
		expect([response.status, await failure(response)]).toMatchObject([400, { param, ...(code ? { code } : {}) }]);
	});

	test('a prompt of 32,000 code points outside the basic plane is allowed', async () => {
		expect((await create({ prompt: '🌊'.repeat(32_000) })).status).toBe(201);
	});
});

/** Sends bytes unchanged, and reads until the server closes the connection. */
function rawBytes(bytes: string): Promise<string> {
	return new Promise((resolve, reject) => {
		let response = '';
		const socket = connect(Number(new URL(served.url).port), '127.0.0.1', () => socket.write(bytes));
		socket.on('data', (chunk) => {
			response += chunk;
		});
		socket.on('end', () => resolve(response));
		socket.on('error', reject);
	});
}

/** A GET request with raw header lines, which may be repeated. */
function rawGet(path: string, headers: string[]): Promise<{ status: number | undefined }> {
	return new Promise((resolve, reject) => {
		const sent = request(`${served.url}${path}`, { headers: [...headers, 'host', 'x'] });
		sent.on('response', (response) => {
			response.resume();
			resolve({ status: response.statusCode });
		});
		sent.on('error', reject);
		sent.end();
	});
}
