import { defineRoute } from '@plinth/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorOf, testServer } from '../../kernel/test/http/support.ts';
import { formBoolean, formInteger } from '../src/requests/form.ts';

const route = defineRoute({
	method: 'POST',
	path: '/v1/form',
	scope: 'authenticated',
	summary: 's',
	encoding: ['json', 'multipart'],
	body: z.object({
		n: formInteger({ min: 1, max: 10 }).default(1),
		stream: formBoolean().optional(),
	}),
	response: { description: 'x' },
	errors: [],
	handler: ({ body }) => body,
});

function post(fields: Record<string, string>): Promise<Response> {
	const body = new FormData();
	for (const [name, value] of Object.entries(fields)) body.set(name, value);
	body.set('model', 'm');
	return testServer([route]).send('/v1/form', { method: 'POST', body });
}

describe('a field of a form', () => {
	it('is parsed from text to a number or a boolean', async () => {
		const answer = await post({ n: '3', stream: 'TRUE' });
		expect(await answer.json()).toEqual({ n: 3, stream: true });
		expect(await (await post({})).json()).toEqual({ n: 1 });
	});

	it.each([
		['n', '', 'invalid_type'],
		['n', 'three', 'invalid_type'],
		['n', '0x3', 'invalid_type'],
		['n', '1.5', 'invalid_type'],
		['n', '11', 'integer_above_max_value'],
		['n', '-1', 'integer_below_min_value'],
		['stream', 'yes', 'invalid_type'],
	])('%s with the text %j is refused', async (name, value, code) => {
		const answer = await post({ [name]: value });
		expect(await errorOf(answer)).toMatchObject({ status: 400, code, param: name });
	});

	it('is refused with its own limit when it is a huge number in JSON', async () => {
		const headers = { 'content-type': 'application/json' };
		const answer = await testServer([route]).send('/v1/form', { method: 'POST', body: '{"n":1e20}', headers });
		expect((await errorOf(answer)).message).toContain('n: expected at most 10, found ');
	});

	it('has its parsed type in OpenAPI', () => {
		const text = JSON.stringify(testServer([route]).http.openapi());
		expect(text).toContain('"n":{"type":"integer","minimum":1,"maximum":10,"default":1}');
		expect(text).toContain('"stream":{"type":"boolean"}');
	});
});
