import type { Json, JsonObject } from '@plinth/core';
import { Slices } from '../library/slices.ts';
import { valuesFrom } from './convert.ts';
import type { Field, Finder } from './field.ts';
import { leastValue } from './least.ts';
import { namedSchemas, resolve, type Schema, schemasIn, stringsIn, typesOf } from './schema.ts';
import { type Effort, isValid } from './valid.ts';

/** A filled schema. */
export interface Filled {
	readonly value: Json;
	/** Fields, as `invoice.total`, that nothing was found for and that could not be left out or be null. */
	readonly missing: readonly string[];
}

interface Found {
	readonly values: readonly Json[];
	readonly missing: readonly string[];
}

interface Outcome extends Filled {
	/** Something in it was found, or nothing had to be. */
	readonly isFound: boolean;
}

const deepest = 16;
const mostItems = 100;
/** Schemas that refer to themselves grow without end. */
const mostNodes = 1_000;
const mostEffort = 40_000;
/** Longer lists are not made up, whatever a schema wants. */
const mostLeast = 10_000;
const mostUnique = 1_000;

/**
 * Fills a schema with what a finder finds. The value is valid against it, unless no value can be made for one of its parts; what is not found is
 * left out, null, or the least that is valid, in this order.
 */
export async function fill(schema: Schema, finder: Finder): Promise<Filled> {
	const { value, missing } = await new Filling(schema, finder).node(schema, [], true);
	return { value, missing };
}

class Filling {
	readonly #root: Schema;
	readonly #finder: Finder;
	readonly #effort: Effort = { left: mostEffort };
	readonly #slices = new Slices();
	#nodes = 0;
	#depth = 0;

	constructor(root: Schema, finder: Finder) {
		this.#root = root;
		this.#finder = finder;
	}

	async node(raw: Schema, path: readonly string[], isRequired: boolean): Promise<Outcome> {
		this.#depth++;
		const outcome = await this.#filled(raw, path, isRequired);
		this.#depth--;
		return outcome;
	}

	async #filled(raw: Schema, path: readonly string[], isRequired: boolean): Promise<Outcome> {
		if (this.#slices.isOver) await this.#slices.pause();
		const schema = resolve(raw, this.#root);
		if (schema.const !== undefined) return { value: schema.const, missing: [], isFound: true };
		this.#nodes++;
		if (this.#depth > deepest * 3 || this.#nodes > mostNodes) return this.#least(schema, path);
		const branches = [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)];
		if (branches.length > 0) return this.#branch(raw, schema, branches, path, isRequired);
		if (path.length > deepest) return this.#least(schema, path);
		const outcome = await this.#typed(raw, schema, path);
		return outcome.isFound ? outcome : this.#orNull(raw, schema, outcome);
	}

	async #typed(raw: Schema, schema: JsonObject, path: readonly string[]): Promise<Outcome> {
		if (Array.isArray(schema.enum)) return this.#leaf(raw, schema, path);
		const types = typesOf(schema);
		if (types.includes('object') && (schema.properties || !types.includes('string')))
			return this.#object(raw, schema, path);
		if (types.includes('array') && (schema.items || !types.includes('string'))) return this.#array(raw, schema, path);
		return this.#leaf(raw, schema, path);
	}

