import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errors } from '../../../src/contract/errors/errors.ts';
import { defineRoute } from '../../../src/contract/http/route.ts';
import type { Idempotency } from '../../../src/contract/jobs/job-store.ts';
import { errorOf, type Sent, testServer } from '../support.ts';

const create = defineRoute({
	method: 'POST',
	path: '/v1/things/{id}',
	scope: 'authenticated',
	summary: 's',
	encoding: ['json', 'multipart'],
	params: z.object({ id: z.string() }),
	body: z.looseObject({}),
	response: { description: 'x' },
	errors: [errors.E_IDEMPOTENCY_MISMATCH],
	handler: (_, { idempotency }) => ({ ...idempotency }),
});

// This route declares no error of repeated keys, so it does not support them.
const withoutKeys = defineRoute({ ...create, path: '/v1/withoutKeys/{id}', errors: [] });

const spooling = defineRoute({ ...create, path: '/v1/files/{id}', spoolDataUrls: true });

async function post(body: Sent, headers: Record<string, string> = {}, path = '/v1/things/a') {
	const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
	const answer = await testServer([create, withoutKeys, spooling]).send(path, {
		method: 'POST',
		body,
		headers: { ...type, ...headers },
	});
	return answer;
}

async function of(...sent: Parameters<typeof post>): Promise<Idempotency> {
	const answer = await post(...sent);
	expect(answer.status).toBe(200);
	return (await answer.json()) as Idempotency;
}

function form(content: string, name = 'x.png', order = ['a', 'f']): FormData {
	const data = new FormData();
	for (const key of order) {
		if (key === 'a') data.set('a', '1');
		else data.set('f', new Blob([content]), name);
	}
	return data;
}

describe('a request', () => {
	it('has another fingerprint when a long string differs at its end', async () => {
		const long = (end: string) => JSON.stringify({ a: 'x'.repeat(100_000) + end });
		const prints = await Promise.all(['1', '2', '1'].map((end) => of(long(end))));
		expect(prints[0]?.fingerprint).toBe(prints[2]?.fingerprint);
		expect(prints[0]?.fingerprint).not.toBe(prints[1]?.fingerprint);
	});

	it('has another fingerprint only when a long data URL has another file, for any spelling', async () => {
		const url = (byte: number) => `data:;base64,${Buffer.alloc(60_000, byte).toString('base64')}`;
		const body = (byte: number) => JSON.stringify({ a: url(byte) });
		const sent = [body(0xff), body(0xff).replaceAll('/', '\\/'), body(0xfe)];
		const prints = await Promise.all(sent.map((text) => of(text, {}, '/v1/files/a')));
		expect(prints[1]?.fingerprint).toBe(prints[0]?.fingerprint);
		expect(prints[2]?.fingerprint).not.toBe(prints[0]?.fingerprint);
	});

	it('has the same fingerprint for the same content', async () => {
		const first = await of('{"a":1,"b":{"c":2,"d":[1,2]}}');
		expect(first.fingerprint).toMatch(/^[0-9a-f]{64}$/);
		const again = await of('{ "b": {"d":[1,2], "c":2},\n"a":1 }', {
			'x-stainless-retry-count': '1',
		});
		expect(again.fingerprint).toBe(first.fingerprint);
		// Each retry encodes multipart again: with another boundary and another order.
		const upload = await of(form('bytes'));
		expect((await of(form('bytes', 'y.png', ['f', 'a']))).fingerprint).toBe(upload.fingerprint);
	});

	it('has another fingerprint when any part differs', async () => {
		const prints = await Promise.all([
			of('{"a":1}'),
			of('{"a":"1"}'),
			of('{"a":[1]}'),
			of('{"a":1,"b":null}'),
			of('{"a":1}', {}, '/v1/things/b'),
			of('{"a":1}', {}, '/v1/things/a?x=1'),
			of(form('bytes')),
			of(form('other')),
		]);
		expect(new Set(prints.map(({ fingerprint }) => fingerprint)).size).toBe(prints.length);
	});

	it('has its key and its retry count', async () => {
		expect(await of('{}', { 'idempotency-key': 'k~1', 'x-stainless-retry-count': '2' })).toMatchObject({
			key: 'k~1',
			retry: 2,
		});
		expect(await of('{}')).toMatchObject({ retry: 0 });
		for (const bad of ['-1', '1.5', '101', 'x', '1e1', '']) {
			expect(await of('{}', { 'x-stainless-retry-count': bad })).toMatchObject({ retry: 0 });
		}
	});

	it.each(['', 'a b', 'é', 'x'.repeat(256)])('with the key %j is refused', async (key) => {
		const error = await errorOf(await post('{}', { 'idempotency-key': key }));
		expect(error).toMatchObject({ status: 400, code: 'invalid_value', param: 'Idempotency-Key' });
	});

	it('with an invalid key is accepted by a route that does not support idempotency', async () => {
		const answer = await post('{}', { 'idempotency-key': 'a b' }, '/v1/withoutKeys/a');
		expect(answer.status).toBe(200);
		expect(await answer.json()).not.toHaveProperty('key');
	});
});
