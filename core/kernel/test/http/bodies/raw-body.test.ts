import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanBody } from '../../../src/http/bodies/raw-body.ts';
import { JsonScan } from '../../../src/http/json/scan.ts';
import { walkStrings } from '../../../src/http/json/walk.ts';
import { httpLimits } from '../../../src/http/limits.ts';

const words = ['image_url', 'tools', 'type', 'größe', 'file'];
const text = fc.oneof(
	fc.constantFrom(...words, 'model', 'text', '"', '\\', '\\"image_url\\"', '{"type":"file"}'),
	fc.string({ unit: 'binary', maxLength: 8 }),
	fc.integer({ min: 50, max: 200 }).map((count) => `${'x'.repeat(count)}"\\`),
);
const json = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4 },
		text,
		fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
		fc.array(tie('value'), { maxLength: 4 }),
		fc.dictionary(text, tie('value'), { maxKeys: 4 }),
	),
}));
/** A request body, and how it is written. */
const bodies = fc.record({
	members: fc.dictionary(text, json.value, { maxKeys: 5 }),
	model: fc.oneof(text, fc.string()),
	indent: fc.constantFrom(undefined, 1, '\t'),
});

function written({ members, model, indent }: Written): Buffer {
	return Buffer.from(JSON.stringify({ ...members, model }, null, indent));
}

interface Written {
	readonly members: Record<string, unknown>;
	readonly model: string;
	readonly indent: string | number | undefined;
}

/** What `mentions` promises, by a parser. */
function mentionsOf(value: unknown, sought: readonly string[]): boolean {
	const hit = (name: string) => sought.includes(name) || JSON.stringify(name).includes('\\');
	if (Array.isArray(value)) return value.some((element) => mentionsOf(element, sought));
	if (typeof value !== 'object' || value === null) return false;
	return Object.entries(value).some(
		([name, member]) =>
			hit(name) ||
			(name === 'type' && typeof member === 'string' && hit(member)) ||
			mentionsOf(member, sought),
	);
}

