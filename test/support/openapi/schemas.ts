import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ApiDocument } from './document.ts';

/** Validates a value. Returns its violations; an empty list means that it is valid. */
export type Check = (value: unknown) => readonly string[];

/** The key of a file in values that are checked against a request schema. */
export const fileMark = '$file';

/**
 * Compiles schemas of a document by their JSON pointers, for one use. A `response` may only have the members that the
 * document lists. In a `form` a binary value is a file and never a text.
 */
export class SchemaChecks {
	readonly #ajv: Ajv2020;
	readonly #checks = new Map<string, Check>();

	constructor(document: ApiDocument, use: 'json' | 'form' | 'response') {
		this.#ajv = new Ajv2020({ strict: false, allErrors: false, formats });
		const rewritten = { json: (raw: unknown) => raw, form: withFileObjects, response: withoutExtraMembers }[use];
		this.#ajv.addSchema({ ...(rewritten(document.raw) as AnySchemaObject), $id: 'openapi' });
	}

	/** The check for a pointer such as `#/components/schemas/Error`. */
	at(pointer: string): Check {
		let check = this.#checks.get(pointer);
		if (!check) {
			const validate = this.#ajv.compile({ $ref: `openapi${pointer}` });
			check = (value) => violations(validate, value);
			this.#checks.set(pointer, check);
		}
		return check;
	}
}

const formats = {
	binary: true,
	byte: /^[A-Za-z0-9+/]*={0,2}$/,
	'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
	double: true,
	int32: true,
	int64: true,
	uri: /^[a-z][a-z0-9+.-]*:\S*$/i,
	uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
} as const;

function violations(validate: ValidateFunction, value: unknown): readonly string[] {
	if (validate(value)) return [];
	return (validate.errors ?? []).map(
		({ instancePath, message, params }) => `${instancePath || 'the value'} ${message} (${JSON.stringify(params)})`,
	);
}

/**
 * Documents allow additional members in responses, so that members can be added later. These tests allow the listed
 * ones only.
 */
function withoutExtraMembers(node: unknown): unknown {
	return mapSchemas(node, (schema) =>
		schema.type === 'object' && schema.properties && schema.additionalProperties === undefined
			? { ...schema, additionalProperties: false }
			: schema,
	);
}

function withFileObjects(node: unknown): unknown {
	return mapSchemas(node, (schema) =>
		schema.type === 'string' && schema.format === 'binary' ? { type: 'object', required: [fileMark] } : schema,
	);
}

type Node = Readonly<Record<string, unknown>>;

function mapSchemas(node: unknown, change: (node: Node) => Node): unknown {
	if (Array.isArray(node)) return node.map((item) => mapSchemas(item, change));
	if (typeof node !== 'object' || node === null) return node;
	return Object.fromEntries(
		Object.entries(change(node as Node)).map(([key, value]) => [key, mapSchemas(value, change)]),
	);
}
