import type { Json, JsonObject } from '@plinth/core';

/** A JSON Schema: an object, or whether anything is allowed. */
export type Schema = JsonObject | boolean;

/** The names of JSON's types. */
export type TypeName = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';

/** Whether a JSON value is an object. */
export function isObject(value: Json | undefined): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value can be a schema. */
function isSchema(value: Json | undefined): value is Schema {
	return isObject(value) || typeof value === 'boolean';
}

/** The schemas in a keyword that takes a list: `anyOf`. */
export function schemasIn(value: Json | undefined): readonly Schema[] {
	return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** The strings in a keyword that takes a list of them: `required`. */
export function stringsIn(value: Json | undefined): readonly string[] {
	return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** The schemas in a keyword that takes named ones: `properties`. */
export function namedSchemas(value: Json | undefined): readonly (readonly [string, Schema])[] {
	if (!isObject(value)) return [];
	return Object.entries(value).flatMap(([name, schema]) => (isSchema(schema) ? [[name, schema] as const] : []));
}

/**
 * A schema as an object with its references followed and `allOf` merged in. A reference that comes round again adds nothing. `false`
 * is not resolved: nothing is valid.
 */
export function resolve(schema: Schema, root: Schema, seen: ReadonlySet<string> = new Set()): JsonObject {
	if (typeof schema === 'boolean') return {};
	const { $ref, allOf, ...own } = schema;
	const parts = [...schemasIn(allOf)];
	const isNew = typeof $ref === 'string' && !seen.has($ref);
	if (isNew) parts.push(referred($ref, root) ?? true);
	const known = isNew ? new Set([...seen, $ref]) : seen;
	return parts.map((part) => resolve(part, root, known)).reduce(merge, own);
}

/** The types that a resolved schema allows; all when it names none. */
export function typesOf(schema: JsonObject): readonly TypeName[] {
	const { type } = schema;
	if (typeof type === 'string') return [type as TypeName];
	if (Array.isArray(type)) return stringsIn(type) as readonly TypeName[];
	if (schema.properties || schema.required || schema.additionalProperties) return ['object'];
	if (schema.items || schema.prefixItems) return ['array'];
	return ['string', 'object', 'array', 'number', 'integer', 'boolean', 'null'];
}

function referred(pointer: string, root: Schema): Schema | undefined {
	if (!pointer.startsWith('#')) return undefined;
	let value: Json | undefined = root;
	for (const step of pointer.slice(1).split('/').slice(1)) {
		const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
		value = Array.isArray(value) ? value[Number(name)] : isObject(value) ? value[name] : undefined;
	}
	return isSchema(value) ? value : undefined;
}

/** Both schemas hold. */
function merge(one: JsonObject, other: JsonObject): JsonObject {
	const { properties, required, ...rest } = other;
	return {
		...rest,
		...one,
		...((one.properties || properties) && {
			properties: {
				...(isObject(properties) && properties),
				...(isObject(one.properties) && one.properties),
			},
		}),
		...((one.required || required) && {
			required: [...new Set([...stringsIn(one.required), ...stringsIn(required)])],
		}),
	};
}
