import type { Json, JsonObject } from '@plinth/core';
import { matchesPattern } from './pattern.ts';
import { isObject, namedSchemas, resolve, type Schema, schemasIn, stringsIn, typesOf } from './schema.ts';

const deepest = 60;

const formats: Readonly<Record<string, RegExp>> = {
	date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
	time: /^\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/i,
	'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/i,
	email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
	uri: /^[a-z][a-z\d+.-]*:\/?\/?[^\s<>"]+$/i,
	uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
	ipv4: /^(?:\d{1,3}\.){3}\d{1,3}$/,
	duration: /^P(?=.)/,
};

/** How many more schemas are looked at: some refer to themselves in ways that would never end. */
export interface Effort {
	left: number;
}

/**
 * Whether a value is valid by the keywords of JSON Schema that describe data. Texts whose pattern cannot be run count as invalid, and
 * everything counts as valid once the effort is spent, or below a depth that no value has.
 */
export function isValid(value: Json, schema: Schema, root: Schema, effort: Effort, depth = 0): boolean {
	if (typeof schema === 'boolean') return schema;
	effort.left--;
	if (effort.left < 0 || depth > deepest) return true;
	const { $ref: _, ...flat } = resolve(schema, root);
	const sub = (one: Schema, of: Json = value) => isValid(of, one, root, effort, depth + 1);
	return (
		hasType(value, flat) &&
		(flat.const === undefined || isEqual(value, flat.const)) &&
		(!Array.isArray(flat.enum) || flat.enum.some((member) => isEqual(value, member))) &&
		(!flat.anyOf || schemasIn(flat.anyOf).some((one) => sub(one))) &&
		(!flat.oneOf || schemasIn(flat.oneOf).filter((one) => sub(one)).length === 1) &&
		schemasIn(schema.allOf).every((one) => sub(one)) &&
		(!isObject(flat.not) || !sub(flat.not)) &&
		hasContent(value, flat, sub)
	);
}

/** Whether two JSON values are equal. */
function isEqual(one: Json, other: Json): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}

function hasContent(value: Json, schema: JsonObject, sub: (schema: Schema, of: Json) => boolean): boolean {
	if (typeof value === 'string') return isString(value, schema);
	if (typeof value === 'number') return isNumber(value, schema);
	if (Array.isArray(value)) return isArray(value, schema, sub);
	return !isObject(value) || isRecord(value, schema, sub);
}

function hasType(value: Json, schema: JsonObject): boolean {
	if (schema.type === undefined) return true;
	return typesOf(schema).some((type) => {
		if (type === 'null') return value === null;
		if (type === 'array') return Array.isArray(value);
		if (type === 'object') return isObject(value);
		if (type === 'integer') return Number.isInteger(value);
		return typeof value === type;
	});
}

function isString(value: string, { minLength, maxLength, pattern, format }: JsonObject): boolean {
	const length = [...value].length;
	const shape = typeof format === 'string' ? formats[format] : undefined;
	return (
		atLeast(length, minLength) &&
		atMost(length, maxLength) &&
		(shape?.test(value) ?? true) &&
		(typeof pattern !== 'string' || matchesPattern(pattern, value) === true)
	);
}

function isNumber(value: number, schema: JsonObject): boolean {
	const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
	const steps = typeof multipleOf === 'number' && multipleOf > 0 ? value / multipleOf : 0;
	return (
		atLeast(value, minimum) &&
		atMost(value, maximum) &&
		(typeof exclusiveMinimum !== 'number' || value > exclusiveMinimum) &&
		(typeof exclusiveMaximum !== 'number' || value < exclusiveMaximum) &&
		Number.isInteger(steps)
	);
}

function isArray(value: readonly Json[], schema: JsonObject, sub: (schema: Schema, of: Json) => boolean): boolean {
	const first = schemasIn(schema.prefixItems);
	const { items, contains } = schema;
	const rest = value.slice(first.length);
	return (
		atLeast(value.length, schema.minItems) &&
		atMost(value.length, schema.maxItems) &&
		(schema.uniqueItems !== true || new Set(value.map((one) => JSON.stringify(one))).size === value.length) &&
		first.every((one, at) => at >= value.length || sub(one, value[at] ?? null)) &&
		(!(isObject(items) || typeof items === 'boolean') || rest.every((one) => sub(items, one))) &&
		(!isObject(contains) || value.some((one) => sub(contains, one)))
	);
}

function isRecord(value: JsonObject, schema: JsonObject, sub: (schema: Schema, of: Json) => boolean): boolean {
	const properties = new Map(namedSchemas(schema.properties));
	const patterns = namedSchemas(schema.patternProperties);
	const { additionalProperties, propertyNames } = schema;
	const entries = Object.entries(value);
	return (
		stringsIn(schema.required).every((name) => Object.hasOwn(value, name)) &&
		atLeast(entries.length, schema.minProperties) &&
		atMost(entries.length, schema.maxProperties) &&
		entries.every(([name, one]) => {
			const own = properties.get(name);
			const fitting = patterns.filter(([pattern]) => matchesPattern(pattern, name) !== false);
			const others = own === undefined && fitting.length === 0 ? additionalProperties : undefined;
			return (
				(own === undefined || sub(own, one)) &&
				fitting.every(([, other]) => sub(other, one)) &&
				(!(isObject(others) || typeof others === 'boolean') || sub(others, one)) &&
				(!isObject(propertyNames) || sub(propertyNames, name))
			);
		})
	);
}

function atLeast(value: number, bound: Json | undefined): boolean {
	return typeof bound !== 'number' || value >= bound;
}

function atMost(value: number, bound: Json | undefined): boolean {
	return typeof bound !== 'number' || value <= bound;
}
