import { type JsonObject, unsupportedValue } from '@plinth/core';

type Schema = Readonly<Record<string, unknown>>;
type Expressed = readonly [Schema, ...string[]];

/** Any JSON object. */
export const anyObject: Schema = { type: 'object', additionalProperties: true };

const scalars: readonly unknown[] = ['number', 'integer', 'boolean', 'null'];
const formats: readonly unknown[] = ['date', 'time', 'date-time'];
/** Keywords that do not say what is valid. Definitions are translated apart. */
const silent =
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
 * Translates JSON Schema into the part of it that the library makes grammars of. A keyword beyond it is refused with
 * 400 in strict schemas, and left out with a warning in others.
 */
export class SchemaTranslator {
	readonly #place: { readonly param: string; readonly isStrict: boolean; readonly warnings: Set<string> };
	readonly #names = new Set<string>();
	#parts = 0;
	#weight = 1;

	constructor(param: string, isStrict: boolean, warnings: Set<string>) {
		this.#place = { param, isStrict, warnings };
	}

	/** The schema for the library. Throws 400 errors that name the place in the parameter. */
	translate(schema: JsonObject): Schema {
		const given = { ...(schema.definitions as Schema), ...(schema.$defs as Schema) };
		const root = this.#node(schema, '', 0);
		const $defs = { ...this.#members(given, '.$defs', 1), [anyName]: anyValue, [rootName]: root };
		const missing = [...this.#names].find((name) => !Object.hasOwn($defs, name));
		if (missing !== undefined) throw this.#refusal('', `the definition ${missing}, which is missing`);
		return { ...root, $defs };
	}

	#members(given: Schema, path: string, depth: number): Schema {
		const made = Object.entries(given).map(([name, each]) => [name, this.#node(each, `${path}.${name}`, depth)]);
		return Object.fromEntries(made);
	}

	#node(node: unknown, path: string, depth: number, parts = 1): Schema {
		this.#parts += parts * this.#weight;
		if (this.#parts > maxParts || depth > maxDepth) throw this.#refusal(path, `a schema of this size`);
		if (node === true) return anything;
		if (typeof node !== 'object' || node === null) throw this.#refusal(path, `the schema ${JSON.stringify(node)}`);
		const [schema, ...known] = this.#express(node as Schema, path, depth + 1);
		for (const [keyword, value] of Object.entries(node)) {
			if (!silent.test(keyword) && !known.includes(keyword)) this.#leaveOut(keyword, value, path);
		}
		return schema;
	}

	#express(node: Schema, path: string, depth: number): Expressed {
		const { $ref, const: only, type = node.properties ? 'object' : node.items && 'array' } = node;
		const values = only === undefined ? node.enum : [only];
		if (typeof $ref === 'string') return [this.#reference($ref, path), '$ref'];
		for (const key of ['anyOf', 'oneOf', 'allOf']) {
			const all = node[key];
			if (!Array.isArray(all) || all.length === 0 || (key === 'allOf' && all.length > 1)) continue;
			return [{ oneOf: all.map((each, at) => this.#node(each, `${path}.${key}[${at}]`, depth)) }, key, 'type'];
		}
		if (Array.isArray(values) && values.length > 0) {
			this.#node(true, path, depth, values.length);
			return [{ enum: values }, 'const', 'enum', 'type'];
		}
		if (Array.isArray(type)) {
			const of = (each: unknown) => (scalars.includes(each) ? { type: each } : { ...node, type: each });
			return [{ oneOf: type.map((each) => this.#node(of(each), path, depth)) }, ...Object.keys(node)];
		}
		if (type === undefined) return [anything];
		if (scalars.includes(type)) return [{ type }, 'type'];
		if (type === 'object') return this.#object(node, path, depth);
		if (type === 'array') {
			// The library tells the model of each of the first items by itself, and of theirs.
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

	#object(node: Schema, path: string, depth: number): Expressed {
		const given = { ...(node.properties as Schema) };
		const { additionalProperties: more = Object.keys(given).length === 0, required = [] } = node;
		// Grammars make all properties, also those that may be absent.
		const others = Array.isArray(required) ? required.filter((name) => !Object.hasOwn(given, name)) : [];
		const all = { ...given, ...Object.fromEntries(others.map((name) => [name, true])) };
		const properties = this.#members(all, `${path}.properties`, depth);
		const rest = typeof more === 'boolean' ? more : this.#node(more, `${path}.additionalProperties`, depth);
		const schema = { type: 'object', properties, additionalProperties: rest };
		return [schema, 'type', 'properties', 'additionalProperties', 'required'];
	}

	#counts(node: Schema, path: string, what: string): Schema {
		const given = [`min${what}`, `max${what}`].filter((name) => node[name] !== undefined);
		const large = given.filter((name) => !(Number(node[name]) <= maxRepetitions));
		for (const name of large) this.#leaveOut(`${name} over ${maxRepetitions}`, node[name], path);
		return Object.fromEntries(given.filter((name) => !large.includes(name)).map((name) => [name, node[name]]));
	}

	#reference(target: string, path: string): Schema {
		const [, name] = target === '#' ? ['', rootName] : (/^#\/(?:\$defs|definitions)\/([^/~%]+)$/.exec(target) ?? []);
		if (name === undefined) throw this.#refusal(path, `the reference ${target}`);
		this.#names.add(name);
		return { $ref: `#/$defs/${name}` };
	}

	#leaveOut(keyword: string, value: unknown, path: string): void {
		// What zod writes for every integer.
		if (/^(minimum|maximum)$/.test(keyword) && Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER) return;
		if (this.#place.isStrict) throw this.#refusal(path, keyword);
		this.#place.warnings.add(`This model does not enforce ${keyword.slice(0, 40)} of ${this.#place.param}.`);
	}

	#refusal(path: string, what: string): Error {
		const { param } = this.#place;
		return unsupportedValue(param, `${param}${path.slice(0, 200)}: this model cannot guarantee ${what.slice(0, 100)}.`);
	}
}
