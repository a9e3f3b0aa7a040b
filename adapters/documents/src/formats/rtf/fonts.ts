import { charsetOfPage } from '../charset.ts';

/** The charset of a font's `\fcharset` number, `symbol` for pictures in the place of letters; undefined where the document's own code page counts. */
export function charsetOfFont(number: number): string | undefined {
	const page = pages[number];
	if (number === 2) return 'symbol';
	return page === undefined ? undefined : charsetOfPage(page);
}

const pages: Readonly<Record<number, number>> = {
	77: 10_000,
	78: 932,
	128: 932,
	129: 949,
	130: 1361,
	134: 936,
	136: 950,
	161: 1253,
	162: 1254,
	163: 1258,
	177: 1255,
	178: 1256,
	186: 1257,
	204: 1251,
	222: 874,
	238: 1250,
	254: 437,
	255: 850,
};

/**
 * Characters of symbol fonts, which lie at U+F020 to U+F0FF in Unicode and at their last byte otherwise. The font named Symbol holds Greek
 * letters; of the other ones only the usual bullets and marks are known, and the rest shows nothing.
 */
export function symbolText(code: number, isGreek: boolean): string {
	const byte = code & 0xff;
	const mark = marks[byte];
	if (mark !== undefined) return mark;
	if (byte < 0x21) return ' ';
	if (!isGreek) return '';
	return byte >= 0x41 && byte <= 0x7a ? (greek[byte - 0x41] ?? '') : String.fromCharCode(byte);
}

const marks: Readonly<Record<number, string>> = {
	167: '▪',
	168: '•',
	183: '•',
	216: '➢',
	252: '✓',
	254: '☑',
};
const greek = [...'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ'];
