import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FormEntry, foldFields } from '../../../src/http/bodies/forms/fields.ts';

const entries = (...names: readonly string[]): FormEntry[] => names.map((name, index) => ({ name, value: index }));

describe('the fields of a form', () => {
	it('are folded into one object', () => {
		const folded = foldFields(entries('a', 'b[]', 'b[]', 'c[d]', 'c[e][f]', 'g[0]'));
		expect(folded).toEqual({ a: 0, b: [1, 2], c: { d: 3, e: { f: 4 } }, g: 5 });
	});

	it.each([
		'__proto__',
		'a[__proto__]',
		'__proto__[polluted]',
		'constructor[prototype]',
		'constructor[prototype][polluted]',
		'a[constructor][prototype]',
		`a${'[b]'.repeat(8)}`,
		'n'.repeat(257),
	])('are refused under the name %s', (name) => {
		expect(() => foldFields(entries(name))).toThrow(
			expect.objectContaining({ code: 'E_VALUE_UNKNOWN', param: name.slice(0, 100) }),
		);
	});

	it('are refused without a name', () => {
		expect(() => foldFields(entries(''))).toThrow(
			expect.objectContaining({
				code: 'E_VALUE_UNKNOWN',
				param: undefined,
				message: 'A part of the form has no name.',
			}),
		);
	});

	it.each(['constructor', 'prototype', 'constructor[x]', 'prototype[constructor]', 'toString'])(
		'may have the name %s',
		(name) => {
			const folded = foldFields(entries(name));
			expect(Object.keys(folded)).toEqual([name.replace(/\[.*/, '')]);
			expect(Object.getPrototypeOf(folded)).toBeNull();
		},
	);

	it('of any names do not change prototypes', () => {
		const before = Object.getOwnPropertyNames(Object.prototype);
		const word = fc.constantFrom('__proto__', 'constructor', 'prototype', 'a', 'toString', '0', '');
		const name = fc.oneof(
			fc
				.tuple(word, fc.array(word, { maxLength: 4 }))
				.map(([first, rest]) => [first, ...rest.map((key) => `[${key}]`)].join('')),
			fc.string(),
		);
		fc.assert(
			fc.property(fc.array(name, { maxLength: 5 }), (names) => {
				try {
					foldFields(entries(...names));
				} catch (error) {
					expect(error).toMatchObject({ code: expect.stringMatching(/^E_VALUE_/) });
				}
			}),
			{ numRuns: 5_000 },
		);
		expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
	});
});
