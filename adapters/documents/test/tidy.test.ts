import type { DocumentPage } from '@plinth/toolkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReadUpdate, sendText, TextBuilder } from '../src/pool/protocol.ts';
import { tidied, tidyText } from '../src/tidy.ts';

describe('the tidied text', () => {
	it.each([
		['a\r\nb\rc\vd\fe\u0085f\u2028g', 'a\nb\nc\nd\ne\nf\ng'],
		['Cafe\u0301', 'Caf\u00e9'],
		['a \t\u00a0\nb  ', 'a\nb'],
		['a\n\n\n\n\n\nb', 'a\n\n\nb'],
		['\n\n\n  indented\n\n', '  indented'],
		['\u0000a\u001b[1m\u007f\u009b\ufeffb\uffff', 'a[1mb'],
		['half a pair: \ud83d.', 'half a pair: \ufffd.'],
		['cells\tstay\tapart', 'cells\tstay\tapart'],
		[' \n\t\n', ''],
	])('of %j is %j', (untidy, tidy) => {
		expect(tidyText(untidy)).toBe(tidy);
	});

	it('is already tidy, for any text', () => {
		const letters = fc.constantFrom('a', ' ', '\t', '\n', '\r', '\f', '\u0301', '\u0000', '\ud800');
		fc.assert(
			fc.property(fc.string({ unit: letters, maxLength: 60 }), (untidy) => {
				const tidy = tidyText(untidy);
				// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
				expect(tidy).not.toMatch(/[\u0000-\u0008\v\f\r]|[ \t]\n|\s$|^\n|\n{4}/);
				expect(tidy.normalize('NFC')).toBe(tidy);
				expect(tidyText(tidy)).toBe(tidy);
			}),
		);
	});

	it('is the same for long texts', () => {
		for (const [line, tidy] of [
			['Cafe\u0301 au lait \r\n', 'Caf\u00e9 au lait\n'],
			['one \u{1f600} line ', 'one \u{1f600} line '],
		] as const) {
			expect(tidyText(line.repeat(100_000))).toBe(tidy.repeat(100_000).trimEnd());
		}
	});

	it.each([
		['characters of two units', '\u{20000}', '\u{20000}'],
		['characters with marks', 'e\u0301', '\u00e9'],
		['syllables of Hangul', '\u1112\u1161\u11ab', '\ud55c'],
		['line ends', '\r\ny', '\ny'],
	])('keeps each of the %s whole in long text without spaces', (_, character, tidy) => {
		for (const before of [1_048_574, 1_048_575]) {
			const text = 'x'.repeat(before) + character.repeat(100);
			expect(tidyText(text) === 'x'.repeat(before) + tidy.repeat(100)).toBe(true);
		}
	});

	it('is computed quickly for long runs of spaces and of combining marks', () => {
		expect(tidyText('\u0323'.repeat(3_000_000))).toHaveLength(3_000_000);
		expect(tidyText(`${' '.repeat(3_000_000)}x`)).toHaveLength(3_000_001);
		expect(tidyText(`x${'\n'.repeat(3_000_000)}x`)).toBe('x\n\n\nx');
		expect(tidyText(`x${' '.repeat(3_000_000)}\nx`)).toBe('x\nx');
	});
});

describe('a tidied document', () => {
	const mediaType = 'application/pdf';

	it('is truncated at the limit, and marked as truncated', () => {
		const pages = ['12345', '1234567', '123'].map((text, at) => ({ page: at + 1, text }));
		const cut = tidied({ mediaType, pages }, 9);
		expect(cut.pages?.map(({ text }) => text)).toEqual(['12345', '1234', '']);
		expect([cut.truncated, cut.pageCount]).toEqual([true, 3]);
		expect(tidied({ mediaType, pages }, 15).truncated).toBe(false);
		expect(tidied({ mediaType, text: 'ab\u{1f600}' }, 3)).toMatchObject({
			text: 'ab',
			truncated: true,
		});
	});

	it('has single-line metadata, without empty values', () => {
		const metadata = { title: ' A\n  title\u0000 ', author: ' ', created: '2026-01-02T03:04:05Z' };
		expect(tidied({ mediaType, text: '', metadata }).metadata).toEqual({
			title: 'A title',
			created: '2026-01-02T03:04:05Z',
		});
	});
});

describe('a text that is sent by the reading process', () => {
	async function sent(text: Parameters<typeof sendText>[0]) {
		const builder = new TextBuilder();
		let longest = 0;
		const end = await sendText(text, async (update: ReadUpdate) => {
			const json = JSON.stringify(update);
			longest = Math.max(longest, json.length);
			builder.add(JSON.parse(json));
		});
		return { text: builder.build(JSON.parse(JSON.stringify(end))), longest };
	}

	const rest = { mediaType: 'application/pdf', truncated: false, metadata: { title: 'T' } };

	it('arrives unchanged, in pieces of a bounded size', async () => {
		const long = 'All work and no play. \u{1f600}'.repeat(60_000);
		const page = (page: number, text: string): DocumentPage => ({
			page,
			text,
			width: 1,
			height: 2,
		});
		const short = Array.from({ length: 5_000 }, (_, at) => page(at + 3, 'A short page.'));
		const texts = [
			{ ...rest, text: long },
			{ ...rest, text: '' },
			{ ...rest, pages: [page(1, long), page(2, ''), ...short], pageCount: 5_002 },
			{ ...rest, pages: [], pageCount: 7 },
		];
		for (const text of texts) {
			const { text: received, longest } = await sent(text);
			expect(received).toEqual(text);
			expect(longest).toBeLessThan(1_000_000);
		}
	});
});
