import { z } from 'zod';
import { meaningIn, type Place } from './meanings.ts';

/** A JSON Schema, or a part of one. */
export type Json = Readonly<Record<string, unknown>>;

/** A text with an environment variable, which may have any value. */
export const variable: Json = { type: 'string', pattern: '\\$\\{' };
/** A number as text, or a variable. */
export const numberText: Json = { type: 'string', pattern: '^\\s*-?[0-9.]+\\s*$|\\$\\{' };
/** `true` or `false` as text, or a variable. */
export const switchText: Json = { type: 'string', pattern: '^(?:true|false)$|\\$\\{' };

/** The JSON Schema of a zod schema, with the doc comments of these sources as descriptions. */
export function toJson(schema: z.ZodType, places: readonly Place[]): Json {
	const options = { io: 'input', target: 'draft-7', unrepresentable: 'any', override: keepDefault } as const;
	const { $schema, definitions, ...json } = z.toJSONSchema(schema, options);
	return described(withTexts(json as Json), places, '');
}

interface Converted {
	readonly zodSchema: z.core.$ZodTypes;
	readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/**
 * Keeps the default of a preprocessed schema. Zod leaves out the default of every schema that transforms, because it is
 * a value of the output. A preprocessed schema also accepts it as its input.
 */
function keepDefault({ zodSchema, jsonSchema }: Converted): void {
	if (!(zodSchema instanceof z.ZodDefault)) return;
	const { innerType, defaultValue } = zodSchema.def;
	if (innerType instanceof z.ZodPipe && innerType.in instanceof z.ZodTransform) jsonSchema.default = defaultValue;
}

/** Adds descriptions to the schemas of members, by their names. */
export function describe(members: Json, places: readonly Place[], prefix = ''): Json {
	return mapMembers(members, (member, name) => {
		const meaning = places.length > 0 ? meaningIn(places, `${prefix}${name}`) : undefined;
		const text = meaning?.replaceAll('\\|', '|');
		return { ...(text ? { description: text } : {}), ...described(member, places, `${prefix}${name}.`) };
	});
}

function described(json: Json, places: readonly Place[], prefix: string): Json {
	const { properties, anyOf, oneOf } = json;
	const all = (list: unknown) => (list as readonly Json[]).map((form) => described(form, places, prefix));
	return {
		...json,
		...(properties ? { properties: describe(properties as Json, places, prefix) } : {}),
		...(anyOf ? { anyOf: all(anyOf) } : {}),
		...(oneOf ? { oneOf: all(oneOf) } : {}),
	};
}

/** Variables are text, so text is allowed for every number, boolean and bounded text. */
function withTexts(json: Json): Json {
	// Only recursive schemas become references, such as the schema of any JSON value.
	if ('$ref' in json) return {};
	const text = textFor(json);
	if (text) {
		const { default: fallback, ...bare } = json;
		const form = { anyOf: [bare, { $ref: `#/definitions/${text}` }] };
		return fallback === undefined ? form : { default: fallback, ...form };
	}
	const out: Record<string, unknown> = { ...json };
	for (const key of ['anyOf', 'oneOf', 'allOf'])
		if (json[key]) out[key] = (json[key] as readonly Json[]).map(withTexts);
	if (json.properties) out.properties = mapMembers(json.properties as Json, withTexts);
	for (const key of ['items', 'additionalProperties']) {
		if (typeof json[key] === 'object') out[key] = withTexts(json[key] as Json);
	}
	return out;
}

function textFor({ type, enum: values, const: value, ...rest }: Json): string | undefined {
	if (type === 'number' || type === 'integer') return 'numberText';
	if (type === 'boolean') return 'switchText';
	if (values || typeof value === 'string') return 'variable';
	const isBounded = ['minLength', 'maxLength', 'pattern', 'format'].some((key) => key in rest);
	return type === 'string' && isBounded ? 'variable' : undefined;
}

function mapMembers(members: Json, change: (member: Json, name: string) => Json): Json {
	return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member as Json, name)]));
}
