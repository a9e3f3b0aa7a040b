import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSpeakable, normalise } from '../../src/speech/normalise.ts';

const codePoint = fc.oneof(fc.nat({ max: 0x10ffff }), fc.nat({ max: 0x24f }));

describe('normalise', () => {
	it.each([
		['typographic signs', '“Don’t” — she said… ‘ok’', "\"Don't\", she said... 'ok'"],
		['accents and ligatures', 'café, naïve, Łódź, Straße, ﬁne', 'cafe, naive, Lodz, Strasse, fine'],
		['emoji', 'Hi 👋🏽 there 😀!', 'Hi there!'],
		['control characters', 'a\u0000b\u0007c\u001b[0m', 'a b c 0m'],
		[
			'currencies',
			'€5, £3.50, 99 ¥, €1 and €3 million',
			'5 euros, 3 pounds and 50 pence, 99 yen, 1 euro and 3 million euros',
		],
		['dollars, which flite reads itself', '$3.50, $ 7 and 5$', '$3.50, $7 and $5'],
		['percent', '3.5 % of 100%.', '3.5 percent of 100 percent.'],
		['temperatures', '20°C, −5 °F', '20 degrees Celsius, -5 degrees Fahrenheit'],
		['fractions', '2½ cups', '2 1/2 cups'],
		['signs between words', 'AT&T and me @ home', 'AT and T and me at home'],
		['sums', '3 + 4 = 7, 3 × 4, 3 < 5', '3 plus 4 equals 7, 3 times 4, 3 is less than 5'],
		['ranges', 'pages 3–4', 'pages 3-4'],
		['markup', '**bold** and <speak>tags</speak>', 'bold and speak tags speak'],
		['ruled lines', 'a\n-----\n=====\nb', 'a\n-\n\nb'],
		['numbers with #', 'We are #1', 'We are number 1'],
	])('writes %s for the synthesizer', (_name, input, expected) => {
		expect(normalise(input).text).toBe(expected);
	});

	it('keeps paragraphs', () => {
		expect(normalise('One.\r\n\r\nTwo.').text).toBe('One.\n\nTwo.');
	});

	it('leaves out other scripts and counts their letters', () => {
		expect(normalise('The letter α, or альфа.')).toEqual({ text: 'The letter, or.', dropped: 6 });
	});

	it('gives printable ASCII for any input', () => {
		fc.assert(
			fc.property(fc.array(codePoint, { maxLength: 60 }), (codePoints) => {
				const input = String.fromCodePoint(...codePoints);
				expect(normalise(input).text).toMatch(/^[\n\x20-\x7e]*$/);
			}),
		);
	});

	// Anything much worse than linear would run into the test's own time limit.
	it.each(['1', '€', ' ', '-', '≠', '1,', '\n '])('takes 50,000 times "%s"', (text) => {
		expect(normalise(text.repeat(50_000)).text).toBeTypeOf('string');
	});
});

describe('isSpeakable', () => {
	it.each(['...', '!?', '', '- -'])('is false for "%s"', (text) => {
		expect(isSpeakable(text)).toBe(false);
	});

	it.each(['a', '7', '(x)'])('is true for "%s"', (text) => {
		expect(isSpeakable(text)).toBe(true);
	});
});
