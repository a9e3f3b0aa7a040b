import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseUnchanged } from '../src/index.ts';

const schema = z.object({
	name: z.string(),
	count: z.coerce.number().default(1),
	list: z.array(z.object({ text: z.string().nullish() })).optional(),
	any: z.custom<object>((value) => typeof value === 'object').optional(),
});

test.each([
	[{ name: 'a' }, { name: 'a', count: 1 }],
	[{ name: 'a', count: 2, list: [{ text: 'b' }, { text: null }, {}] }, undefined],
	[
		{ name: 'a', any: { whatever: [1] } },
		{ name: 'a', count: 1, any: { whatever: [1] } },
	],
])('a value with known members is accepted, with defaults: %j', (value, made) => {
	expect(parseUnchanged(schema, value)).toEqual(made ?? value);
});

test.each([
	['that is refused', { name: 1 }],
	['with another member', { name: 'a', more: 1 }],
	['with another member inside', { name: 'a', list: [{ text: 'b', more: 1 }] }],
	['with a member that every object has', { name: 'a', constructor: 1 }],
	['that the schema changes', { name: 'a', count: '2' }],
	['that is none', undefined],
])('a value %s is refused', (_, value) => {
	expect(parseUnchanged(schema, value)).toBeUndefined();
});
