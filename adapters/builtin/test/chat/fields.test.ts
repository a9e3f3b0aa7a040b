import type { JsonObject } from '@plinth/core';
import { describe, expect, it } from 'vitest';
import { ask, note } from './conversation.ts';

describe('a lease', () => {
	const lease = note(
		'lease.txt',
		`This lease is made as of March 4, 2024, by and between Harriet Okonkwo ("Landlord") and Tomasz Wieliczko ("Tenant").

The term is twelve months, beginning on April 1, 2024 and ending on March 31, 2025.

The deposit of $2,500.00 is returned within 14 days.

Landlord's e-mail: h.okonkwo@hill.example
VAT number: GB 318 2204 17
VAT 20%: 68.36

Qty    Description    Unit price    Amount
2      Oak board           18.40     36.80
3      Batten               2.15      6.45
       Subtotal                      43.25`,
	);
	const extract = async (properties: JsonObject) => {
		const schema = { type: 'object', properties, required: Object.keys(properties) };
		const format = { type: 'schema', name: 'lease', schema, isStrict: true } as const;
		return JSON.parse((await ask('Extract the data', [lease], { format })).text);
	};

	it('gives each date to the word that it stands behind', async () => {
		const date = { type: 'string', format: 'date' };
		expect(await extract({ start_date: date, end_date: date })).toEqual({
			start_date: '2024-04-01',
			end_date: '2025-03-31',
		});
	});

	it('does not take what belongs to a thing for the thing', async () => {
		const { landlord, vat, deposit } = await extract({
			landlord: { type: 'string' },
			vat: { type: 'number' },
			deposit: { type: 'number' },
		});
		expect(landlord).toBe('Harriet Okonkwo');
		expect(vat).toBe(68.36);
		expect(deposit).toBe(2500);
	});

	it('finds columns that are called otherwise, and leaves sums out', async () => {
		const { items } = await extract({
			items: {
				type: 'array',
				items: {
					type: 'object',
					properties: {
						name: { type: 'string' },
						quantity: { type: 'integer' },
						price: { type: 'number' },
					},
					required: ['name', 'quantity', 'price'],
				},
			},
		});
		expect(items).toEqual([
			{ name: 'Oak board', quantity: 2, price: 18.4 },
			{ name: 'Batten', quantity: 3, price: 2.15 },
		]);
	});
});