describe('a body that is looked through', () => {
	it('tells its model and the names of its members', () => {
		fc.assert(
			fc.property(bodies, (body) => {
				const seen = scanBody(written(body));
				const value = { ...body.members, model: body.model };
				if ('__proto__' in body.members && Object.hasOwn(body.members, '__proto__')) return;
				expect(seen?.model).toBe(body.model);
				expect(seen?.names).toEqual(Object.keys(value));
				expect(seen?.value).toEqual(JSON.parse(JSON.stringify(value)));
			}),
		);
	});

	it('gets another model, and keeps every other byte', () => {
		fc.assert(
			fc.property(bodies, text, (body, name) => {
				const bytes = written(body);
				const seen = scanBody(bytes);
				expect(seen?.withModel(name)).toEqual(written({ ...body, model: name }));
				expect(seen?.withModel(body.model)).toBe(bytes);
			}),
		);
	});

	it('gets another name for a member, beside another model or alone', () => {
		const seen = scanBody(Buffer.from('{"a": [{"a":1}], "model": "m", "b":"a"}'));
		expect(seen?.withModel('x', ['a', 'c']).toString()).toBe(
			'{"c": [{"a":1}], "model": "x", "b":"a"}',
		);
		expect(seen?.withModel('m', ['b', 'long name']).toString()).toBe(
			'{"a": [{"a":1}], "model": "m", "long name":"a"}',
		);
		expect(seen?.withModel('m', ['z', 'y'])).toBe(seen?.bytes);
	});

	it('mentions what a parser finds in names and types, and nothing else', () => {
		const sought = fc.subarray(words);
		fc.assert(
			fc.property(bodies, sought, (body, some) => {
				const bytes = written(body);
				expect(scanBody(bytes)?.mentions(some)).toBe(
					mentionsOf(JSON.parse(bytes.toString()), some),
				);
			}),
			{ numRuns: 500 },
		);
	});

	it.each([
		['in a string', '{"model":"m","a":"\\"image_url\\":1"}', false],
		['behind an escaped backslash', '{"model":"m","a":"\\\\","image_url":1}', true],
		['as a type', '{"model":"m","a":[[{"type" : "image_url"}]]}', true],
		['in a list of types', '{"model":"m","type":["image_url"]}', false],
		['as another value', '{"model":"m","kind":"image_url"}', false],
		['spelled with an escape', '{"model":"m","image\\u005furl":1}', true],
		['as a type with an escape', '{"model":"m","a":{"type":"image\\u005furl"}}', true],
		['behind a type that is no string', '{"model":"m","type":5,"a":["image_url"]}', false],
	])('mentions a word %s: %#', (_, body, expected) => {
		expect(scanBody(Buffer.from(body))?.mentions(['image_url'])).toBe(expected);
	});

	it('knows its model by a name with escapes', () => {
		const bytes = Buffer.from('{"m\\u006fdel" : "a\\n\\u0062" ,"x":1}');
		expect(scanBody(bytes)).toMatchObject({ model: 'a\nb', names: ['model', 'x'] });
		expect(scanBody(bytes)?.withModel('c').toString()).toBe('{"m\\u006fdel" : "c" ,"x":1}');
	});

	it('takes no model that stands deeper', () => {
		expect(scanBody(Buffer.from('{"a":{"model":"deep"}}'))).toBeUndefined();
		const both = '{"a":{"model":"deep"},"model":"m","b":[{"model":"deep"}]}';
		expect(scanBody(Buffer.from(both))?.model).toBe('m');
	});

	it.each([
		'{"model":"a","model":"b"}',
		'{"model":1,"model":"b"}',
		'{"model":"a","x":{"model":"c"},"mod\\u0065l":"a"}',
	])('is refused with two models: %s', (body) => {
		expect(() => scanBody(Buffer.from(body))).toThrow(
			expect.objectContaining({ code: 'E_VALUE_INVALID', param: 'model' }),
		);
	});

	it.each([
		'',
		' ',
		'5',
		'"model"',
		'["model","m"]',
		'{}',
		'{"x":1}',
		'{"model":1}',
		'{"model":null}',
		'{"model":["m"]}',
		'\uFEFF{"model":"m"}',
		'{"model":"m"',
		'{"model":"m"}}',
		'{"model":"m"}{}',
		'{"model":"m"},',
		'{"model":"m",}',
		'{"model" "m"}',
		'{"model":"m" "x":1}',
		'{"model":"m","x":[1 2]}',
		'{"model":"m","x":[}',
		'{"model":"m","x":{"a"}}',
		'{"model":"m","x":/* */1}',
		"{'a':'\"','model':'\"'}",
		'{"model":"m","x":1,"x":2}',
		'{"model":"m","__proto__":{}}',
		'{"model":"m","\\u005f_proto__":{}}',
		'{"model":"m","constructor":{"prototype":{}}}',
		'{"model":"\\x"}',
		'{"mod\\xel":"m","model":"m"}',
		`{"model":"m","x":${'['.repeat(64)}${']'.repeat(64)}}`,
	])('is left to the ordinary reader: %#', (body) => {
		expect(scanBody(Buffer.from(body))).toBeUndefined();
	});

	it('is left to the ordinary reader when it is not UTF-8', () => {
		expect(scanBody(Buffer.from('{"model":"\xff"}', 'latin1'))).toBeUndefined();
	});

	it('is parsed up to 262,144 bytes', () => {
		const of = (length: number) => {
			const frame = '{"model":"m","x":""}';
			return Buffer.from(frame.replace('""', `"${'x'.repeat(length - frame.length)}"`));
		};
		expect(scanBody(of(262_144))?.value).toMatchObject({ model: 'm' });
		expect(scanBody(of(262_145))).toMatchObject({ value: undefined, model: 'm' });
	});
});

describe('the walk over strings', () => {
	it('finds whole what a parser takes, within the bounds that the scan counts', () => {
		const bounds = { depth: 3, keys: 6, values: 20 };
		fc.assert(
			fc.property(json.value, fc.constantFrom(undefined, 1), (value, indent) => {
				const bytes = Buffer.from(JSON.stringify(value, null, indent));
				expect(walkStrings(bytes, httpLimits, () => {})).toBe(true);
				const isWithin = new JsonScan(bounds).push(bytes) === undefined;
				expect(walkStrings(bytes, bounds, () => {})).toBe(isWithin);
			}),
		);
	});

	it('takes whatever a parser takes when a byte is lost, doubled or changed', () => {
		const change = fc.record({
			at: fc.nat(),
			by: fc.constantFrom('', '"', '\\', ',', ':', '{', '}', '[', ']', ' ', '0'),
		});
		fc.assert(
			fc.property(bodies, change, (body, { at, by }) => {
				const whole = written(body).toString();
				const place = at % whole.length;
				const changed = whole.slice(0, place) + by + whole.slice(place + 1);
				if (isJson(changed)) {
					expect(walkStrings(Buffer.from(changed), httpLimits, () => {})).toBe(true);
				}
			}),
			{ numRuns: 1_000 },
		);
	});
});

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
