import { type JsonObject, unsupportedValue } from '@plinth/core';

type Schema = Readonly<Record<string, unknown>>;
type Translated = readonly [Schema, ...string[]];

/** Any JSON object. */
export const anyObject: Schema = { type: 'object', additionalProperties: true };

const scalars: readonly unknown[] = ['number', 'integer', 'boolean', 'null'];
const formats: readonly unknown[] = ['date', 'time', 'date-time'];
/** Keywords that do not affect which values are valid. Definitions are translated separately. */
const annotations =
	/^(\$(defs|schema|id|comment)|definitions|title|description|default|examples|deprecated|(read|write)Only)$/;
/** Bounds on the work of native code, which grows with the schema. */
const maxParts = 2_000;
const maxDepth = 32;
const maxRepetitions = 1_000;
const anyName = 'plinth-any';
const rootName = 'plinth-root';
const anything: Schema = { $ref: `#/$defs/${anyName}` };
const simple = { type: ['string', 'number', 'boolean', 'null'] };
const list = { type: 'array', items: anything };
const anyValue: Schema = { oneOf: [simple, list, { type: 'object', additionalProperties: anything }] };

/**
 * Translates JSON Schema into the subset for which the library makes grammars. Other keywords are refused with 400 in
 * strict schemas, and left out with a warning in others.
 */
export class SchemaTranslator {
	readonly #context: { readonly param: string; readonly isStrict: boolean; readonly warnings: Set<string> };
	readonly #names = new Set<string>();
	#parts = 0;
	#weight = 1;

	constructor(param: string, isStrict: boolean, warnings: Set<string>) {
		this.#context = { param, isStrict, warnings };
	}

	/** The schema for the library. Throws 400 errors that name the place in the parameter. */
	translate(schema: JsonObject): Schema {
		const definitions = { ...(schema.definitions as Schema), ...(schema.$defs as Schema) };
		const root = this.#node(schema, '', 0);
		const $defs = { ...this.#members(definitions, '.$defs', 1), [anyName]: anyValue, [rootName]: root };
		const missing = [...this.#names].find((name) => !Object.hasOwn($defs, name));
		if (missing !== undefined) throw this.#refusal('', `the definition ${missing}, which is missing`);
		return { ...root, $defs };
	}

	#members(schemas: Schema, path: string, depth: number): Schema {
		const entries = Object.entries(schemas).map(([name, each]) => [name, this.#node(each, `${path}.${name}`, depth)]);
		return Object.fromEntries(entries);
	}

	#node(node: unknown, path: string, depth: number, parts = 1): Schema {
		this.#parts += parts * this.#weight;
		if (this.#parts > maxParts || depth > maxDepth) throw this.#refusal(path, `a schema of this size`);
		if (node === true) return anything;
		if (typeof node !== 'object' || node === null) throw this.#refusal(path, `the schema ${JSON.stringify(node)}`);
		const [schema, ...known] = this.#translateNode(node as Schema, path, depth + 1);
		for (const [keyword, value] of Object.entries(node)) {
			if (!annotations.test(keyword) && !known.includes(keyword)) this.#leaveOut(keyword, value, path);
		}
		return schema;
	}

	#translateNode(node: Schema, path: string, depth: number): Translated {
		const { $ref, const: constant, type = node.properties ? 'object' : node.items && 'array' } = node;
		const values = constant === undefined ? node.enum : [constant];
		if (typeof $ref === 'string') return [this.#reference($ref, path), '$ref'];
		for (const key of ['anyOf', 'oneOf', 'allOf']) {
			const branches = node[key];
			if (!Array.isArray(branches) || branches.length === 0 || (key === 'allOf' && branches.length > 1)) continue;
			return [{ oneOf: branches.map((each, at) => this.#node(each, `${path}.${key}[${at}]`, depth)) }, key, 'type'];
		}
		if (Array.isArray(values) && values.length > 0) {
			this.#node(true, path, depth, values.length);
			return [{ enum: values }, 'const', 'enum', 'type'];
		}
		if (Array.isArray(type)) {
			const variant = (each: unknown) => (scalars.includes(each) ? { type: each } : { ...node, type: each });
			return [{ oneOf: type.map((each) => this.#node(variant(each), path, depth)) }, ...Object.keys(node)];
		}
		if (type === undefined) return [anything];
		if (scalars.includes(type)) return [{ type }, 'type'];
		if (type === 'object') return this.#object(node, path, depth);
		if (type === 'array') {
			// The library describes each of the first items to the model separately, also in nested arrays.
			const times = Math.min(Math.max(Number(node.minItems) || 1, 1), 10);
			this.#weight *= times;
			const items = this.#node(node.items ?? true, `${path}.items`, depth);
			this.#weight /= times;
			return [{ type, items, ...this.#counts(node, path, 'Items') }, 'type', 'items', 'minItems', 'maxItems'];
		}
		if (type !== 'string') throw this.#refusal(path, `the type ${JSON.stringify(type)}`);
		if (formats.includes(node.format)) return [{ type, format: node.format }, 'type', 'format'];
		return [{ type, ...this.#counts(node, path, 'Length') }, 'type', 'minLength', 'maxLength'];
	}

	#object(node: Schema, path: string, depth: number): Translated {
		const declared = { ...(node.properties as Schema) };
		const { additionalProperties: extra = Object.keys(declared).length === 0, required = [] } = node;
		// Grammars generate all properties, also optional ones.
		const undeclared = Array.isArray(required) ? required.filter((name) => !Object.hasOwn(declared, name)) : [];
		const all = { ...declared, ...Object.fromEntries(undeclared.map((name) => [name, true])) };
		const properties = this.#members(all, `${path}.properties`, depth);
		const rest = typeof extra === 'boolean' ? extra : this.#node(extra, `${path}.additionalProperties`, depth);
		const schema = { type: 'object', properties, additionalProperties: rest };
		return [schema, 'type', 'properties', 'additionalProperties', 'required'];
	}

	#counts(node: Schema, path: string, what: string): Schema {
		const names = [`min${what}`, `max${what}`].filter((name) => node[name] !== undefined);
		const large = names.filter((name) => !(Number(node[name]) <= maxRepetitions));
		for (const name of large) this.#leaveOut(`${name} over ${maxRepetitions}`, node[name], path);
		return Object.fromEntries(names.filter((name) => !large.includes(name)).map((name) => [name, node[name]]));
	}

	#reference(target: string, path: string): Schema {
		const [, name] = target === '#' ? ['', rootName] : (/^#\/(?:\$defs|definitions)\/([^/~%]+)$/.exec(target) ?? []);
		if (name === undefined) throw this.#refusal(path, `the reference ${target}`);
		this.#names.add(name);
		return { $ref: `#/$defs/${name}` };
	}

	#leaveOut(keyword: string, value: unknown, path: string): void {
		// zod writes these bounds for every integer.
		if (/^(minimum|maximum)$/.test(keyword) && Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER) return;
		if (this.#context.isStrict) throw this.#refusal(path, keyword);
		this.#context.warnings.add(`This model does not enforce ${keyword.slice(0, 40)} of ${this.#context.param}.`);
	}

	#refusal(path: string, what: string): Error {
		const { param } = this.#context;
		return unsupportedValue(param, `${param}${path.slice(0, 200)}: this model cannot guarantee ${what.slice(0, 100)}.`);
	}
}
