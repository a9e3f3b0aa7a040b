import type { core, z } from 'zod';

/** A JSON Schema, or any other object of the document. */
export type Node = Record<string, unknown>;

/**
 * Says of a schema what it means on the wire, where zod says something else: a default and examples stand although
 * text is turned into another type, objects stay open for members to come, and the range of exact integers is no rule
 * of ours.
 */
export function tidySchema({
	zodSchema,
	jsonSchema,
}: {
	readonly zodSchema: core.$ZodType;
	readonly jsonSchema: object;
}): void {
	const { def } = (zodSchema as core.$ZodTypes)._zod;
	const schema = jsonSchema as Node;
	if (def.type === 'default' && !('$ref' in schema)) schema.default ??= def.defaultValue;
	const { examples } = (zodSchema as z.ZodType).meta() ?? {};
	if (examples && !('$ref' in schema)) schema.examples ??= examples;
	if (def.type === 'object' && !def.catchall) delete schema.additionalProperties;
	if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
	if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/**
 * JSON carries no files: gives the JSON body of every operation a schema of its own, named with `Json` at its end,
 * where the one that it shares with the multipart body has binary forms. Multipart bodies say that their objects are
 * written `name[member]`, and have no lists of objects, which could not be told apart there.
 */
export function splitEncodings(document: Node): Node {
	const { paths, components } = document as { paths: Node; components: { schemas: Node } };
	const { schemas } = components;
	const find = (schema: unknown) => resolve(schema, schemas);
	for (const operation of Object.values(paths).flatMap((path) => Object.values(path as Node))) {
		const { content = {} } = ((operation as Node).requestBody ?? {}) as { content?: Node };
		const json = content['application/json'] as Node | undefined;
		const form = content['multipart/form-data'] as Node | undefined;
		if (form) Object.assign(form, encodingOf(find(form.schema), find));
		if (!json || !hasFiles(find(json.schema))) continue;
		const without = withoutFiles(find(json.schema));
		const name = refName(json.schema);
		if (name === undefined) json.schema = without;
		else {
			schemas[`${name}Json`] = without;
			json.schema = { $ref: `#/components/schemas/${name}Json` };
			if (form) schemas[name] = withoutObjectLists(find(form.schema), find);
		}
	}
	return document;
}

/**
 * The members of a schema without the forms that are lists of objects, and without the examples that show such lists.
 */
function withoutObjectLists(schema: Node, find: (schema: unknown) => Node): Node {
	const isObjects = ({ items }: Node) => items !== undefined && find(items).type === 'object';
	const kept = Object.entries((schema.properties ?? {}) as Node).map(([name, property]) => {
		const { oneOf, ...rest } = property as { readonly oneOf?: readonly Node[] };
		const forms = oneOf?.filter((form) => !isObjects(form));
		if (!forms || forms.length === oneOf?.length) return [name, property];
		return [name, forms.length === 1 ? { ...forms[0], ...rest } : { ...rest, oneOf: forms }];
	});
	const { examples, ...rest } = schema as { readonly examples?: readonly object[] };
	const shown = examples?.filter((example) => !Object.values(example).some(isObjectList)) ?? [];
	return {
		...rest,
		...(shown.length === 0 ? {} : { examples: shown }),
		properties: Object.fromEntries(kept),
	};
}

function isObjectList(value: unknown): boolean {
	return Array.isArray(value) && value.some((item) => typeof item === 'object');
}

function refName(schema: unknown): string | undefined {
	const { $ref } = schema as { $ref?: string };
	return $ref?.split('/').at(-1);
}

function resolve(schema: unknown, schemas: Node): Node {
	const name = refName(schema);
	return (name === undefined ? schema : schemas[name]) as Node;
}

function encodingOf(schema: Node, find: (schema: unknown) => Node): { encoding?: Node } {
	const nested = Object.entries((schema.properties ?? {}) as Node)
		.filter(([, property]) => formsOf(find(property)).some((form) => find(form).type === 'object'))
		.map(([name]) => [name, { style: 'deepObject', explode: true }]);
	return nested.length > 0 ? { encoding: Object.fromEntries(nested) } : {};
}

function formsOf(schema: Node): readonly Node[] {
	return (schema.oneOf ?? schema.anyOf ?? [schema]) as readonly Node[];
}

function isFile(schema: unknown): boolean {
	return (schema as Node | null)?.format === 'binary';
}

/** A file, a list of files, or a choice between such: nothing of it is left in JSON. */
function isFileOnly(schema: unknown): boolean {
	const { format, items, oneOf, anyOf } = schema as Node;
	if (format === 'binary') return true;
	if (items) return isFileOnly(items);
	const forms = (oneOf ?? anyOf) as readonly Node[] | undefined;
	return forms?.every(isFileOnly) ?? false;
}

function hasFiles(node: unknown): boolean {
	if (typeof node !== 'object' || node === null) return false;
	return isFile(node) || Object.values(node).some(hasFiles);
}

/** The same schema without its binary forms; a single form that is left stands for itself. */
function withoutFiles(schema: Node): Node {
	const { properties, required, ...rest } = schema;
	if (rest.items) rest.items = withoutFiles(rest.items as Node);
	for (const key of ['oneOf', 'anyOf']) {
		const forms = rest[key] as readonly Node[] | undefined;
		if (!forms?.some(hasFiles)) continue;
		delete rest[key];
		const left = forms.filter((form) => !isFileOnly(form)).map(withoutFiles);
		if (left.length === 1) Object.assign(rest, { ...left[0], ...rest });
		else rest[key] = left;
	}
	if (!properties) return { ...rest, ...(required ? { required } : {}) };
	const kept = Object.entries(properties as Node).filter(([, property]) => !isFileOnly(property));
	const names = kept.map(([name]) => name);
	return {
		...rest,
		properties: Object.fromEntries(kept.map(([name, property]) => [name, withoutFiles(property as Node)])),
		...(required ? { required: (required as string[]).filter((name) => names.includes(name)) } : {}),
	};
}
