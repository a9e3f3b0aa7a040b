import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { httpLimits } from '../../../src/http/limits.ts';
import { scanBody } from '../../../src/http/passthrough/raw-body.ts';

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
/** A request body, and its format. */
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

describe('a body that may be passed on', () => {
	it('has a model and the names of its members', () => {
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

	it('can get another model, and keeps every other byte', () => {
		fc.assert(
			fc.property(bodies, text, (body, name) => {
				const bytes = written(body);
				const seen = scanBody(bytes);
				expect(seen?.withModel(name)).toEqual(written({ ...body, model: name }));
				expect(seen?.withModel(body.model)).toEqual(bytes);
			}),
		);
	});

	it('can get another name for a member, with or without another model', () => {
		const seen = scanBody(Buffer.from('{"a": [{"a":1}], "model": "m", "b":"a"}'));
		expect(seen?.withModel('x', ['a', 'c']).toString()).toBe('{"c": [{"a":1}], "model": "x", "b":"a"}');
		expect(seen?.withModel('m', ['b', 'long name']).toString()).toBe('{"a": [{"a":1}], "model": "m", "long name":"a"}');
		expect(seen?.withModel('m', ['z', 'y'])).toEqual(seen?.bytes);
	});

	it('recognizes the member "model" with escapes', () => {
		const bytes = Buffer.from('{"m\\u006fdel" : "a\\n\\u0062" ,"x":1}');
		expect(scanBody(bytes)).toMatchObject({ model: 'a\nb', names: ['model', 'x'] });
		expect(scanBody(bytes)?.withModel('c').toString()).toBe('{"m\\u006fdel" : "c" ,"x":1}');
	});

	it('ignores a nested model', () => {
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
		'{"model":"m","x":[{"y":1,"y":1}]}',
		'{"model":"m","x":{"y":1,"\\u0079":2}}',
		'{"model":"m","__proto__":{}}',
		'{"model":"m","\\u005f_proto__":{}}',
		'{"model":"m","constructor":{"prototype":{}}}',
		'{"model":"\\x"}',
		'{"mod\\xel":"m","model":"m"}',
		`{"model":"m","x":${'['.repeat(64)}${']'.repeat(64)}}`,
	])('is left to the ordinary parser: %#', (body) => {
		expect(scanBody(Buffer.from(body))).toBeUndefined();
	});

	it('is left to the ordinary parser when it is not UTF-8', () => {
		expect(scanBody(Buffer.from('{"model":"\xff"}', 'latin1'))).toBeUndefined();
	});

	it.each([
		[{ deep: JSON.parse(`${'['.repeat(63)}${']'.repeat(63)}`) }, true],
		[{ deep: JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`) }, false],
		[{ keys: Object.fromEntries(Array.from({ length: httpLimits.keys - 2 }, (_, n) => [n, 1])) }, true],
		[{ keys: Object.fromEntries(Array.from({ length: httpLimits.keys - 1 }, (_, n) => [n, 1])) }, false],
		[{ values: Array(httpLimits.values - 3).fill(1) }, true],
		[{ values: Array(httpLimits.values).fill(1) }, false],
	])('is accepted within the limits of every body: %#', (members, isAccepted) => {
		const bytes = Buffer.from(JSON.stringify({ model: 'm', ...members }));
		expect(scanBody(bytes) !== undefined).toBe(isAccepted);
	});
});