	/** Of alternatives: the first in which something is found, else null, else the first that is valid. */
	async #branch(
		raw: Schema,
		schema: JsonObject,
		branches: readonly Schema[],
		path: readonly string[],
		isRequired: boolean,
	): Promise<Outcome> {
		const { anyOf: _any, oneOf: _one, ...base } = schema;
		const options: Outcome[] = [];
		for (const branch of branches) {
			const flat = resolve(branch, this.#root);
			options.push(await this.node(withBase(flat, base), path, isRequired));
		}
		const valid = options.filter(({ value }) => this.#isValid(value, raw));
		return (
			valid.find((option) => option.isFound && option.value !== null) ??
			valid.find((option) => option.value === null) ??
			valid[0] ??
			options[0] ??
			this.#least(base, path)
		);
	}

	async #object(raw: Schema, schema: JsonObject, path: readonly string[]): Promise<Outcome> {
		const required = new Set(stringsIn(schema.required));
		const known = new Map(namedSchemas(schema.properties));
		const others = typeof schema.additionalProperties === 'object' ? (schema.additionalProperties as Schema) : true;
		for (const name of required) if (!known.has(name)) known.set(name, others);
		const value: Record<string, Json> = {};
		const missing: string[] = [];
		let isFound = known.size === 0 || required.size === 0;
		for (const [name, property] of known) {
			if (!required.has(name) && path.length >= deepest / 2) continue;
			const outcome = await this.node(property, [...path, name], required.has(name));
			if (!required.has(name) && !outcome.isFound) continue;
			define(value, name, outcome.value);
			missing.push(...outcome.missing);
			isFound ||= outcome.isFound;
		}
		this.#addProperties(value, schema, others);
		return { value: this.#asFew(value, schema, required, raw), missing, isFound };
	}

	/** Objects that have to have more members than are named get some. */
	#addProperties(value: Record<string, Json>, schema: JsonObject, others: Schema): void {
		const least = typeof schema.minProperties === 'number' ? Math.min(schema.minProperties, mostItems) : 0;
		for (let count = 1; Object.keys(value).length < least; count++) {
			if (count > mostItems * 2) return;
			define(value, `field${count}`, this.#least(resolve(others, this.#root), []).value);
		}
	}

	/** Optional members go when there are too many. */
	#asFew(value: Record<string, Json>, { maxProperties }: JsonObject, required: ReadonlySet<string>, raw: Schema): Json {
		if (typeof maxProperties !== 'number' || this.#isValid(value, raw)) return value;
		const optional = Object.keys(value).filter((name) => !required.has(name));
		const over = Object.keys(value).length - maxProperties;
		const gone = new Set(optional.slice(optional.length - Math.max(over, 0)));
		return Object.fromEntries(Object.entries(value).filter(([name]) => !gone.has(name)));
	}

	async #array(raw: Schema, schema: JsonObject, path: readonly string[]): Promise<Outcome> {
		const first = schemasIn(schema.prefixItems);
		if (first.length > 0) return this.#tuple(raw, schema, first, path);
		const items = (schema.items ?? true) as Schema;
		const most = typeof schema.maxItems === 'number' ? schema.maxItems : mostItems;
		const isSet = schema.uniqueItems === true;
		const all = await this.#items(resolve(items, this.#root), schema, path);
		const found = all.values.filter((item) => this.#isValid(item, items));
		const value = (isSet ? unique(found) : found).slice(0, most);
		const bound = isSet ? mostUnique : mostLeast;
		const least = typeof schema.minItems === 'number' ? Math.min(schema.minItems, bound) : 0;
		const taken = new Set(value.map((one) => JSON.stringify(one)));
		const missing = [...all.missing];
		while (value.length < least) {
			const one = await this.node(items, [...path, String(value.length)], true);
			value.push(isSet ? this.#another(one.value, items, taken) : one.value);
			missing.push(...one.missing);
		}
		return { value, missing: [...new Set(missing)], isFound: found.length > 0 };
	}

	async #tuple(raw: Schema, schema: JsonObject, first: readonly Schema[], path: readonly string[]): Promise<Outcome> {
		const parts: Outcome[] = [];
		for (const [at, part] of first.entries()) parts.push(await this.node(part, [...path, String(at)], true));
		const value = parts.map((part) => part.value);
		const least = typeof schema.minItems === 'number' ? Math.min(schema.minItems, mostLeast) : 0;
		while (value.length < least) value.push((await this.node((schema.items ?? true) as Schema, path, true)).value);
		const most = typeof schema.maxItems === 'number' ? schema.maxItems : value.length;
		return {
			value: this.#isValid(value, raw) ? value : value.slice(0, most),
			missing: parts.flatMap((part) => part.missing),
			isFound: parts.some((part) => part.isFound),
		};
	}

	async #items(items: JsonObject, schema: JsonObject, path: readonly string[]): Promise<Found> {
		const field = { path, name: path.at(-1) ?? '', schema: { ...items, ...describing(schema) } };
		const names = namedSchemas(items.properties).map(([name]) => name);
		if (names.length === 0) {
			const texts = await this.#finder.list(field);
			return { values: texts.flatMap((text) => valuesFrom(text, items).slice(0, 1)), missing: [] };
		}
		const values: Json[] = [];
		const missing = new Set<string>();
		for (const row of await this.#finder.rows(names, field)) {
			const one = await new Filling(this.#root, rowFinder(row)).node(items, [], true);
			values.push(one.value);
			for (const name of one.missing) missing.add([...path, name].join('.'));
		}
		return { values, missing: [...missing] };
	}

	/** A value that is not in the list yet, told by its JSON. */
	#another(value: Json, items: Schema, taken: Set<string>): Json {
		const schema = resolve(items, this.#root);
		const members = Array.isArray(schema.enum) ? schema.enum.slice(0, mostUnique * 2) : [];
		// The values before it were made by counting as well: the next number is mostly free.
		const counted = Array.from({ length: 4 }, (_, at) => changed(value, taken.size + at - 1));
		const low = Array.from({ length: 12 }, (_, at) => changed(value, at));
		const isNew = (one: Json) => !taken.has(JSON.stringify(one)) && this.#isValid(one, items);
		const found = [value, ...members, ...counted, ...low].find(isNew) ?? value;
		taken.add(JSON.stringify(found));
		return found;
	}

	async #leaf(raw: Schema, schema: JsonObject, path: readonly string[]): Promise<Outcome> {
		const field: Field = { path, name: path.at(-1) ?? '', schema };
		for (const candidate of await this.#finder.values(field))
			for (const value of valuesFrom(candidate, Array.isArray(schema.enum) ? {} : schema))
				if (this.#isValid(value, raw)) return { value, missing: [], isFound: true };
		return this.#least(schema, path);
	}

	#orNull(raw: Schema, schema: JsonObject, outcome: Outcome): Outcome {
		// A schema that says nothing allows null as well, and least of all means it.
		const mayBeNull = schema.type !== undefined && this.#isValid(null, raw);
		return mayBeNull ? { value: null, missing: [], isFound: false } : outcome;
	}

	#isValid(value: Json, schema: Schema): boolean {
		return isValid(value, schema, this.#root, this.#effort);
	}

	#least(schema: JsonObject, path: readonly string[]): Outcome {
		const missing = path.length > 0 ? [path.join('.')] : [];
		return { value: leastValue(schema), missing, isFound: false };
	}
}

