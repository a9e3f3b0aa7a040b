import { nameOf, resolved, type Schema, type Schemas } from '../../api/openapi.ts';
import { textOf } from '../playground/call/call.ts';

/** A property of an object, with its texts for the page. */
export interface Member {
	readonly name: string;
	readonly type: string;
	readonly isRequired: boolean;
	readonly description: string | undefined;
	/** `1 to 256 characters`, `default 4`, `one of a, b`. */
	readonly facts: readonly string[];
	/** The objects in the value, if any. */
	readonly parts: readonly Part[];
}

/** One of the forms that a value may have. */
export interface Part {
	/** `object`, `each object`, `form 2: object`. */
	readonly title: string;
	readonly schema: Schema;
}

/** The members of an object, or of the items of a list. */
export function membersOf(schema: Schema, schemas: Schemas): readonly Member[] {
	const { properties = {}, required = [], allOf = [] } = resolved(schema, schemas);
	const inherited = allOf.flatMap((part) => membersOf(part, schemas));
	const own = Object.entries(properties).map(([name, each]) => memberOf(name, each, required.includes(name), schemas));
	return [...inherited, ...own];
}

/** A parameter or a member with its type and bounds. */
export function memberOf(name: string, schema: Schema, isRequired: boolean, schemas: Schemas): Member {
	const whole = resolved(schema, schemas);
	return {
		name,
		type: typeOf(schema, schemas),
		isRequired,
		description: whole.description,
		facts: factsOf(whole, schemas),
		parts: partsOf(schema, schemas),
	};
}

/** The type: `string`, `list of integer`, `string or object`. A schema that contains itself is `any` there. */
export function typeOf(schema: Schema, schemas: Schemas, within: readonly Schema[] = []): string {
	const named = schemas[nameOf(schema) ?? ''];
	if (named && within.includes(named)) return 'any';
	const inner = named ? [...within, named] : within;
	const whole = resolved(schema, schemas);
	const { type, format, items, properties, allOf, const: constant, enum: values } = whole;
	const forms = whole.oneOf ?? whole.anyOf;
	if (forms) return unique(forms.map((form) => typeOf(form, schemas, inner)));
	if (format === 'binary') return 'file';
	if (items) return `list of ${typeOf(items, schemas, inner)}${isNullable(type) ? ' or null' : ''}`;
	if (type !== undefined) return unique([type].flat());
	if (constant !== undefined) return typeof constant;
	if (values) return unique(values.map((value) => (value === null ? 'null' : typeof value)));
	return properties || allOf ? 'object' : 'any';
}

function isNullable(type: Schema['type']): boolean {
	return [type].flat().includes('null');
}

function unique(names: readonly string[]): string {
	const all = [...new Set(names.flatMap((name) => name.split(' or ')))];
	// `null` comes last.
	return [...all.filter((name) => name !== 'null'), ...all.filter((name) => name === 'null')].join(' or ');
}

function factsOf(schema: Schema, schemas: Schemas): readonly string[] {
	const { enum: values, const: constant, default: fallback, examples, pattern, format, items } = schema;
	const allowed = values?.filter((value) => value !== null);
	return [
		...(allowed ? [`one of ${allowed.map(textOf).join(', ')}`] : []),
		...(constant === undefined ? [] : [`always ${textOf(constant)}`]),
		...range(schema, 'minLength', 'maxLength', ' characters'),
		...range(schema, 'minItems', 'maxItems', ' items'),
		...range(schema, 'minimum', 'maximum', ''),
		...bound(schema, 'exclusiveMinimum', 'above'),
		...bound(schema, 'exclusiveMaximum', 'below'),
		...(typeof pattern === 'string' ? [`matches ${pattern}`] : []),
		...(format && format !== 'binary' ? [format] : []),
		...(fallback === undefined ? [] : [`default ${textOf(fallback)}`]),
		...(examples?.length && !allowed ? [`for example ${textOf(examples[0])}`] : []),
		...(items ? factsOf(resolved(items, schemas), schemas).map((fact) => `each ${fact}`) : []),
	];
}

function range(schema: Schema, low: string, high: string, unit: string): readonly string[] {
	const [least, most] = [number(schema[low]), number(schema[high])];
	if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
	if (most !== undefined) return [`at most ${most}${unit}`];
	return least === undefined ? [] : [`at least ${least}${unit}`];
}

function bound(schema: Schema, name: string, word: string): readonly string[] {
	const value = number(schema[name]);
	return value === undefined ? [] : [`${word} ${value}`];
}

function number(value: unknown): string | undefined {
	// Zod writes these bounds for every integer, so they are not shown.
	if (typeof value !== 'number' || Math.abs(value) >= Number.MAX_SAFE_INTEGER) return undefined;
	return value.toLocaleString('en');
}

/** The objects that a value may be or contain. A schema inside itself, such as any JSON, is skipped. */
function partsOf(schema: Schema, schemas: Schemas, within: readonly Schema[] = []): readonly Part[] {
	const named = schemas[nameOf(schema) ?? ''];
	if (named && within.includes(named)) return [];
	const inner = named ? [...within, named] : within;
	const whole = resolved(schema, schemas);
	const forms = (whole.oneOf ?? whole.anyOf)?.filter(({ type }) => type !== 'null');
	if (forms) {
		const parts = forms.flatMap((form) => partsOf(form, schemas, inner));
		if (parts.length < 2) return parts;
		return parts.map(({ title, schema: part }, index) => ({ title: `form ${index + 1}: ${title}`, schema: part }));
	}
	if (whole.items) {
		const parts = partsOf(whole.items, schemas, inner);
		return parts.map(({ title, schema: part }) => ({ title: `each ${title}`, schema: part }));
	}
	if (whole.properties || whole.allOf) return [{ title: kindOf(whole) ?? nameOf(schema) ?? 'object', schema: whole }];
	return typeof whole.additionalProperties === 'object' ? partsOf(whole.additionalProperties, schemas, inner) : [];
}

/** The title of a form of a value: its property with a constant, such as `type image_url`. */
function kindOf({ properties = {} }: Schema): string | undefined {
	const [name, value] = Object.entries(properties).find(([, { const: constant }]) => constant !== undefined) ?? [];
	return name === undefined ? undefined : `object with ${name} ${textOf(value?.const)}`;
}
