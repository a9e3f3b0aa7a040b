import type { JsonObject } from '@plinth/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ask, lighthouse, note, talk, user } from './conversation.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
const invoice = note(
	'invoice.txt',
	`INVOICE

Invoice number: INV-2024-001
Date: January 15, 2024
Customer: Acme Corporation
E-mail: billing@acme.example
Paid: no

Item              Quantity     Price
Widget                   3     12.50
Gadget                  10      1.99

Total due: $57.40`,
);

async function extract(schema: JsonObject, question = 'Extract the invoice', documents = [invoice]) {
	const format = { type: 'schema', name: 'result', schema, isStrict: true } as const;
	const { text, warnings } = await ask(question, documents, { format });
	return { value: JSON.parse(text), warnings };
}

function object(properties: JsonObject): JsonObject {
	return {
		type: 'object',
		properties,
		required: Object.keys(properties),
		additionalProperties: false,
	};
}

describe('any JSON', () => {
	it('is an object with the answer and its citations', async () => {
		const { text } = await ask('Who is the warden?', [lighthouse], { format: { type: 'json' } });
		expect(JSON.parse(text)).toEqual({
			answer: 'The warden is Oliver Brandt.',
			citations: [{ file: 'lighthouse.pdf', page: 2, quote: 'The warden is Oliver Brandt.' }],
		});
	});

	it('has no citation when nothing was found, and null for files without pages', async () => {
		const none = await ask('Who won the world cup?', [lighthouse], { format: { type: 'json' } });
		expect(JSON.parse(none.text)).toEqual({
			answer: expect.stringContaining('Not found'),
			citations: [],
		});
		const found = await ask('Who is the customer?', [invoice], { format: { type: 'json' } });
		expect(JSON.parse(found.text).citations[0]).toMatchObject({ file: 'invoice.txt', page: null });
	});

	it('is given when words ask for it', async () => {
		const { text } = await talk([
			{
				role: 'system',
				content: [{ type: 'text', text: 'Answer in German and only in valid JSON.' }],
			},
			user('Who is the warden?', lighthouse),
		]);
		expect(JSON.parse(text)).toHaveProperty('answer');
	});
});

