import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interpolate } from '../../src/engine/config/interpolate.ts';

describe('interpolate', () => {
	test('fills every string leaf, however deep', () => {
		const config = { a: '${X}', b: [{ c: 'x-${X}-${Y}' }], n: 3, t: true, z: null };
		expect(interpolate(config, { X: '1', Y: '2' })).toEqual({
			value: { a: '1', b: [{ c: 'x-1-2' }], n: 3, t: true, z: null },
			asked: new Map([
				['a', 'X'],
				['b[0].c', 'Y'],
			]),
			missing: [],
		});
	});

	test('takes the default for a missing or empty variable', () => {
		expect(interpolate('${A:-one} ${B:-two} ${C:-}', { B: '' }).value).toBe('one two ');
	});

	test('lists every missing variable with its path', () => {
		const config = { backends: { jobs: { with: { url: '${DB}' } } }, list: ['${A}', '${B}'] };
		expect(interpolate(config, {}).missing).toEqual([
			{ name: 'DB', path: 'backends.jobs.with.url' },
			{ name: 'A', path: 'list[0]' },
			{ name: 'B', path: 'list[1]' },
		]);
	});

	test('keeps an escaped reference as text', () => {
		expect(interpolate('$${X}', { X: '1' }).value).toBe('${X}');
	});

	test('leaves objects with a prototype alone', () => {
		const value = { made: new URL('http://127.0.0.1/${X}') };
		expect(interpolate(value, {}).value.made).toBe(value.made);
	});

	test('never expands what a variable holds', () => {
		fc.assert(
			fc.property(fc.string(), (secret) => {
				expect(interpolate('${S}', { S: `\${${secret}}` }).value).toBe(`\${${secret}}`);
			}),
		);
	});
});
