import type { JsonObject } from '@plinth/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, note } from './conversation.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
const letter = note(
	'letter.txt',
	`Invoice INV-7

Name: Acme Corporation
Date: January 15, 2024
E-mail: billing@acme.example
Is paid: no
Zip code: 10115

Item              Quantity     Price
Widget                   3     12.50
Gadget                  10      1.99

Total: $57.40`,
);

async function fillOut(schema: JsonObject) {
	const format = { type: 'schema', name: 'result', schema, isStrict: true } as const;
	return JSON.parse((await ask('Extract it', [letter], { format })).text);
}

describe('a schema', () => {
	it.each([
		{ allOf: [{ $ref: '#' }, { $ref: '#' }, { $ref: '#' }] },
		{ anyOf: [{ $ref: '#' }, { $ref: '#' }, { $ref: '#' }] },
		{ oneOf: [{ not: { $ref: '#' } }, { $ref: '#' }] },
		{ type: 'object', required: ['a', 'b'], properties: { a: { $ref: '#' }, b: { $ref: '#' } } },
		{ type: 'array', minItems: 4, items: { $ref: '#' } },
		{ type: 'array', minItems: 1e12, items: { type: 'string' } },
		{ type: 'string', minLength: 1e12 },
		{ type: 'array', minItems: 1e12, uniqueItems: true, items: { type: 'string' } },
		{ type: 'object', minProperties: 1e12 },
	] as JsonObject[])('that can never be satisfied comes to an end: %j', async (schema) => {
		expect(await fillOut(schema)).toBeDefined();
	});

	it('gets a valid value, whatever it is', async () => {
		await fc.assert(
			fc.asyncProperty(schemas, async (schema) => {
				const whole = { ...schema, $defs: { word: { type: 'string', minLength: 2 } } };
				const value = await fillOut(whole);
				expect(ajv.validate(whole, value), JSON.stringify([whole, value, ajv.errors])).toBe(true);
			}),
			{ numRuns: 80 },
		);
	});
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
