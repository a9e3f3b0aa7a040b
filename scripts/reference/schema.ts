import { z } from 'zod';

/** An option of a schema. */
export interface Option {
	/** Members of nested objects are separated by a dot: `ocr.languages`. */
	readonly name: string;
	readonly schema: z.ZodType;
}

/** The options of a schema. Each comes before its nested options. */
export function* optionsOf(schema: z.ZodType, prefix = ''): Generator<Option> {
	const bare = unwrap(schema);
	if (bare instanceof z.ZodUnion) {
		for (const form of bare.options) yield* optionsOf(form as z.ZodType, prefix);
	}
	if (!(bare instanceof z.ZodObject)) return;
	for (const [key, option] of Object.entries(bare.shape as Record<string, z.ZodType>)) {
		yield { name: `${prefix}${key}`, schema: option };
		yield* optionsOf(option, `${prefix}${key}.`);
	}
}

/** The default of an option as JSON: `needed` for a required one, `–` for none. */
export function defaultOf(schema: z.ZodType): string {
	// The keys of an object have their own defaults.
	if (unwrap(schema) instanceof z.ZodObject) return schema.safeParse(undefined).success ? '–' : 'needed';
	// The input of a conversion, not its output.
	if (schema instanceof z.ZodPipe && !(schema.in instanceof z.ZodTransform)) {
		return defaultOf(schema.in as z.ZodType);
	}
	const { success, data } = schema.safeParse(undefined);
	if (!success) return 'needed';
	return data === undefined ? '–' : `\`${JSON.stringify(data)}\``;
}

/** The allowed values of an option in words: `integer, 1 to 64`. */
export function typeOf(schema: z.ZodType): string {
	const bare = unwrap(schema);
	if (bare instanceof z.ZodUnion) {
		const forms = bare.options.map((form) => typeOf(form as z.ZodType));
		return [...new Set(forms)].join(' or ');
	}
	if (bare instanceof z.ZodArray) {
		const of = typeOf(bare.element as z.ZodType);
		return bare.element instanceof z.ZodUnion ? `list of (${of})` : `list of ${of}`;
	}
	if (bare instanceof z.ZodRecord) return `map of ${typeOf(bare.valueType as z.ZodType)}`;
	if (bare instanceof z.ZodObject) return 'object';
	if (bare instanceof z.ZodBoolean) return '`true` or `false`';
	if (bare instanceof z.ZodEnum) return alternatives(bare.options);
	if (bare instanceof z.ZodLiteral) return alternatives([...bare.values]);
	if (bare instanceof z.ZodNumber) return numberType(bare);
	if (bare instanceof z.ZodURL) return 'address';
	if (bare instanceof z.ZodString) return 'text';
	return 'any value';
}

/** The inner schema: without optionality, and for a conversion the side that is not a function. */
function unwrap(schema: z.ZodType): z.ZodType {
	if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
		return unwrap(schema.unwrap() as z.ZodType);
	}
	if (!(schema instanceof z.ZodPipe)) return schema;
	return unwrap((schema.out instanceof z.ZodTransform ? schema.in : schema.out) as z.ZodType);
}

function alternatives(values: readonly unknown[]): string {
	const shown = values.map((value) => `\`${String(value)}\``);
	return [shown.slice(0, -1).join(', '), shown.at(-1)].filter(Boolean).join(' or ');
}

function numberType(schema: z.ZodNumber): string {
	// JSON Schema has the bounds under documented names.
	const {
		type,
		minimum: least = -Infinity,
		exclusiveMinimum: above,
		maximum = Infinity,
	} = z.toJSONSchema(schema, { io: 'output' });
	const name = type === 'integer' ? type : 'number';
	const most = maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
	const bound = (value: number) => value.toLocaleString('en-US');
	if (typeof above === 'number') {
		return `${name} above ${bound(above)}${most === undefined ? '' : `, at most ${bound(most)}`}`;
	}
	if (least <= Number.MIN_SAFE_INTEGER) {
		return most === undefined ? name : `${name}, at most ${bound(most)}`;
	}
	if (most === undefined) return `${name}, at least ${bound(least)}`;
	return `${name}, ${bound(least)} to ${bound(most)}`;
}
