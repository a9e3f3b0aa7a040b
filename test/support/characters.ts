import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/**
 * Any character of Unicode, as a unit of `fc.string`. The same as fast-check's own unit `binary`, which first makes a table of all
 * 1,112,064 of them: that takes a second, and a hundred megabytes for as long as the process lives.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
	.nat({ max: 0x10ffff - surrogates.count })
	.map(characterAt, placeOf);

/** Any text. */
export function anyText(bounds: fc.StringConstraints = {}): fc.Arbitrary<string> {
	return fc.string({ ...bounds, unit: anyCharacter });
}

function characterAt(place: number): string {
	return String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count);
}

/** With it fast-check also tries texts that are known to be dangerous, such as `__proto__`. */
function placeOf(character: unknown): number {
	const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
	if (code === undefined || characterAt(beforeSurrogates(code)) !== character) {
		throw new Error(`${character} is no character.`);
	}
	return beforeSurrogates(code);
}

function beforeSurrogates(code: number): number {
	return code < surrogates.first ? code : code - surrogates.count;
}
