import { formInteger } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { validate } from '../../../src/http/validation/validate.ts';
import { errorOf, testServer } from '../support.ts';

const schema = z.object({
	prompt: z.string(),
	n: formInteger({ min: 1, max: 10 }).default(1),
	size: z.enum(['s', 'l']).optional(),
	seconds: z.literal(['4', 4]).default('4').transform(Number),
	stop: z.string().nullish(),
	extra: z.unknown().optional(),
	options: z.object({ speed: z.number().optional(), name: z.string() }).optional(),
	items: z.array(z.object({ label: z.string().optional() })).optional(),
});

const route = defineRoute({
	method: 'POST',
	path: '/v1/nulls',
	scope: 'authenticated',
	summary: 's',
	body: schema,
	response: { description: 'x' },
	errors: [],
	handler: ({ body }) => body,
});

function post(body: unknown): Promise<Response> {
	return testServer([route]).send('/v1/nulls', {
		method: 'POST',
		body: JSON.stringify(body),
		headers: { 'content-type': 'application/json' },
	});
}

describe('null in a JSON body', () => {
	it('is like an absent value for an optional member, so that its default applies', async () => {
		const sent = { prompt: 'a', n: null, size: null, seconds: null, options: null, items: null };
		expect(await (await post(sent)).json()).toEqual({ prompt: 'a', n: 1, seconds: 4 });
	});

	it('is handled inside objects and lists too', async () => {
		const answer = await post({
			prompt: 'a',
			options: { speed: null, name: 'x' },
			items: [{ label: null }, { label: 'y' }],
		});
		expect(await answer.json()).toMatchObject({
			options: { name: 'x' },
			items: [{}, { label: 'y' }],
		});
	});

	it('is kept when the member is nullable', async () => {
		const answer = await post({ prompt: 'a', stop: null, extra: null });
		expect(await answer.json()).toMatchObject({ stop: null, extra: null });
	});

	it.each([
		[{ prompt: null }, 'prompt'],
		[{ prompt: 'a', options: { name: null } }, 'options.name'],
		[{ prompt: 'a', items: [null] }, 'items[0]'],
	])('has the wrong type for a required member: %j', async (body, param) => {
		const error = await errorOf(await post(body));
		expect(error).toMatchObject({ status: 400, code: 'invalid_type', param });
	});
});

describe('a value that is checked without its nulls', () => {
	it('keeps them, because the fingerprint of a request includes them', async () => {
		const sent = { prompt: 'a', size: null, items: [{ label: null }] };
		expect(await validate(schema, sent)).toEqual({ prompt: 'a', n: 1, seconds: 4, items: [{}] });
		expect(sent).toEqual({ prompt: 'a', size: null, items: [{ label: null }] });
	});

	it('is still checked as a whole', async () => {
		const either = schema.refine(({ size, stop }) => size ?? stop, { error: 'size or stop is required' });
		await expect(validate(either, { prompt: 'a', size: null })).rejects.toThrow('size or stop is required');
	});
});
