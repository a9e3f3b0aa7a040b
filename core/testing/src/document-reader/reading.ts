import assert from 'node:assert/strict';
import type { DocumentText } from '@plinth/toolkit';
import type { ConformanceCase } from '../conformance.ts';
import { withFile } from '../temporary-file.ts';
import { smallPdf } from './small-pdf.ts';
import { allText, type ReaderCase } from './subject.ts';

const prose = 'The quick brown fox jumps over the lazy dog.\nIt does so every day.\n';
const table = 'name,town\nAda,London\nGrace,New York\nAlan,Wilmslow\n';
const letter = smallPdf({ pages: [['Dear Ada,', 'thank you for the engine.']] });
/** Five pages, the third of which is empty. */
const report = smallPdf({ pages: [['Chapter one'], ['Chapter two'], [], ['Chapter four'], ['Chapter five']] });

const range = (first: number, last: number) => ({ first, last });

/** Pages as `number: text`. */
const numbered = (pages: DocumentText['pages']) => pages?.map(({ page, text }) => `${page}: ${text}`);

/** Cases on the texts of documents. */
export function readingCases(it: ReaderCase): ConformanceCase[] {
	return [
		it('plain text has a text and no pages', async ({ reader }) => {
			const document = await reader.read(Buffer.from(prose));
			assert.equal(document.mediaType, 'text/plain');
			assert.equal(document.text, prose.trim());
			assert.deepEqual([document.pages, document.pageCount], [undefined, undefined]);
			assert.equal(document.truncated, false);
		}),
		it('the rows of a table of values stay rows', async ({ reader }) => {
			const document = await reader.read(Buffer.from(table));
			assert.equal(document.mediaType, 'text/csv');
			const rows = allText(document).split('\n');
			const isRow = rows.some((row) => row.includes('Grace') && row.includes('New York'));
			assert.ok(isRow, allText(document));
		}),
		it('a PDF has pages with their sizes, and no text of its own', async ({ reader }) => {
			const { mediaType, pages, pageCount, text } = await reader.read(letter);
			assert.deepEqual([mediaType, pageCount, text], ['application/pdf', 1, undefined]);
			assert.equal(pages?.length, 1);
			assert.match(pages[0]?.text ?? '', /Dear Ada,[\s\S]*thank you for the engine\./);
			assert.deepEqual([pages[0]?.width, pages[0]?.height], [400, 300]);
		}),
		it('pages are counted from 1, and empty ones are kept', async ({ reader }) => {
			const { pages, pageCount } = await reader.read(report);
			assert.equal(pageCount, 5);
			const expected = ['1: Chapter one', '2: Chapter two', '3: ', '4: Chapter four', '5: Chapter five'];
			assert.deepEqual(numbered(pages), expected);
		}),
		it('requested pages are returned once each and in order', async ({ reader }) => {
			const ranges = [range(4, 4), range(2, 3), range(3, 3)];
			const { pages, pageCount } = await reader.read(report, { pages: ranges });
			assert.deepEqual(numbered(pages), ['2: Chapter two', '3: ', '4: Chapter four']);
			assert.equal(pageCount, 5);
		}),
		it('pages beyond the end are no error', async ({ reader }) => {
			const some = await reader.read(report, { pages: [range(5, 99)] });
			assert.deepEqual(numbered(some.pages), ['5: Chapter five']);
			const none = await reader.read(report, { pages: [range(7, 9)] });
			assert.deepEqual([none.pages, none.pageCount], [[], 5]);
		}),
		it('formats without pages ignore requested ranges', async ({ reader }) => {
			const document = await reader.read(Buffer.from(prose), { pages: [range(3, 4)] });
			assert.equal(document.text, prose.trim());
		}),
		it('the format is detected by content, not by name', async ({ reader }) => {
			const document = await withFile(letter, (path) => reader.read({ path }));
			assert.equal(document.mediaType, 'application/pdf');
		}),
		it('a file gives what its bytes give', async ({ reader }) => {
			for (const bytes of [Buffer.from(prose), Buffer.from(table), report]) {
				const expected = await reader.read(bytes);
				assert.deepEqual(await withFile(bytes, (path) => reader.read({ path })), expected);
			}
		}),
		it('a document is read from the middle of a larger buffer, and stays as it is', async ({ reader }) => {
			const larger = Buffer.concat([Buffer.from('%PDF-'), letter, Buffer.alloc(1_000, 'x')]);
			const copy = Buffer.from(larger);
			const view = larger.subarray(5, 5 + letter.byteLength);
			assert.deepEqual(await reader.read(view), await reader.read(letter));
			assert.ok(larger.equals(copy));
		}),
		it('text is NFC with LF, without blanks at line ends and without many empty lines', async ({ reader }) => {
			const untidy = `Cafe\u0301  \r\nand a second line\t\rand a third${'\n'.repeat(9)}and the end.  \n`;
			const text = allText(await reader.read(Buffer.from(untidy)));
			assert.match(text, /Caf\u00e9\nand a second line\nand a third\n{1,3}and the end\.$/);
		}),
		it('text has no form feeds and no control characters', async ({ reader }) => {
			const listing = `${'A line of a listing.\n'.repeat(40)}\f${'Another line, \u001b[1mbold\u001b[0m.\n'.repeat(40)}`;
			const text = allText(await reader.read(Buffer.from(listing)));
			assert.match(text, /A line of a listing\.[\s\S]*Another line/);
			// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
			assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f]/);
		}),
		it('metadata that a document does not have is left out', async ({ reader }) => {
			const { metadata } = await reader.read(Buffer.from(prose));
			assert.deepEqual(metadata, {});
		}),
	];
}
