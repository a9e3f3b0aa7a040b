import fc from 'fast-check';
import { anyText } from '../characters.ts';
import type { ApiDocument, Operation, Schema } from './document.ts';
import type { Facts } from './facts.ts';

/** Where a generated value is used. */
export interface Location {
	readonly document: ApiDocument;
	readonly operation: Operation;
	readonly facts: Facts;
	/** `json` for bodies; `form` for bodies and parameters, where everything except files is text. */
	readonly encoding: 'json' | 'form';
	/** The path of the value in the body, such as `input_reference.image_url`; empty for the whole body. */
	readonly address: string;
}

/** Values that a schema allows. */
export function valid(schema: Schema, location: Location): fc.Arbitrary<unknown> {
	const { operation, facts, address } = location;
	const usual = facts.usual?.[`${operation.name} ${address}`];
	const any = allowed(schema, location);
	if (!usual) return any;
	return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: any });
}

function allowed(schema: Schema, location: Location): fc.Arbitrary<unknown> {
	const { document, operation, facts, address } = location;
	const known = facts.known[`${operation.name} ${address}`];
	const resolved = document.resolve(schema);
	if (known && allowsText(resolved)) return fc.constantFrom(...known);
	const options = formsOf(resolved).filter((option) => isEncodable(option, location));
	if (options.length > 0) return fc.oneof(...options.map((option) => valid(option, location)));
	if (resolved.const !== undefined) return fc.constant(resolved.const);
	if (resolved.enum) return fc.constantFrom(...resolved.enum);
	const types = [resolved.type ?? 'any'].flat();
	return fc.oneof(...types.map((type) => ofType(type, resolved, location)));
}

/**
 * The alternatives of a schema, each as a complete schema. A member that only another alternative requires is left out.
 */
export function formsOf({ oneOf, anyOf, ...common }: Schema): readonly Schema[] {
	const options = oneOf ?? anyOf ?? [];
	const { properties, required = [] } = common;
	if (!properties) return options;
	return options.map((option) => {
		const ofOthers = options.filter((each) => each !== option).flatMap((each) => each.required ?? []);
		const ownMembers = Object.entries(properties).filter(([name]) => !ofOthers.includes(name));
		return {
			...common,
			properties: Object.fromEntries(ownMembers),
			required: [...required, ...(option.required ?? [])],
		};
	});
}

// A form cannot encode a list of objects.
function isEncodable({ items }: Schema, { encoding, document }: Location): boolean {
	return encoding === 'json' || items === undefined || document.resolve(items).type !== 'object';
}

/** The location of a member of an object. */
export function member(location: Location, name: string): Location {
	const { address } = location;
	return { ...location, address: address === '' ? name : `${address}.${name}` };
}

/**
 * Texts within a length in code points: plain ones, from any plane of Unicode, and of exactly the shortest and longest
 * length.
 */
export function texts(min: number, max: number, withLoneSurrogates: boolean): fc.Arbitrary<string> {
	const longest = Math.max(min, Math.min(max, 60));
	const bounds = { minLength: min, maxLength: longest };
	return fc.oneof(
		{ weight: 12, arbitrary: fc.string({ unit: 'grapheme-ascii', ...bounds }) },
		{ weight: 6, arbitrary: anyText(bounds) },
		{ weight: withLoneSurrogates ? 2 : 0, arbitrary: fc.string({ unit: loneSurrogates, ...bounds }) },
		{
			weight: 1,
			arbitrary: fc.constantFrom('a', '🌊', '\u0301', '漢').map((unit) => unit.repeat(min)),
		},
		{
			weight: max <= 40_000 ? 1 : 0,
			arbitrary: fc.constantFrom('a', '🌊', '\u0000', '漢').map((unit) => unit.repeat(max)),
		},
	);
}

const loneSurrogates = fc.constantFrom('\ud800', 'a', '\udfff', ' ');

function allowsText({ type, oneOf, anyOf, format }: Schema): boolean {
	return [type].flat().includes('string') && format !== 'binary' && !oneOf && !anyOf;
}

function ofType(type: string, schema: Schema, location: Location): fc.Arbitrary<unknown> {
	switch (type) {
		case 'string':
			return ofString(schema, location);
		case 'integer':
			return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000_000 });
		case 'number':
			return fc.oneof(fc.double({ ...range(schema), noNaN: true }), fc.constantFrom(...Object.values(range(schema))));
		case 'boolean':
			return fc.boolean();
		case 'null':
			return fc.constant(null);
		case 'array':
			return fc.array(valid(schema.items ?? {}, location), {
				minLength: schema.minItems ?? 0,
				maxLength: Math.min(schema.maxItems ?? 5, 5),
			});
		case 'object':
			return ofObject(schema, location);
		default:
			return location.encoding === 'json' ? fc.jsonValue({ maxDepth: 2 }) : texts(0, 20, false);
	}
}

function range({ minimum = -1e6, maximum = 1e6 }: Schema): { min: number; max: number } {
	return { min: minimum, max: maximum };
}

function ofString(schema: Schema, { encoding, facts }: Location): fc.Arbitrary<unknown> {
	if (schema.format === 'binary' && encoding === 'form') {
		return fc.constantFrom(...facts.files.filter(({ $file }) => $file.isValid));
	}
	const text = texts(schema.minLength ?? 0, schema.maxLength ?? 200, encoding === 'json');
	// Any text that is not blank.
	if (schema.pattern === '\\S') return text.filter((each) => each.trim() !== '');
	return schema.pattern === undefined ? text : fc.stringMatching(new RegExp(schema.pattern));
}

// An unknown field may occur once, several times, or as a file.
function unknownFields({ facts }: Location): fc.Arbitrary<unknown> {
	const text = fc.string({ maxLength: 20 });
	const several = fc.array(text, { minLength: 2, maxLength: 3 });
	return facts.files.length > 0 ? fc.oneof(text, several, fc.constantFrom(...facts.files)) : fc.oneof(text, several);
}

/** Every combination of optional members. Unknown members are added where the document does not forbid them. */
function ofObject(schema: Schema, location: Location): fc.Arbitrary<unknown> {
	const { properties = {}, required = [], additionalProperties } = schema;
	const members = Object.entries(properties).map(([name, inner]): [string, fc.Arbitrary<unknown>] => [
		name,
		valid(inner, member(location, name)),
	]);
	const known = fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
	if (additionalProperties === false) return known;
	const extra = location.encoding === 'json' ? fc.jsonValue({ maxDepth: 1 }) : unknownFields(location);
	const unknownMembers = fc.dictionary(fc.stringMatching(/^x_[a-z]{1,8}$/), extra, { maxKeys: 2 });
	const plain = { weight: 3, arbitrary: known };
	const mixed = fc.tuple(known, unknownMembers).map(([ownMembers, others]) => ({ ...ownMembers, ...others }));
	return fc.oneof(plain, { weight: 1, arbitrary: mixed });
}
