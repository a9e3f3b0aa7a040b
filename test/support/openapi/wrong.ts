import fc from 'fast-check';
import { anyText } from '../characters.ts';
import type { Schema } from './document.ts';
import { fileValue } from './facts.ts';
import { formsOf, member, type Place, texts, valid } from './values.ts';

/**
 * Values that a schema probably forbids. What a body that holds one is really worth is for the oracle to say: some of them
 * are allowed by accident.
 */
export function wrong(schema: Schema, place: Place): fc.Arbitrary<unknown> {
	const resolved = place.document.resolve(schema);
	const near = nearMisses(resolved, place);
	const odd = place.encoding === 'json' ? oddJson : fc.oneof(oddTexts, oddFiles);
	return near.length === 0 ? odd : fc.oneof(odd, ...near);
}

/** Bodies of which one member is missing, null or wrong. */
export function wrongObject(schema: Schema, place: Place): fc.Arbitrary<unknown> {
	const resolved = place.document.resolve(schema);
	const { properties = {}, required = [] } = resolved;
	const names = Object.keys(properties);
	if (names.length === 0) return wrong(resolved, place);
	const changes = fc.uniqueArray(
		fc.constantFrom(...names).chain((name) => change(name, properties[name] ?? {}, place)),
		{ minLength: 1, maxLength: 3, selector: ({ name }) => name },
	);
	const changed = fc.tuple(valid(resolved, place), changes).map(([whole, made]) => {
		const body = { ...(whole as Record<string, unknown>) };
		for (const { name, value } of made) {
			if (value === undefined) delete body[name];
			else body[name] = value;
		}
		return body;
	});
	const empty = fc.constant({});
	const choices = required.length > 0 ? [changed, changed, changed, changed, empty] : [changed];
	const forms = formsOf(resolved);
	const several = forms.length > 1 ? [mixed(forms, place)] : [];
	return fc.oneof(...choices, ...several);
}

/** What one form requires, and another one too. */
function mixed(forms: readonly Schema[], place: Place): fc.Arbitrary<unknown> {
	const bodies = forms.map((form) => valid(form, place) as fc.Arbitrary<object>);
	return fc.tuple(...bodies).map((several) => Object.assign({}, ...several));
}

interface Change {
	readonly name: string;
	/** Undefined: the member is taken away. */
	readonly value: unknown;
}

function change(name: string, schema: Schema, place: Place): fc.Arbitrary<Change> {
	const gone = fc.constant(undefined);
	const values = [wrong(schema, member(place, name)), wrong(schema, member(place, name)), gone];
	if (place.encoding === 'json') values.push(fc.constant(null));
	return fc.oneof(...values).map((value) => ({ name, value }));
}

// One more than the bound, in units that a careless server counts otherwise.
function nearMisses(schema: Schema, place: Place): readonly fc.Arbitrary<unknown>[] {
	const { enum: values, minLength = 0, maxLength, minimum, maximum, pattern, items } = schema;
	const options = schema.oneOf ?? schema.anyOf ?? [];
	const bad = place.encoding === 'form' ? place.facts.files.filter(({ $file }) => !$file.good) : [];
	const result = options.map((option) => wrong(option, place));
	if (schema.properties && [schema.type].flat().includes('object')) result.push(wrongObject(schema, place));
	if (items) result.push(wrongList(schema, items, place));
	if (schema.format === 'binary' && bad.length > 0) result.push(fc.constantFrom(...bad));
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
	if (outside.length > 0) result.push(fc.constantFrom(...outside).map(asSent(place)));
	if (pattern !== undefined) result.push(texts(0, 80, false));
	const known = place.facts.known[`${place.operation.name} ${place.address}`];
	if (known) result.push(fc.constantFrom(...known.flatMap(spellings)));
	return result;
}

// Good items and a bad one behind them, or nothing at all.
function wrongList(list: Schema, items: Schema, place: Place): fc.Arbitrary<unknown> {
	const isObject = place.document.resolve(items).type === 'object';
	const empty = fc.constant([]);
	if (place.encoding === 'form' && isObject) return empty;
	const spoiled = fc
		.tuple(valid({ ...list, type: 'array' }, place) as fc.Arbitrary<unknown[]>, wrong(items, place))
		.map(([good, bad]) => [...good, bad]);
	return fc.oneof(empty, spoiled, spoiled, spoiled);
}

function asSent({ encoding }: Place): (value: number) => unknown {
	return (value) => (encoding === 'json' ? value : String(value));
}

function spellings(value: unknown): readonly string[] {
	const text = String(value);
	return [text.toUpperCase(), ` ${text}`, `${text} `, text.slice(0, -1), `${text}0`, `${text}\u0000`];
}

const long = fc
	.tuple(fc.string({ minLength: 150, maxLength: 300 }), fc.integer({ min: 1, max: 20 }))
	.map(([text, times]) => text.repeat(times));

const oddTexts = fc.oneof(
	fc.constantFrom('', ' ', 'NaN', 'Infinity', '-Infinity', '-0', '0x10', '1e400', '\u0000', 'null'),
	fc.constantFrom('true', '[]', '{}', '[object Object]', '../../etc/passwd', '%00', '${x}', '\u202e'),
	anyText({ maxLength: 30 }),
	long,
);

const oddJson: fc.Arbitrary<unknown> = fc.oneof(
	fc.constantFrom(true, false, 0, -0, -1, 1.5, 1e308, 5e-324, 2 ** 53 + 2, [], {}, [[]], [null]),
	fc.jsonValue({ maxDepth: 3 }),
	oddTexts,
	fc.constant({ id: { id: { id: 'deep' } } }),
	fc.constantFrom(
		{ toString: 'x' },
		{ length: 5 },
		{ $kind: 'plinth.upload', size: 1 },
		{ constructor: { prototype: { evil: true } } },
	),
);

const oddFiles = fc.oneof(
	fc.constant(fileValue('empty.png', new Uint8Array(), false)),
	fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => fileValue('a.png', bytes, false)),
	fc.array(fc.constantFrom('2', 'x', '720x1280'), { minLength: 2, maxLength: 3 }),
);
