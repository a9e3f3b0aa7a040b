import type { JsonObject } from '@plinth/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ask, lighthouse, note, talk, user } from './conversation.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
const schema = {
	type: 'object',
	properties: {
		number: { type: 'string', pattern: '^[A-Z]{3}-\\d{1,4}$' },
		total: { type: 'number', minimum: 0 },
		email: { type: 'string', format: 'email' },
	},
	required: ['number', 'total'],
	additionalProperties: false,
};
const invoice = { number: 'INV-7', total: 57.4 };
const formatOf = (schema: JsonObject) => ({ type: 'schema', name: 'result', schema, isStrict: true }) as const;
const format = formatOf(schema);

describe('JSON for a schema', () => {
	it('comes from the message when that contains valid JSON', async () => {
		const { text, warnings } = await ask(`Repeat ${JSON.stringify(invoice, null, 2)}`, [], { format });
		expect(JSON.parse(text)).toEqual(invoice);
		expect(warnings).toEqual([]);
	});

	it('otherwise comes from a document or a tool result', async () => {
		const documents = [lighthouse, note('a.json', '{"number": 1}'), note('b.json', JSON.stringify(invoice))];
		expect(JSON.parse((await ask('Extract it from {}', documents, { format })).text)).toEqual(invoice);
		const { text } = await talk(
			[
				user('Look it up.'),
				{ role: 'assistant', content: [], toolCalls: [{ id: 'call_1', name: 'look', arguments: '{}' }] },
				{ role: 'tool', callId: 'call_1', content: [{ type: 'text', text: JSON.stringify(invoice) }] },
			],
			{ format },
		);
		expect(JSON.parse(text)).toEqual(invoice);
	});

	it('is otherwise generated, with a warning; equal seeds give equal JSON', async () => {
		const make = (seed: number) => ask('Extract the invoice', [lighthouse], { format, seed });
		const [one, same, other] = [await make(5), await make(5), await make(6)];
		expect(ajv.validate(schema, JSON.parse(one.text)), one.text).toBe(true);
		expect(one.warnings).toEqual([expect.stringContaining('made up')]);
		expect(same).toEqual(one);
		expect(other.text).not.toBe(one.text);
	});

	it('can use a schema that names its draft', async () => {
		const draft = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' };
		const { text } = await ask('Extract it', [], { format: formatOf(draft) });
		expect(ajv.validate(schema, JSON.parse(text))).toBe(true);
	});

	it('can be cut at the token limit', async () => {
		const { reason, text } = await ask('Extract it', [], { format, maxTokens: 2 });
		expect([reason, text.length <= 8]).toEqual(['length', true]);
	});
});

describe('JSON without a schema', () => {
	it('is the object in the message or in a document', async () => {
		const json = { type: 'json' } as const;
		expect(JSON.parse((await ask('Give {"a": [1]}', [lighthouse], { format: json })).text)).toEqual({ a: [1] });
		const { text } = await ask('Who?', [note('a.json', '{"b": 2}')], { format: json });
		expect(JSON.parse(text)).toEqual({ b: 2 });
	});

	it('is otherwise an object with the answer', async () => {
		const { text, warnings } = await ask('Who is the warden?', [lighthouse], { format: { type: 'json' } });
		expect(JSON.parse(text)).toEqual({ answer: expect.stringContaining('Oliver Brandt') });
		expect(warnings).toEqual([]);
	});
});
