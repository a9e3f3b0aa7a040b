import { z } from 'zod';
import type { ZodOpenApiOverride } from 'zod-openapi';

/** A JSON Schema, or any other object of the document. */
export type Node = Record<string, unknown>;

/**
 * Corrects the JSON Schema of zod: keeps the default and the examples of a value that is converted from text, keeps
 * objects open for members of later versions, and removes the range of exact integers, which is no rule of the API.
 */
export const tidySchema: ZodOpenApiOverride = ({ zodSchema, jsonSchema }) => {
	const { def } = zodSchema._zod;
	const schema: Node = jsonSchema;
	if (def.type === 'default' && !('$ref' in schema)) schema.default ??= def.defaultValue;
	const { examples } = z.globalRegistry.get(zodSchema) ?? {};
	if (examples && !('$ref' in schema)) schema.examples ??= examples;
	if (def.type === 'object' && !def.catchall) delete schema.additionalProperties;
	if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
	if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
};

/**
 * JSON has no files, and forms have no `null`. So a JSON body that shares its schema with a multipart body gets its own
 * schema, whose name ends with `Json`. Optional members of JSON bodies may be `null`. Multipart bodies state that their
 * objects are written as `name[member]`, and have no lists of objects, whose items could not be distinguished there.
 */
export function splitEncodings(document: Node): Node {
	const { paths, components } = document as { paths: Record<string, Node>; components: { schemas: Node } };
	const { schemas } = components;
	const referenced = new Set<string>();
	const find: Find = (schema) => (schemas[nameOf(schema)] ?? schema) as Node;
	const isObjectList = ({ items }: Node) => items !== undefined && find(items).type === 'object';
	for (const operation of Object.values(paths).flatMap((path) => Object.values(path) as Node[])) {
		const { content = {} } = (operation.requestBody ?? {}) as { content?: Record<string, Node> };
		const { 'application/json': json, 'multipart/form-data': form } = content;
		const nested = form ? nestedMembers(find(form.schema), find) : [];
		if (form && nested.length > 0) {
			form.encoding = Object.fromEntries(nested.map((name) => [name, { style: 'deepObject', explode: true }]));
		}
		if (!json) continue;
		const own = without(isFile, find(json.schema), orNull) ?? {};
		for (const name of referencesOf(own)) referenced.add(name);
		const name = nameOf(json.schema);
		if (name === '') json.schema = own;
		else {
			const ownName = form ? `${name}Json` : name;
			schemas[ownName] = own;
			json.schema = { $ref: `#/components/schemas/${ownName}` };
			if (form) schemas[name] = withoutListExamples(without(isObjectList, find(form.schema)) ?? {});
		}
	}
	for (const name of referenced) {
		schemas[name] = without(() => false, schemas[name] as Node, orNull);
		for (const further of referencesOf(schemas[name] as Node)) referenced.add(further);
	}
	return document;
}

function referencesOf(schema: Node): readonly string[] {
	const found = JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
	return [...found].map(([, name]) => String(name));
}

function orNull(schema: Node): Node {
	const { type, enum: values } = schema;
	const key = schema.oneOf ? 'oneOf' : 'anyOf';
	const forms = schema[key] as readonly Node[] | undefined;
	if ('$ref' in schema || 'const' in schema) return { anyOf: [schema, { type: 'null' }] };
	if (forms?.some((form) => form.type === 'null')) return schema;
	if (forms) return { ...schema, [key]: [...forms, { type: 'null' }] };
	const types = [type ?? 'null'].flat();
	if (types.includes('null')) return schema;
	return { ...schema, type: [...types, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) };
}

type Find = (schema: unknown) => Node;

/** The name in a reference; empty for a schema that is not a reference. */
function nameOf(schema: unknown): string {
	return (schema as { $ref?: string }).$ref?.split('/').at(-1) ?? '';
}

function nestedMembers(schema: Node, find: Find): readonly string[] {
	const isNested = (property: unknown) => {
		const { oneOf, anyOf, ...itself } = find(property);
		const forms = (oneOf ?? anyOf ?? [itself]) as readonly Node[];
		return forms.some((form) => find(form).type === 'object');
	};
	const members = Object.entries((schema.properties ?? {}) as Node);
	return members.filter(([, property]) => isNested(property)).map(([name]) => name);
}

/**
 * The schema without the schemas in it for which `isLeftOut` is true. If one form of a union is left, it replaces the
 * union. `optional` changes each member that is not required.
 */
function without(
	isLeftOut: (schema: Node) => boolean,
	schema: Node,
	optional = (member: Node) => member,
): Node | undefined {
	if (isLeftOut(schema)) return undefined;
	const result = { ...schema };
	if (schema.items) {
		result.items = without(isLeftOut, schema.items as Node, optional);
		if (!result.items) return undefined;
	}
	for (const key of ['oneOf', 'anyOf']) {
		const forms = (schema[key] ?? []) as readonly Node[];
		const remaining = forms.map((form) => without(isLeftOut, form, optional)).filter((form) => form !== undefined);
		if (forms.length > 0) result[key] = remaining;
		if (remaining.length === forms.length || remaining.length > 1) continue;
		if (remaining.length === 0) return undefined;
		delete result[key];
		Object.assign(result, { ...remaining[0], ...result });
	}
	if (schema.properties) {
		const properties: Node = {};
		// Which members are required may depend on the others.
		const all = [schema, ...((schema.oneOf ?? []) as Node[])].flatMap((form) => form.required ?? []);
		for (const [name, property] of Object.entries(schema.properties)) {
			const remaining = without(isLeftOut, property as Node, optional);
			if (remaining) properties[name] = all.includes(name) ? remaining : optional(remaining);
		}
		result.properties = properties;
		if (schema.required) result.required = (schema.required as string[]).filter((name) => name in properties);
	}
	return result;
}

const isFile = ({ format }: Node) => format === 'binary';

function withoutListExamples({ examples, ...rest }: Node): Node {
	const isObjectList = (value: unknown) => Array.isArray(value) && value.some((item) => typeof item === 'object');
	const shown = ((examples ?? []) as object[]).filter((example) => !Object.values(example).some(isObjectList));
	return { ...rest, ...(shown.length > 0 && { examples: shown }) };
}