/** Values for the members of one object out of one row of a table. */
function rowFinder(row: ReadonlyMap<string, string>): Finder {
	return {
		values: async ({ name }) => (row.has(name) ? [row.get(name) ?? ''] : []),
		list: async () => [],
		rows: async () => [],
	};
}

function withBase(branch: JsonObject, base: JsonObject): JsonObject {
	const properties = { ...(base.properties as JsonObject), ...(branch.properties as JsonObject) };
	const required = [...stringsIn(base.required), ...stringsIn(branch.required)];
	return {
		...base,
		...branch,
		...(Object.keys(properties).length > 0 && { properties }),
		...(required.length > 0 && { required }),
	};
}

function describing({ title, description }: JsonObject): JsonObject {
	return {
		...(title !== undefined && { title }),
		...(description !== undefined && { description }),
	};
}

function unique(values: readonly Json[]): Json[] {
	return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function changed(value: Json, at: number): Json {
	if (typeof value === 'number') return value + at + 1;
	return typeof value === 'string' ? `${value}${at + 1}` : value;
}

/** A property of any name, `__proto__` included. */
function define(value: Record<string, Json>, name: string, member: Json): void {
	Object.defineProperty(value, name, {
		value: member,
		enumerable: true,
		configurable: true,
		writable: true,
	});
}
