import { describe, expect, test } from 'vitest';
import type { ApiDocument, Schema } from '../client/src/api/openapi.ts';
import { curlOf } from '../client/src/views/reference/curl.ts';
import { groupsOf, operationsOf } from '../client/src/views/reference/document.ts';
import { blocksOf } from '../client/src/views/reference/prose.ts';
import { memberOf, membersOf, typeOf } from '../client/src/views/reference/schema.ts';

const schemas = {
	Tree: { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/components/schemas/Tree' } } },
	Json: {
		anyOf: [
			{ type: 'string' },
			{ type: 'array', items: { $ref: '#/components/schemas/Json' } },
			{ type: 'object', additionalProperties: { $ref: '#/components/schemas/Json' } },
		],
	},
	Text: { type: 'object', properties: { type: { const: 'text' }, text: { type: 'string' } }, required: ['text'] },
} satisfies Record<string, Schema>;

const member = (schema: Schema) => memberOf('x', schema, false, schemas);

describe('a schema', () => {
	test.each([
		[{ type: 'string' }, 'string'],
		[{ type: ['integer', 'null'] }, 'integer or null'],
		[{ type: 'string', format: 'binary' }, 'file'],
		[{ type: 'array', items: { type: 'string' } }, 'list of string'],
		[{ type: ['array', 'null'], items: { $ref: '#/components/schemas/Text' } }, 'list of object or null'],
		[{ oneOf: [{ type: 'null' }, { type: 'string' }, { type: 'object' }] }, 'string or object or null'],
		[{ enum: ['a', 1, null] }, 'string or number or null'],
		[{ const: true }, 'boolean'],
		[{ $ref: '#/components/schemas/Tree' }, 'object'],
		[{ $ref: '#/components/schemas/Unknown' }, 'any'],
	] as const)('%j is named %s', (schema, name) => {
		expect(typeOf(schema as Schema, schemas)).toBe(name);
	});

	test('tells of bounds, defaults and values', () => {
		expect(member({ type: 'string', minLength: 1, maxLength: 32_000 }).facts).toEqual(['1 to 32,000 characters']);
		expect(member({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }).facts).toEqual(['at least 0']);
		expect(member({ exclusiveMinimum: 0, exclusiveMaximum: 2 }).facts).toEqual(['above 0', 'below 2']);
		expect(member({ enum: ['2', '4', null], default: '4' }).facts).toEqual(['one of 2, 4', 'default 4']);
		expect(member({ type: 'array', maxItems: 9, items: { type: 'string', maxLength: 5 } }).facts).toEqual([
			'at most 9 items',
			'each at most 5 characters',
		]);
	});

	test('may contain itself without an end', () => {
		const json = { $ref: '#/components/schemas/Json' };
		expect(typeOf(json, schemas)).toBe('string or list of any or object');
		expect(member({ type: 'object', additionalProperties: json }).parts).toEqual([]);
	});

	test('opens what it consists of, and itself again', () => {
		const [, next] = membersOf({ $ref: '#/components/schemas/Tree' }, schemas);
		expect(next?.parts.map(({ title }) => title)).toEqual(['Tree']);
		const forms = member({ anyOf: [{ $ref: '#/components/schemas/Text' }, { type: 'null' }, { type: 'string' }] });
		expect(forms.parts.map(({ title }) => title)).toEqual(['object with type text']);
		const list = member({ type: 'array', items: { oneOf: [schemas.Text, schemas.Tree] } });
		expect(list.parts.map(({ title }) => title)).toEqual(['each form 1: object with type text', 'each form 2: object']);
	});
});

const document: ApiDocument = {
	tags: [{ name: 'second' }, { name: 'first' }],
	security: [{ bearer: [] }],
	paths: {
		'/v1/things/{id}': {
			get: {
				operationId: 'get_thing',
				tags: ['first'],
				summary: 'Get a thing',
				parameters: [
					{ name: 'id', in: 'path', required: true, schema: { type: 'string', examples: ['a/$&'] } },
					{ name: 'view', in: 'query', required: true, schema: { type: 'string' } },
				],
				responses: { 200: { description: 'The bytes.', content: { 'video/mp4': {} } } },
			},
		},
		'/v1/things': {
			post: {
				tags: ['second'],
				summary: 'Make a thing',
				requestBody: {
					content: {
						'multipart/form-data': { schema: { type: 'object' } },
						'application/json': {
							schema: {
								type: 'object',
								required: ['name', 'tree', 'texts'],
								properties: {
									name: { type: 'string', examples: ["It's"] },
									tree: { $ref: '#/components/schemas/Tree' },
									texts: { type: 'array', items: { $ref: '#/components/schemas/Text' } },
								},
							},
						},
					},
				},
			},
			delete: { security: [], summary: 'Drop all' },
		},
		'/v1/files': {
			post: {
				requestBody: {
					content: {
						'multipart/form-data': {
							schema: {
								type: 'object',
								required: ['file', 'purpose'],
								properties: { file: { type: 'string', format: 'binary' }, purpose: { enum: ['@me'] } },
							},
						},
					},
				},
			},
		},
	},
	components: { schemas },
};

const operations = operationsOf(document);
const call = (index: number) =>
	curlOf(operations[index] as (typeof operations)[0], schemas, (path) => `http://h${path}`);

describe('a document', () => {
	test('has its tags in order, and then the operations without one', () => {
		const groups = groupsOf(document, operations, '');
		expect(groups.map(({ tag, operations: all }) => [tag, all.length])).toEqual([
			['second', 1],
			['first', 1],
			['other', 2],
		]);
	});

	test('is searched for all words', () => {
		expect(groupsOf(document, operations, ' THING get ').map(({ tag }) => tag)).toEqual(['first']);
		expect(groupsOf(document, operations, 'thing missing')).toEqual([]);
	});
});

describe('a call with curl', () => {
	test('fills in the path and what is required, and never has the key', () => {
		expect(call(0)).toBe(
			[
				`curl 'http://h/v1/things/a%2F%24%26?view=VIEW' \\`,
				`  -H "Authorization: Bearer $PLINTH_API_KEY" \\`,
				'  -o answer',
			].join('\n'),
		);
	});

	test('has a body of JSON with quotes that shells take', () => {
		expect(call(1)).toContain(`-d '{"name":"It'\\''s","tree":{},"texts":[{"text":"text"}]}'`);
		expect(call(2)).toBe('curl -X DELETE http://h/v1/things');
	});

	test('sends files as a form', () => {
		expect(call(3)).toContain('-F file=@FILE \\\n  --form-string purpose=@me');
	});
});

describe('a description', () => {
	test('has paragraphs, lists and code, and no links', () => {
		expect(blocksOf('One `a` two.\n\n- `b`: three\n- four [x](javascript:y)')).toEqual([
			{
				isList: false,
				items: [
					[
						{ text: 'One ', isCode: false },
						{ text: 'a', isCode: true },
						{ text: ' two.', isCode: false },
					],
				],
			},
			{
				isList: true,
				items: [
					[
						{ text: 'b', isCode: true },
						{ text: ': three', isCode: false },
					],
					[{ text: 'four [x](javascript:y)', isCode: false }],
				],
			},
		]);
	});

	test('shows a single backtick as it is', () => {
		expect(blocksOf('a ` b').flatMap(({ items }) => items.flat().map(({ isCode }) => isCode))).not.toContain(true);
	});
});
