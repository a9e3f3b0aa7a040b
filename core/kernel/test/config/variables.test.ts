import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fill } from '../../src/engine/config/variables.ts';
import { type BootProblem, env } from '../../src/index.ts';

function filled<T>(value: T, env: Readonly<Record<string, string>>) {
	const result = { variables: new Map<string, string>(), problems: [] as BootProblem[] };
	return { value: fill(value, 'at', { env, ...result }), ...result };
}

test('env refuses a default that would end its reference', () => {
	expect(filled(env('X', 'a'), {}).value).toBe('a');
	expect(() => env('X', '{"a":1}')).toThrow('The default of env(\'X\', …) cannot contain "}".');
});

describe('fill', () => {
	test('fills every string leaf at any depth', () => {
		const config = { a: '${X}', b: [{ c: 'x-${X}-${Y}' }], n: 3, t: true, z: null };
		expect(filled(config, { X: '1', Y: '2' })).toEqual({
			value: { a: '1', b: [{ c: 'x-1-2' }], n: 3, t: true, z: null },
			variables: new Map([
				['at.a', 'X'],
				['at.b[0].c', 'Y'],
			]),
			problems: [],
		});
	});

	test('uses the default for a missing or empty variable', () => {
		expect(filled('${A:-one} ${B:-two} ${C:-}', { B: '' }).value).toBe('one two ');
	});

	test('lists every missing variable with its path', () => {
		const config = { jobs: { with: { url: '${DB}' } }, list: ['${A}', '${B}'] };
		const { problems } = filled(config, {});
		expect(problems.map(({ path, message }) => [path, message])).toEqual([
			['at.jobs.with.url', 'the environment variable DB is not set.'],
			['at.list[0]', 'the environment variable A is not set.'],
			['at.list[1]', 'the environment variable B is not set.'],
		]);
	});

	test('keeps an escaped reference as text', () => {
		expect(filled('$${X}', { X: '1' }).value).toBe('${X}');
	});

	test('does not change objects with a prototype', () => {
		const value = { made: new URL('http://127.0.0.1/${X}') };
		expect(filled(value, {}).value.made).toBe(value.made);
	});

	test('never expands the value of a variable', () => {
		fc.assert(
			fc.property(fc.string(), (secret) => {
				expect(filled('${S}', { S: `\${${secret}}` }).value).toBe(`\${${secret}}`);
			}),
		);
	});
});
