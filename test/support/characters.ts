import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/**
 * Any character of Unicode, as a unit of `fc.string`. Equivalent to fast-check's unit `binary`, which first builds a
 * table of all 1,112,064 characters: that takes a second and occupies a hundred megabytes until the process ends.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
	.nat({ max: 0x10ffff - surrogates.count })
	.map(characterAt, indexOf);

/** Any text. */
export function anyText(bounds: fc.StringConstraints = {}): fc.Arbitrary<string> {
	return fc.string({ ...bounds, unit: anyCharacter });
}

function characterAt(index: number): string {
	return String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count);
}

/**
 * The inverse of {@link characterAt}. With it fast-check also tries texts that are known to be dangerous, such as
 * `__proto__`.
 */
function indexOf(character: unknown): number {
	const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
	if (code === undefined || characterAt(beforeSurrogates(code)) !== character) {
		throw new Error(`${character} is not a character.`);
	}
	return beforeSurrogates(code);
}

function beforeSurrogates(code: number): number {
	return code < surrogates.first ? code : code - surrogates.count;
}