describe('a schema', () => {
	it('is filled from labels, tables, dates and amounts, in the types that it asks for', async () => {
		const { value, warnings } = await extract(
			object({
				invoiceNumber: { type: 'string' },
				date: { type: 'string', format: 'date' },
				customer: object({ name: { type: 'string' } }),
				email: { type: 'string', format: 'email' },
				total_due: { type: 'number' },
				paid: { type: 'boolean' },
				currency: { type: 'string', enum: ['EUR', 'USD'] },
				items: {
					type: 'array',
					items: object({
						item: { type: 'string' },
						quantity: { type: 'integer' },
						price: { type: 'number' },
					}),
				},
			}),
		);
		expect(value).toEqual({
			invoiceNumber: 'INV-2024-001',
			date: '2024-01-15',
			customer: { name: 'Acme Corporation' },
			email: 'billing@acme.example',
			total_due: 57.4,
			paid: false,
			currency: 'USD',
			items: [
				{ item: 'Widget', quantity: 3, price: 12.5 },
				{ item: 'Gadget', quantity: 10, price: 1.99 },
			],
		});
		expect(warnings).toEqual([]);
	});

	it('gets null where it is allowed and nothing was found', async () => {
		const { value, warnings } = await extract(
			object({
				iban: { type: ['string', 'null'] },
				discount: { anyOf: [{ type: 'number' }, { type: 'null' }] },
			}),
		);
		expect(value).toEqual({ iban: null, discount: null });
		expect(warnings).toEqual([]);
	});

	it('leaves out what is optional and not found', async () => {
		const { value } = await extract({
			type: 'object',
			properties: { iban: { type: 'string', pattern: '^[A-Z]{2}' } },
		});
		expect(value).toEqual({});
	});

	it('names what was not found and has to have a value', async () => {
		const { value, warnings } = await extract(
			object({ iban: { type: 'string' }, parcels: { type: 'integer', minimum: 2 } }),
		);
		expect(value).toEqual({ iban: '', parcels: 2 });
		expect(warnings).toEqual([expect.stringContaining('iban, parcels')]);
	});

	it('names the columns of a table that a row leaves empty', async () => {
		const list = note('list.txt', 'Name      City      Age\nAda       Paris     36\nBen                 41');
		const person = object({ name: { type: 'string' }, city: { type: 'string' } });
		const { value, warnings } = await extract(object({ people: { type: 'array', items: person } }), 'List them', [
			list,
		]);
		expect(value.people).toEqual([
			{ name: 'Ada', city: 'Paris' },
			{ name: 'Ben', city: '' },
		]);
		expect(warnings).toEqual([expect.stringContaining('people.city')]);
	});

	it('with a lone string takes the answer to the question', async () => {
		const { value } = await extract(object({ reply: { type: 'string' } }), 'What is the total due?');
		expect(value).toEqual({ reply: '$57.40' });
	});

	it('is given citations as quotes with their pages', async () => {
		const cited = object({ page: { type: 'integer' }, quote: { type: 'string' } });
		const schema = object({
			answer: { type: 'string' },
			citations: { type: 'array', items: cited },
		});
		const { value } = await extract(schema, 'Who is the warden?', [lighthouse]);
		expect(value.citations).toEqual([{ page: 2, quote: 'The warden is Oliver Brandt.' }]);
	});

	it('collects lists', async () => {
		const strings = { type: 'array', items: { type: 'string' } };
		const { value } = await extract(object({ emails: strings, headings: strings }), 'Collect', [lighthouse]);
		expect(value.emails).toEqual(['visits@harbourlight.example']);
		expect(value.headings).toContain('Opening hours');
	});

	it('is filled from what a tool has answered', async () => {
		const { text } = await talk(
			[
				user('use get_weather for Paris'),
				{
					role: 'assistant',
					content: [],
					toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: '{}' }],
				},
				{
					role: 'tool',
					callId: 'call_1',
					content: [{ type: 'text', text: '{"temperature": 21, "sky": "clear"}' }],
				},
			],
			{
				format: {
					type: 'schema',
					name: 'x',
					isStrict: true,
					schema: object({ temperature: { type: 'number' } }),
				},
			},
		);
		expect(JSON.parse(text)).toEqual({ temperature: 21 });
	});

	it.each([
		[
			'that refers to itself',
			{
				$ref: '#/$defs/node',
				$defs: {
					node: {
						type: 'object',
						properties: {
							name: { type: 'string' },
							children: { type: 'array', items: { $ref: '#/$defs/node' } },
						},
						required: ['name', 'children'],
					},
				},
			},
		],
		[
			'that has alternatives by a constant',
			{
				type: 'object',
				properties: { kind: { oneOf: [{ const: 'a' }, { const: 'b' }] } },
				required: ['kind'],
			},
		],
		[
			'that wants different items',
			{ type: 'array', items: { type: 'integer', minimum: 5 }, minItems: 3, uniqueItems: true },
		],
		[
			'with patterns',
			object({
				a: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}(?:/x)?$' },
				b: { type: 'string', pattern: '^(red|blue)+$' },
			}),
		],
		['with a pattern that takes for ever', object({ a: { type: 'string', pattern: '^(x+)+$' } })],
		[
			'with numbers between bounds',
			object({
				a: { type: 'number', exclusiveMinimum: 3, exclusiveMaximum: 3.5 },
				b: { type: 'integer', multipleOf: 7, minimum: 10 },
				c: { type: 'number', maximum: -2 },
			}),
		],
		['that is always true', {}],
	] as [string, JsonObject][])('%s gets a valid value', async (_, schema) => {
		const { value } = await extract(schema);
		expect(ajv.validate(schema, value), JSON.stringify(value)).toBe(true);
	});
});
