import fc from 'fast-check';
import { anyText } from '../characters.ts';
import type { Schema } from './document.ts';
import { fileValue } from './facts.ts';
import { formsOf, type Location, member, texts, valid } from './values.ts';

/** Values that a schema probably forbids. Some of them are valid by accident: the oracle decides. */
export function invalid(schema: Schema, location: Location): fc.Arbitrary<unknown> {
	const resolved = location.document.resolve(schema);
	const nearBounds = nearBoundValues(resolved, location);
	const unusual = location.encoding === 'json' ? unusualJson : fc.oneof(unusualTexts, unusualFiles);
	return nearBounds.length === 0 ? unusual : fc.oneof(unusual, ...nearBounds);
}

/** Bodies in which a member is missing, null or invalid. */
export function invalidObject(schema: Schema, location: Location): fc.Arbitrary<unknown> {
	const resolved = location.document.resolve(schema);
	const { properties = {}, required = [] } = resolved;
	const names = Object.keys(properties);
	if (names.length === 0) return invalid(resolved, location);
	const changes = fc.uniqueArray(
		fc.constantFrom(...names).chain((name) => change(name, properties[name] ?? {}, location)),
		{ minLength: 1, maxLength: 3, selector: ({ name }) => name },
	);
	const changed = fc.tuple(valid(resolved, location), changes).map(([whole, applied]) => {
		const body = { ...(whole as Record<string, unknown>) };
		for (const { name, value } of applied) {
			if (value === undefined) delete body[name];
			else body[name] = value;
		}
		return body;
	});
	const empty = fc.constant({});
	const choices = required.length > 0 ? [changed, changed, changed, changed, empty] : [changed];
	const forms = formsOf(resolved);
	const several = forms.length > 1 ? [mixed(forms, location)] : [];
	return fc.oneof(...choices, ...several);
}

/** A body with the required members of several alternatives. */
function mixed(forms: readonly Schema[], location: Location): fc.Arbitrary<unknown> {
	const bodies = forms.map((form) => valid(form, location) as fc.Arbitrary<object>);
	return fc.tuple(...bodies).map((several) => Object.assign({}, ...several));
}

interface Change {
	readonly name: string;
	/** Undefined when the member is removed. */
	readonly value: unknown;
}

function change(name: string, schema: Schema, location: Location): fc.Arbitrary<Change> {
	const removed = fc.constant(undefined);
	const values = [invalid(schema, member(location, name)), invalid(schema, member(location, name)), removed];
	if (location.encoding === 'json') values.push(fc.constant(null));
	return fc.oneof(...values).map((value) => ({ name, value }));
}

// Values just outside of a bound, with characters that some implementations count differently.
function nearBoundValues(schema: Schema, location: Location): readonly fc.Arbitrary<unknown>[] {
	const { enum: values, minLength = 0, maxLength, minimum, maximum, pattern, items } = schema;
	const options = schema.oneOf ?? schema.anyOf ?? [];
	const invalidFiles = location.encoding === 'form' ? location.facts.files.filter(({ $file }) => !$file.isValid) : [];
	const result = options.map((option) => invalid(option, location));
	if (schema.properties && [schema.type].flat().includes('object')) result.push(invalidObject(schema, location));
	if (items) result.push(invalidList(schema, items, location));
	if (schema.format === 'binary' && invalidFiles.length > 0) result.push(fc.constantFrom(...invalidFiles));
	if (values?.every((value) => typeof value === 'string')) {
		result.push(fc.constantFrom(...values.flatMap(spellings)));
	}
	if (minLength > 0) result.push(fc.constant('a'.repeat(minLength - 1)));
	if (maxLength !== undefined && maxLength < 200_000) {
		const unit = fc.constantFrom('a', '🌊', 'é', '\u0000');
		result.push(unit.map((each) => each.repeat(maxLength + 1)));
	}
	const outside = [
		...(minimum === undefined ? [] : [minimum - 1, minimum - 0.001]),
		...(maximum === undefined ? [] : [maximum + 1, maximum + 0.001, 1e9, 1e308]),
	];
	if (outside.length > 0) result.push(fc.constantFrom(...outside).map(encodeNumber(location)));
	if (pattern !== undefined) result.push(texts(0, 80, false));
	const known = location.facts.known[`${location.operation.name} ${location.address}`];
	if (known) result.push(fc.constantFrom(...known.flatMap(spellings)));
	return result;
}

// Valid items and an invalid one after them, or an empty list.
function invalidList(list: Schema, items: Schema, location: Location): fc.Arbitrary<unknown> {
	const isObject = location.document.resolve(items).type === 'object';
	const empty = fc.constant([]);
	if (location.encoding === 'form' && isObject) return empty;
	const withInvalidItem = fc
		.tuple(valid({ ...list, type: 'array' }, location) as fc.Arbitrary<unknown[]>, invalid(items, location))
		.map(([items, invalidItem]) => [...items, invalidItem]);
	return fc.oneof(empty, withInvalidItem, withInvalidItem, withInvalidItem);
}

function encodeNumber({ encoding }: Location): (value: number) => unknown {
	return (value) => (encoding === 'json' ? value : String(value));
}

function spellings(value: unknown): readonly string[] {
	const text = String(value);
	return [text.toUpperCase(), ` ${text}`, `${text} `, text.slice(0, -1), `${text}0`, `${text}\u0000`];
}

const long = fc
	.tuple(fc.string({ minLength: 150, maxLength: 300 }), fc.integer({ min: 1, max: 20 }))
	.map(([text, times]) => text.repeat(times));

const unusualTexts = fc.oneof(
	fc.constantFrom('', ' ', 'NaN', 'Infinity', '-Infinity', '-0', '0x10', '1e400', '\u0000', 'null'),
	fc.constantFrom('true', '[]', '{}', '[object Object]', '../../etc/passwd', '%00', '${x}', '\u202e'),
	anyText({ maxLength: 30 }),
	long,
);

const unusualJson: fc.Arbitrary<unknown> = fc.oneof(
	fc.constantFrom(true, false, 0, -0, -1, 1.5, 1e308, 5e-324, 2 ** 53 + 2, [], {}, [[]], [null]),
	fc.jsonValue({ maxDepth: 3 }),
	unusualTexts,
	fc.constant({ id: { id: { id: 'deep' } } }),
	fc.constantFrom(
		{ toString: 'x' },
		{ length: 5 },
		{ $kind: 'plinth.upload', size: 1 },
		{ constructor: { prototype: { evil: true } } },
	),
);

const unusualFiles = fc.oneof(
	fc.constant(fileValue('empty.png', new Uint8Array(), false)),
	fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => fileValue('a.png', bytes, false)),
	fc.array(fc.constantFrom('2', 'x', '720x1280'), { minLength: 2, maxLength: 3 }),
);
