import { describe, expect, test } from 'vitest';
import { SchemaTranslator } from '../src/request/schema.ts';

/** Translates a schema and returns it with the warnings. */
function translate(schema: object, isStrict = true) {
	const warnings = new Set<string>();
	const { $defs, ...root } = new SchemaTranslator('the.schema', isStrict, warnings).translate(schema as never);
	return { root, $defs: $defs as Record<string, unknown>, warnings: [...warnings] };
}

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('a schema for grammars', () => {
	test('keeps types, lengths, counts and enums', () => {
		const parts = {
			name: { type: 'string', minLength: 1, maxLength: 5 },
			day: { type: 'string', format: 'date' },
			list: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 3 },
			kind: { enum: ['a', 1, null] },
		};
		const { root, warnings } = translate(object(parts, { required: ['name'], additionalProperties: false }));
		expect(root).toEqual({ type: 'object', properties: parts, additionalProperties: false });
		expect(warnings).toEqual([]);
	});

	test('uses oneOf for anyOf, oneOf, a single allOf and lists of types', () => {
		const text = { type: 'string' };
		expect(translate({ anyOf: [text] }).root).toEqual({ oneOf: [text] });
		expect(translate({ oneOf: [text] }).root).toEqual({ oneOf: [text] });
		expect(translate({ allOf: [text] }).root).toEqual({ oneOf: [text] });
		const both = translate({ type: ['object', 'null'], properties: { text } }).root;
		expect(both).toEqual({
			oneOf: [{ type: 'object', properties: { text }, additionalProperties: false }, { type: 'null' }],
		});
	});

	test('shares one definition of any value for schemas without a type', () => {
		const { root, $defs } = translate(object({ any: {}, also: true }));
		expect(root.properties).toEqual({ any: { $ref: '#/$defs/plinth-any' }, also: { $ref: '#/$defs/plinth-any' } });
		expect($defs['plinth-any']).toHaveProperty('oneOf');
	});

	test('keeps definitions, also under `definitions`, and references to the root', () => {
		const node = object({ next: { $ref: '#/definitions/node' }, whole: { $ref: '#' } });
		const { root, $defs } = translate(object({ first: { $ref: '#/$defs/node' } }, { definitions: { node } }));
		expect(root.properties).toEqual({ first: { $ref: '#/$defs/node' } });
		expect($defs.node).toMatchObject({
			properties: { next: { $ref: '#/$defs/node' }, whole: { $ref: '#/$defs/plinth-root' } },
		});
		expect($defs['plinth-root']).toEqual(root);
	});

	test('defines each required property', () => {
		const { root } = translate({ type: 'object', properties: { a: { type: 'null' } }, required: ['a', 'b'] });
		expect(Object.keys(root.properties as object)).toEqual(['a', 'b']);
	});

	test('omits annotations, and the integer bounds that zod adds', () => {
		const integer = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
		const { root } = translate({ ...integer, title: 'A', description: 'B', default: 1, examples: [2], $schema: 'x' });
		expect(root).toEqual({ type: 'integer' });
	});

	test.each([
		['pattern', { type: 'string', pattern: 'x' }],
		['format', { type: 'string', format: 'email' }],
		['minimum', { type: 'integer', minimum: 0 }],
		['multipleOf', { type: 'number', multipleOf: 2 }],
		['uniqueItems', { type: 'array', uniqueItems: true }],
		['prefixItems', { type: 'array', prefixItems: [] }],
		['patternProperties', { type: 'object', patternProperties: {} }],
		['not', { type: 'string', not: {} }],
		['properties', { anyOf: [{ type: 'null' }], properties: {} }],
		['allOf', { allOf: [{ type: 'null' }, { type: 'null' }] }],
		['maxLength over 1000', { type: 'string', maxLength: 1_001 }],
		['minItems over 1000', { type: 'array', minItems: 'many' }],
	])('rejects %s when it is strict, and otherwise warns', (keyword, schema) => {
		const message = `the.schema.properties.it: this model cannot guarantee ${keyword}.`;
		expect(() => translate(object({ it: schema }))).toThrow(message);
		expect(translate(object({ it: schema }), false).warnings).toContain(
			`This model does not enforce ${keyword} of the.schema.`,
		);
	});

	const crowded = (levels: number): object =>
		levels === 0 ? { type: 'null' } : { type: 'array', items: crowded(levels - 1), minItems: 50 };
	const deep = (levels: number): object => (levels === 0 ? {} : { type: 'array', items: deep(levels - 1) });

	test.each([
		['of a false part', object({ it: false }), 'the schema false'],
		['of an unknown type', { type: 'map' }, 'the type "map"'],
		['with a definition that is missing', { $ref: '#/$defs/none' }, 'the definition none, which is missing'],
		['with a reference to another document', { $ref: 'https://a.example/b' }, 'the reference https://a.example/b'],
		['that is too deep', deep(40), 'a schema of this size'],
		['that is too large when its lists are written out', crowded(4), 'a schema of this size'],
		['that is too large', { enum: Array.from({ length: 2_001 }, (_, each) => each) }, 'a schema of this size'],
	])('rejects one %s, strict or not', (_, schema, what) => {
		for (const isStrict of [true, false]) {
			expect(() => translate(schema, isStrict)).toThrow(`this model cannot guarantee ${what}`);
		}
	});
});
