import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../src/read.ts';
import { compoundOf } from '../../ole/compound.ts';
import { type Look, wordOf } from './word.ts';

const text = async (file: Parameters<typeof wordOf>[0]) => (await readDocument(wordOf(file))).text;

/** The formatting of a part of a text. */
function look(body: string, part: string, operations: string, style = 0): Look {
	const from = body.indexOf(part);
	return { from, to: from + part.length, operations, style };
}

describe('an old Word document', () => {
	test.each([false, true])('contains its paragraphs, single-byte text: %s', async (isNarrow) => {
		expect(await text({ body: 'First é\rsecond\x0bline\tend\r', isNarrow })).toBe('First é\nsecond\nline\tend');
	});

	test('has table rows as lines', async () => {
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
		expect(await text({ body, paragraphs })).toBe('before\na\tb\nc\nafter');
	});

	test('contains the results of fields', async () => {
		const inner = '\x13 PAGE \x147\x15';
		const body = `see \x13 HYPERLINK "${inner}" \x14the page\x15, \x13 XE "x" \x15${inner}\r`;
		expect(await text({ body })).toBe('see the page, 7');
	});

	test('omits deleted characters', async () => {
		const body = 'keep gone keep end\r';
		expect(await text({ body, characters: [look(body, ' gone', '00 08 01')] })).toBe('keep keep end');
	});

	test('keeps non-breaking hyphens and omits soft ones', async () => {
		expect(await text({ body: 'no\x1ebreak op\x1ftional\r' })).toBe('no-break optional');
	});

	test('has headers, body, notes, comments, text boxes, footers', async () => {
		const headers = ['', '', '', '', '', '', '', 'Top', '', 'Bottom', '', ''];
		const file = {
			body: 'one\x02 and two\x05\x0cnext\r',
			footnotes: ['note'],
			comments: ['remark'],
			headers,
			boxes: 'boxed',
		};
		expect(await text(file)).toBe('Top\n\none and two\nnext\n\nnote\n\nremark\n\nboxed\n\nBottom');
	});

	test('with a password is rejected as encrypted', async () => {
		const file = wordOf({ body: 'secret\r', flags: 0x0300 });
		await expect(readDocument(file)).rejects.toMatchObject({ code: 'E_DOCUMENT_ENCRYPTED' });
	});

	test('of Word 95 is read', async () => {
		const stream = Buffer.alloc(2_000);
		stream.writeUInt16LE(0xa5dc, 0);
		stream.writeUInt16LE(104, 2);
		stream.writeUInt32LE(1_500, 0x18);
		stream.writeUInt32LE(10, 0x34);
		stream.write('old t\xe9xt\rx', 1_500, 'latin1');
		const file = compoundOf({ WordDocument: stream });
		expect((await readDocument(file)).text).toBe('old téxt\nx');
	});

	test.each([
		['without a text', { WordDocument: 'nothing' }],
		['without its table', { WordDocument: Buffer.from(`\xec\xa5\xc1${'\0'.repeat(2_000)}`, 'latin1') }],
	])('%s is rejected', async (_, files) => {
		await expect(readDocument(compoundOf(files))).rejects.toMatchObject({
			code: 'E_DOCUMENT_UNREADABLE',
		});
	});

	test('that is damaged is read or rejected with a document error', async () => {
		const body = 'one\x02 \x13 X \x14field\x15 a\x07b\x07\x07\x0cnext\r';
		const file = wordOf({
			body,
			footnotes: ['note'],
			headers: ['', '', '', '', '', '', 'a', 'b'],
			characters: [look(body, 'field', '00 08 01')],
			paragraphs: [look(body, 'next\r', '07 24 01', 2)],
		});
		for (let at = 512; at < file.length; at += 19) {
			for (const value of [0xff, 0x7f, 0]) {
				const damaged = Buffer.from(file);
				damaged.fill(value, at, at + 3);
				const outcome = await readDocument(damaged).catch((error) => error.code);
				expect(outcome).toSatisfy(
					(result) => typeof result === 'object' || /^E_DOCUMENT_(UNREADABLE|ENCRYPTED|UNSUPPORTED)$/.test(result),
				);
			}
		}
	});
});
