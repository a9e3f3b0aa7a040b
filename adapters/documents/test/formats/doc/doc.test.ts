import { describe, expect, test } from 'vitest';
import { readDoc } from '../../../src/formats/doc/read.ts';
import { compoundOf } from '../../ole/compound.ts';
import { pagesWith, readWith } from '../read-with.ts';
import { type Look, wordOf } from './word.ts';

const text = async (file: Parameters<typeof wordOf>[0]) => (await readWith(readDoc, wordOf(file))).text;

/** The look of the part of a text. */
function look(body: string, part: string, operations: string, style = 0): Look {
	const from = body.indexOf(part);
	return { from, to: from + part.length, operations, style };
}

describe('an old Word document', () => {
	test.each([false, true])('gives its paragraphs, of bytes: %s', async (isNarrow) => {
		expect(await text({ body: 'First é\rsecond\x0bline\tend\r', isNarrow })).toBe('First é\nsecond\nline\tend');
	});

	test('has rows of tables as lines', async () => {
		const body = 'before\ra\x07b\x07\x07c\x07\x07\x07after\r';
		const inTable = '16 24 01';
		const rowEnd = '16 24 01 17 24 01';
		const paragraphs = [
			{ from: 0, to: 7, operations: '' },
			{ from: 7, to: 11, operations: inTable },
			{ from: 11, to: 12, operations: rowEnd },
			{ from: 12, to: 15, operations: inTable },
			{ from: 15, to: 16, operations: rowEnd },
			{ from: 16, to: 22, operations: '' },
		];
		expect(await text({ body, paragraphs })).toBe('before\n| a | b |\n| c |  |\nafter');
	});

	test('has empty lines around headings', async () => {
		const body = 'a\rTitle\rb\r';
		expect(await text({ body, paragraphs: [look(body, 'Title\r', '', 1)] })).toBe('a\n\nTitle\n\nb');
	});

	test('shows fields by their result', async () => {
		const inner = '\x13 PAGE \x147\x15';
		const body = `see \x13 HYPERLINK "${inner}" \x14the page\x15, \x13 XE "x" \x15${inner}\r`;
		expect(await text({ body })).toBe('see the page, 7');
	});

	test('leaves out deleted and hidden characters', async () => {
		const body = 'keep gone keep hidden end\r';
		const characters = [look(body, ' gone', '00 08 01'), look(body, ' hidden', '3c 08 01')];
		expect(await text({ body, characters })).toBe('keep keep end');
	});

	test('has notes at the end of their page', async () => {
		const body = 'one\x02 and two\x02\x0cnext\r';
		const file = wordOf({ body, footnotes: ['first note', 'second note'] });
		expect(await pagesWith(readDoc, file)).toEqual(['one[1] and two[2]\n[1] first note\n[2] second note', 'next']);
	});

	test('has comments at the end of their page', async () => {
		const file = wordOf({ body: 'one\x05 word\x0cnext\x05\r', comments: ['first', 'second'] });
		expect(await pagesWith(readDoc, file)).toEqual(['one word\nComment: first', 'next\nComment: second']);
	});

	test('begins a page with a paragraph that asks for it, whose notes go along', async () => {
		const body = 'one\x02\rtwo\x02\rthree\r';
		const paragraphs = [look(body, 'two\x02\r', '07 24 01')];
		const file = wordOf({ body, paragraphs, footnotes: ['first note', 'second note'] });
		expect(await pagesWith(readDoc, file)).toEqual(['one[1]\n[1] first note', 'two[2]\nthree\n[2] second note']);
	});

	test('has headers first, footers last, text boxes before them', async () => {
		const headers = ['', '', '', '', '', '', 'even', 'Top', 'even', 'Bottom', 'first', 'first'];
		const body = 'text\r';
		expect(await text({ body, headers, boxes: 'boxed' })).toBe('Top\ntext\nboxed\nBottom');
		const sections = [{ end: 5, operations: '0a 30 01' }];
		expect(await text({ body, headers, sections })).toBe('Top\nfirst\ntext\nBottom\nfirst');
	});

	test('goes on on the same page after a section that does', async () => {
		const sections = (kind: string) => [
			{ end: 4, operations: '' },
			{ end: 9, operations: `09 30 ${kind}` },
		];
		expect(await text({ body: 'one\x0ctwo.\r', sections: sections('00') })).toBe('one\ntwo.');
		const file = wordOf({ body: 'one\x0ctwo.\r', sections: sections('02') });
		expect(await pagesWith(readDoc, file)).toEqual(['one', 'two.']);
	});

	test('with a password is refused for that', async () => {
		const file = wordOf({ body: 'secret\r', flags: 0x0300 });
		await expect(readWith(readDoc, file)).rejects.toMatchObject({ code: 'E_DOCUMENT_ENCRYPTED' });
	});

	test('of Word 95 gives its text', async () => {
		const stream = Buffer.alloc(2_000);
		stream.writeUInt16LE(0xa5dc, 0);
		stream.writeUInt16LE(104, 2);
		stream.writeUInt32LE(1_500, 0x18);
		stream.writeUInt32LE(10, 0x34);
		stream.write('old t\xe9xt\rx', 1_500, 'latin1');
		const file = compoundOf({ WordDocument: stream });
		expect((await readWith(readDoc, file)).text).toBe('old téxt\nx');
	});

	test.each([
		['without a text', { WordDocument: 'nothing' }],
		['without its table', { WordDocument: Buffer.from(`\xec\xa5\xc1${'\0'.repeat(2_000)}`, 'latin1') }],
	])('%s is refused', async (_, files) => {
		await expect(readWith(readDoc, compoundOf(files))).rejects.toMatchObject({
			code: 'E_DOCUMENT_UNREADABLE',
		});
	});

	test('that is damaged gives text or is refused, and never fails otherwise', async () => {
		const body = 'one\x02 \x13 X \x14field\x15 a\x07b\x07\x07\x0cnext\r';
		const file = wordOf({
			body,
			footnotes: ['note'],
			headers: ['', '', '', '', '', '', 'a', 'b'],
			characters: [look(body, 'field', '00 08 01')],
			paragraphs: [look(body, 'next\r', '07 24 01', 2)],
		});
		for (let at = 512; at < file.length; at += 7) {
			for (const value of [0xff, 0x7f, 0]) {
				const damaged = Buffer.from(file);
				damaged.fill(value, at, at + 3);
				const outcome = await readWith(readDoc, damaged).catch((error) => error.code);
				expect(outcome).toSatisfy(
					(result) => typeof result === 'object' || /^E_DOCUMENT_(UNREADABLE|ENCRYPTED)$/.test(result),
				);
			}
		}
	});
});
