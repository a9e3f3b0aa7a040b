import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitText } from '../../src/speech/text.ts';

const texts = (text: string) => splitText(text).map((piece) => piece.text);
const codePoint = fc.oneof(fc.nat({ max: 0x10ffff }), fc.nat({ max: 0x24f }));

describe('splitText', () => {
	it('splits at sentences and separates paragraphs', () => {
		expect(splitText('One. Two!\r\n\r\nThree? Four')).toEqual([
			{ text: 'One.', pause: 'sentence' },
			{ text: 'Two!', pause: 'paragraph' },
			{ text: 'Three?', pause: 'sentence' },
			{ text: 'Four', pause: 'end' },
		]);
	});

	it('does not split at abbreviations, initials or quoted questions', () => {
		expect(texts('Hi. Dr. Smith met J. R. Tolkien, i.e. John. "Really?" she said. Yes.')).toEqual([
			'Hi.',
			'Dr. Smith met J. R. Tolkien, i.e. John.',
			'"Really?" she said.',
			'Yes.',
		]);
	});

	it('joins hard-wrapped lines, but not headings and list items', () => {
		const wrapped = 'This line was wrapped by an editor at some column and';
		expect(texts(`Heading\nHi.\n${wrapped}\ngoes on.\n${wrapped}\n- one\n- two`)).toEqual([
			'Heading',
			'Hi.',
			`${wrapped} goes on.`,
			wrapped,
			'- one',
			'- two',
		]);
	});

	it('splits very long sentences at commas, otherwise at spaces, and breaks long words', () => {
		const pieces = splitText(`${'very '.repeat(100)}long, ${'x'.repeat(500)}`);
		for (const { text } of pieces) expect(text.length).toBeLessThanOrEqual(200);
		expect(pieces.map(({ pause }) => pause)).toEqual(['none', 'none', 'comma', 'none', 'none', 'end']);
		expect(pieces.map(({ text }) => text.replaceAll(' ', '')).join('')).toBe(
			`${'very'.repeat(100)}long,${'x'.repeat(500)}`,
		);
	});

	it('keeps all text exactly once, and makes no piece without sound', () => {
		const word = fc.constantFrom('one', 'Dr.', 'two,', 'Three.', '4,000', '"five?"', '-', '\n', '\n\n', '...', 'e.g.');
		fc.assert(
			fc.property(fc.array(word, { maxLength: 120 }), (words) => {
				const text = words.join(' ').trim();
				const squeezed = (value: string) => value.replace(/[^A-Za-z0-9]/g, '');
				const pieces = texts(text);
				expect(squeezed(pieces.join(''))).toBe(squeezed(text));
				for (const piece of pieces) expect(piece).toMatch(/[A-Za-z0-9]/);
			}),
		);
	});

	it.each([
		['typographic signs', '“Don’t” — she said… ‘ok’', "\"Don't\", she said... 'ok'"],
		['accents and ligatures', 'café, naïve, Łódź, Straße, ﬁne', 'cafe, naive, lodz, Strasse, fine'],
		['no emoji', 'Hi 👋🏽 there 😀!', 'Hi there!'],
		['no control characters', 'a\u0000b\u0007c\u001b[0m', 'a b c 0m'],
		['no other scripts', 'The letter α, or β.', 'The letter, or.'],
		['currencies', '€5, £3.50, 99 ¥, €1 and €3 million', '5 euros, 3.50 pounds, 99 yen, 1 euro and 3 million euros'],
		['dollars, which flite reads itself', '$3.50 and $ 7', '$3.50 and $7'],
		['percent', '3.5 % of 100%.', '3.5 percent of 100 percent.'],
		['temperatures', '20°C, −5 °F, 20°.', '20 degrees Celsius, -5 degrees Fahrenheit, 20 degrees.'],
		['fractions', '2½ cups', '2 1/2 cups'],
		['signs between words', 'AT&T and me @ home', 'AT and T and me at home'],
		['sums', '3 + 4 = 7, 3 × 4', '3 plus 4 equals 7, 3 times 4'],
		['ranges', 'pages 3–4', 'pages 3-4'],
		['markup', '**bold** and <speak>tags</speak>', 'bold and speak tags speak'],
		['numbers with #', 'We are #1', 'We are number 1'],
	])('normalises %s', (_name, input, expected) => {
		expect(texts(input)).toEqual([expected]);
	});

	it('returns printable ASCII for any input', () => {
		fc.assert(
			fc.property(fc.array(codePoint, { maxLength: 60 }), (codePoints) => {
				for (const text of texts(String.fromCodePoint(...codePoints))) expect(text).toMatch(/^[\x20-\x7e]+$/);
			}),
		);
	});

	it.each(['...', '!?', '', '- -', 'a\n-----\nb'])('omits text without sound: "%s"', (text) => {
		expect(texts(text)).toEqual(text.match(/[ab]/g) ?? []);
	});

	// An algorithm much worse than linear would exceed the timeout of the test.
	it.each(['1', '€', ' ', '-', '≠', '1,', '\n ', 'Yes. '])('handles 50,000 times "%s"', (text) => {
		expect(splitText(text.repeat(50_000))).toBeInstanceOf(Array);
	});
});
