import type { JsonObject } from '@plinth/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask } from './conversation.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
const make = async (schema: JsonObject, message = 'Make it'): Promise<unknown> => {
	const format = { type: 'schema', name: 'result', schema, isStrict: true } as const;
	return JSON.parse((await ask(message, [], { format })).text);
};
const deep = (levels: number, wrap: (inner: JsonObject) => JsonObject): JsonObject =>
	Array.from({ length: levels }).reduce<JsonObject>(wrap, { type: 'string' });
const chain = (of: (next: JsonObject) => JsonObject): JsonObject => ({
	$ref: '#/$defs/d0',
	$defs: Object.fromEntries(
		Array.from({ length: 27 }, (_, at) => [`d${at}`, at < 26 ? of({ $ref: `#/$defs/d${at + 1}` }) : {}]),
	),
});
const refused = { code: 'E_VALUE_INVALID', param: 'response_format' };

describe('a hostile schema is refused', () => {
	it.each<[string, JsonObject]>([
		['refers to itself', { $ref: '#' }],
		['has a circular reference', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
		['refers to itself in allOf', { allOf: [{ $ref: '#' }, { $ref: '#' }] }],
		['refers to itself in anyOf', { anyOf: [{ $ref: '#' }, { $ref: '#' }] }],
		['needs itself', { type: 'object', required: ['a', 'b'], properties: { a: { $ref: '#' }, b: { $ref: '#' } } }],
		['needs four items of itself', { type: 'array', minItems: 4, items: { $ref: '#' } }],
		['needs billions of items', { type: 'array', minItems: 1e12, items: { type: 'string' } }],
		['needs too many nested items', deep(9, (items) => ({ type: 'array', minItems: 999, items }))],
		['needs billions of characters', { type: 'string', minLength: 1e12 }],
		['needs billions of properties', { type: 'object', minProperties: 1e12 }],
		['needs billions of matches', { type: 'array', contains: { type: 'string' }, minContains: 1e12 }],
		['grows exponentially', chain((next) => ({ allOf: [next, next] }))],
		['refers elsewhere', { $ref: 'http://127.0.0.1/schema.json' }],
		['refers to a file', { $ref: 'file:///etc/passwd' }],
		['has no value', { not: {} }],
		['is too large', { enum: Array.from({ length: 30_000 }, (_, at) => `value ${at}`) }],
		['is no schema', { type: 7 }],
		['has a broken pattern', { type: 'string', pattern: '(' }],
	])('that %s', async (_, schema) => {
		await expect(make(schema)).rejects.toMatchObject(refused);
	});

	it('with a pattern that takes forever on the text of the message', async () => {
		const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(x+x+)+y$' } } };
		await expect(make(schema, JSON.stringify({ a: 'x'.repeat(5_000) }))).rejects.toMatchObject(refused);
	});
});

describe('hostile schemas in parallel, more than there are threads,', () => {
	it('are all rejected, and the next valid schema works', async () => {
		const endless: JsonObject = { type: 'array', minItems: 4, items: { $ref: '#' } };
		const hostile = Array.from({ length: 4 }, () => expect(make(endless)).rejects.toMatchObject(refused));
		await Promise.all([...hostile, expect(make({ const: 7 })).resolves.toBe(7)]);
	}, 30_000);
});

describe('an unusual schema gets a valid value:', () => {
	const object = (properties: JsonObject): JsonObject => ({
		type: 'object',
		properties,
		required: Object.keys(properties),
		additionalProperties: false,
	});

	it.each<[string, JsonObject]>([
		[
			'with upper limits on items and characters',
			{ type: 'array', maxItems: 1e12, items: { type: 'string', maxLength: 1e12 } },
		],
		['with an async mark', { $async: true, type: 'string' }],
		[
			'with a property named like one of Object.prototype',
			object({ constructor: { type: 'string' }, toString: { type: 'integer' } }),
		],
		[
			'that is recursive',
			{
				$ref: '#/$defs/node',
				$defs: {
					node: object({ name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } }),
				},
			},
		],
		['that is deep', deep(20, (inner) => object({ inner }))],
		['with alternatives by a constant', object({ kind: { oneOf: [{ const: 'a' }, { const: 'b' }] } })],
		['with different items', { type: 'array', items: { type: 'integer', minimum: 5 }, minItems: 3, uniqueItems: true }],
		['with a pattern that could take forever', object({ a: { type: 'string', pattern: '^(x+)+$' } })],
		[
			'with bounds',
			object({
				a: { type: 'number', exclusiveMinimum: 3, exclusiveMaximum: 3.5 },
				b: { multipleOf: 7, type: 'integer' },
			}),
		],
		['that is always true', {}],
	])('%s', async (_, schema) => {
		const value = await make(schema);
		const { $async: _async, ...plain } = schema;
		expect(ajv.validate(plain, value), JSON.stringify(value)).toBe(true);
	});

	it('generated at random', async () => {
		await fc.assert(
			fc.asyncProperty(schemas, async (schema) => {
				const whole = { ...schema, $defs: { word: { type: 'string', minLength: 2 } } };
				const value = await make(whole);
				expect(ajv.validate(whole, value), JSON.stringify([whole, value, ajv.errors])).toBe(true);
			}),
			{ numRuns: 80 },
		);
	}, 30_000);
});

