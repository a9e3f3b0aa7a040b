import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitIntoPieces } from '../../src/speech/sentences.ts';

const texts = (text: string) => splitIntoPieces(text).map((piece) => piece.text);

describe('splitIntoPieces', () => {
	it('splits at sentences and tells paragraphs apart', () => {
		expect(splitIntoPieces('One. Two!\n\nThree? Four')).toEqual([
			{ text: 'One.', boundary: 'sentence' },
			{ text: 'Two!', boundary: 'paragraph' },
			{ text: 'Three?', boundary: 'sentence' },
			{ text: 'Four', boundary: 'end' },
		]);
	});

	it('does not take abbreviations, initials or quoted questions for ends of sentences', () => {
		expect(texts('Hi. Dr. Smith met J. R. Tolkien, i.e. John. "Really?" she said. Yes.')).toEqual([
			'Hi.',
			'Dr. Smith met J. R. Tolkien, i.e. John.',
			'"Really?" she said.',
			'Yes.',
		]);
	});

	it('joins hard-wrapped lines, but not headings and list items', () => {
		const wrapped = 'This line was wrapped by an editor at some column and';
		expect(texts(`Heading\nHi.\n${wrapped}\ngoes on.\n- one\n- two`)).toEqual([
			'Heading',
			'Hi.',
			`${wrapped} goes on.`,
			'- one',
			'- two',
		]);
	});

	it('begins with a short piece: up to a comma, a small word, or as many words as fit', () => {
		const comma = 'Once upon a midnight dreary, while I pondered, weak and weary, I read.';
		expect(splitIntoPieces(comma)[0]).toEqual({
			text: 'Once upon a midnight dreary,',
			boundary: 'clause',
		});
		const word = 'Please turn left at the next traffic light and continue for two miles.';
		expect(splitIntoPieces(word)[0]).toEqual({
			text: 'Please turn left',
			boundary: 'phrase',
		});
		const plain = 'Artificial intelligence systems increasingly influence decisions.';
		expect(splitIntoPieces(plain)[0]).toEqual({
			text: 'Artificial intelligence systems',
			boundary: 'phrase',
		});
	});

	it('splits very long sentences at commas, else at spaces, and breaks endless words', () => {
		const pieces = texts(`So. ${'very '.repeat(100)}long, ${'x'.repeat(500)}`);
		for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(220);
		expect(pieces.join('').replaceAll(' ', '')).toBe(`So.${'very'.repeat(100)}long,${'x'.repeat(500)}`);
	});

	it('loses and repeats nothing, and makes no silent piece', () => {
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
});
