import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../../test/support/characters.ts';
import { fieldPath, foldFields } from '../../../src/http/bodies/forms/fields.ts';
import { countCodePoints } from '../../../src/http/validation/issues.ts';
import { codePoints } from '../../../src/http/validation/validate.ts';

describe('code points', () => {
	const text = anyText({ maxLength: 20 });

	it('are counted like by iteration of the string, including lone surrogates', () => {
		const units = fc.array(fc.integer({ min: 0xd7f0, max: 0xe00f }), { maxLength: 12 });
		fc.assert(
			fc.property(
				fc.oneof(
					text,
					units.map((codes) => String.fromCharCode(...codes)),
				),
				(value) => {
					expect(countCodePoints(value)).toBe([...value].length);
				},
			),
		);
	});

	it('limit a string exactly', () => {
		const bound = fc.nat({ max: 10 });
		fc.assert(
			fc.property(text, bound, bound, (value, min, max) => {
				const length = [...value].length;
				expect(codePoints({ min, max }).safeParse(value).success).toBe(length >= min && length <= max);
			}),
		);
	});
});

describe('field names', () => {
	it('of any kind are folded into plain data or refused, and never reach a prototype', () => {
		const piece = fc.constantFrom('a', 'b', '[', ']', '[]', '[0]', '[a]', '__proto__', 'constructor', 'prototype', '');
		const name = fc.oneof(
			fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
			fc.string(),
		);
		fc.assert(
			fc.property(fc.array(name, { maxLength: 5 }), (names) => {
				try {
					const folded = foldFields(names.map((value) => ({ name: value, value })));
					expect(Object.getPrototypeOf(folded)).toBeNull();
				} catch (error) {
					expect(error).toMatchObject({ $kind: 'plinth.error' });
				}
				expect(Object.keys(Object.prototype)).toEqual([]);
			}),
		);
	});

	it('keep their path', () => {
		expect(fieldPath('a[b][0][c][]')).toEqual(['a', 'b', 'c']);
		expect(fieldPath('a[b')).toEqual(['a[b']);
	});
});