const names = fc.constantFrom(
	'total',
	'date',
	'name',
	'email',
	'isPaid',
	'quantity',
	'notes',
	'zip_code',
	'items',
	'dueDate',
);
const small = fc.integer({ min: 0, max: 6 });
const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
	fc
		.record({ minLength: small, size: small })
		.map(({ minLength, size }) => ({ type: 'string', minLength, maxLength: minLength + size })),
	fc.constantFrom('^[a-z]{2,5}$', '^\\d{3}-\\d{2}$', '^(?:yes|no)$').map((pattern) => ({ type: 'string', pattern })),
	fc.constantFrom('date', 'email', 'uri', 'date-time', 'uuid').map((format) => ({ type: 'string', format })),
	fc
		.record({ low: fc.integer({ min: -50, max: 50 }), size: small })
		.map(({ low, size }) => ({ type: 'integer', minimum: low, maximum: low + size })),
	fc.record({ low: fc.integer({ min: -50, max: 50 }) }).map(({ low }) => ({ type: 'number', exclusiveMinimum: low })),
	fc.integer({ min: 1, max: 9 }).map((multipleOf) => ({ type: 'integer', multipleOf, minimum: 4 })),
	fc.constantFrom<JsonObject>(
		{ type: 'boolean' },
		{ type: 'null' },
		{ const: 'fixed' },
		{ $ref: '#/$defs/word' },
		{ enum: ['USD', 'EUR', 7, null] },
		{ type: ['integer', 'null'] },
		{ type: ['string', 'number'] },
	),
);
const { schemas } = fc.letrec<{ schemas: JsonObject; any: JsonObject }>((tie) => ({
	any: fc.oneof({ maxDepth: 3 }, leaf, tie('schemas')),
	schemas: fc.oneof(
		{ maxDepth: 3 },
		fc
			.record({
				properties: fc.dictionary(names, tie('any'), { maxKeys: 4 }),
				required: fc.array(names, { maxLength: 3 }),
				open: fc.boolean(),
			})
			.map(({ properties, required, open }) => ({
				type: 'object',
				properties,
				required: open ? [...new Set(required)] : Object.keys(properties),
				...(!open && { additionalProperties: false }),
			})),
		fc
			.record({ items: tie('any'), minItems: fc.integer({ min: 0, max: 1 }), most: small })
			.map(({ items, minItems, most }) => ({
				type: 'array',
				items,
				minItems,
				maxItems: minItems + most,
			})),
		fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
	),
}));
