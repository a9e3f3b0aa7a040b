import { errorOf, jsonOf, testApp } from '@plinth/testing';
import { afterAll, expect, test } from 'vitest';
import { greetings } from '../src/index.ts';

// A server in this process, without a port. Every key is valid.
const { get, post } = await testApp({
	plugins: { greetings: greetings({ words: 'Hello' }) },
	onTestFinished: (stop) => afterAll(stop),
});

test('the route greets', async () => {
	const response = await post('/v1/greetings', { name: 'Ada', times: 2 });
	expect(await jsonOf(response)).toEqual({ greeting: 'Hello, Ada! Hello, Ada!' });
});

test.each([
	['name', { name: '' }],
	['name', {}],
	['times', { name: 'Ada', times: 11 }],
])('a wrong %s is refused by its name: %j', async (name, body) => {
	const { status, param } = await errorOf(await post('/v1/greetings', body));
	expect([status, param]).toEqual([400, name]);
});

test('a key without the scope is refused', async () => {
	expect((await post('/v1/greetings', { name: 'Ada' }, { key: 'ada.videos:read' })).status).toBe(403);
});

test('the OpenAPI document has the route', async () => {
	const { paths } = await jsonOf<{ paths: Record<string, object> }>(await get('/openapi.json'));
	expect(Object.keys(paths['/v1/greetings'] ?? {})).toContain('post');
});
