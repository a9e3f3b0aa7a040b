import { describe, expect, test } from 'vitest';
import { readDocument } from '../src/read.ts';
import { show, tinyPdf } from './tiny-pdf.ts';

const hello = show(['Hello from a small page', 72, 700]);
const texts = async (bytes: Uint8Array) => ((await readDocument(bytes)).pages ?? []).map(({ text }) => text);

describe('reading a PDF', () => {
	test('pages are numbered from 1, have a size, and empty ones are kept', async () => {
		const document = await readDocument(tinyPdf({ pages: [hello, '', show(['The end', 72, 700])] }));
		expect(document.pageCount).toBe(3);
		expect(document.pages).toMatchObject([
			{ page: 1, text: 'Hello from a small page', width: 612, height: 792, needsOcr: false },
			{ page: 2, text: '' },
			{ page: 3, text: 'The end' },
		]);
	});

	test('only the requested pages are read', async () => {
		const pages = ['one', 'two', 'three', 'four'].map((name) => show([`page ${name}`, 72, 700]));
		const document = await readDocument(tinyPdf({ pages }), { pages: [{ first: 2, last: 3 }] });
		expect(document.pages?.map(({ page, text }) => [page, text])).toEqual([
			[2, 'page two'],
			[3, 'page three'],
		]);
		expect(document.pageCount).toBe(4);
	});

	test('title and creation date are returned', async () => {
		const { metadata } = await readDocument(tinyPdf({ pages: [hello], title: 'A \\(small\\) title' }));
		expect(metadata).toEqual({ title: 'A (small) title', created: '2026-01-02T03:04:05.000Z' });
	});

	test('quotation marks and dashes are those of the page', async () => {
		const content = show(['He said \x93yes\x94 \x96 it\x92s well-known', 72, 700]);
		expect(await texts(tinyPdf({ pages: [content] }))).toEqual(['He said “yes” – it’s well-known']);
	});

	test('straight quotation marks stay straight', async () => {
		const content = show([`He said "yes" - it's well-known`, 72, 700]);
		expect(await texts(tinyPdf({ pages: [content] }))).toEqual([`He said "yes" - it's well-known`]);
	});

	test('a row of a table is one line', async () => {
		const content = show(['Apples', 72, 700], ['12', 250, 700], ['4.80', 400, 700]);
		expect(await texts(tinyPdf({ pages: [content] }))).toEqual([expect.stringMatching(/^Apples {2,}12 {2,}4\.80$/)]);
	});
});

describe('damaged and encrypted files', () => {
	const whole = tinyPdf({ pages: [hello, show(['Page two', 72, 700])] });

	test('bytes before the header are ignored', async () => {
		const bytes = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), whole]);
		expect(await texts(bytes)).toEqual(['Hello from a small page', 'Page two']);
	});

	test('a file with a wrong cross-reference table is read', async () => {
		const moved = Buffer.from(whole.toString('latin1').replace('%PDF-1.7\n', '%PDF-1.7\n% a comment\n'), 'latin1');
		expect(await texts(moved)).toEqual(['Hello from a small page', 'Page two']);
	});

	test('a damaged page is empty, and the others are read', async () => {
		const cut = Buffer.from(whole.toString('latin1').replace('7 0 obj', '7 0 odd'), 'latin1');
		expect(await texts(cut)).toEqual(['Hello from a small page', '']);
	});

	test('a file that needs a password is rejected as encrypted', async () => {
		const locked = tinyPdf({ pages: [hello], user: 'secret', owner: 'owner' });
		await expect(readDocument(locked)).rejects.toMatchObject({
			code: 'E_DOCUMENT_ENCRYPTED',
		});
	});

	test.each(['rc4-40', 'rc4-128', 'aes-128', 'aes-256'] as const)(
		'a file with only an owner password (%s) is read, with its typography and title',
		async (cipher) => {
			const content = show(['It\x92s open to \x93all\x94 readers', 72, 700]);
			const locked = tinyPdf({ pages: [content], title: 'Open', user: '', owner: 'owner', cipher });
			const { pages = [], metadata } = await readDocument(locked);
			expect(pages.map(({ text }) => text)).toEqual(['It’s open to “all” readers']);
			expect(metadata).toEqual({ title: 'Open', created: '2026-01-02T03:04:05.000Z' });
		},
	);

	test.each([
		['cut before its end', whole.subarray(0, whole.indexOf('xref'))],
		['only a header', Buffer.from('%PDF-1.7\n')],
		['noise after a header', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(2_000, 'z')])],
	])('a file that is %s is rejected as unreadable', async (_, bytes) => {
		await expect(readDocument(bytes)).rejects.toMatchObject({
			code: 'E_DOCUMENT_UNREADABLE',
		});
	});

	test('a file of more than 20,000 pages is rejected, and can be read in part', async () => {
		const huge = tinyPdf({ pages: Array<string>(20_001).fill('') });
		await expect(readDocument(huge)).rejects.toMatchObject({ code: 'E_DOCUMENT_TOO_LARGE' });
		const { pages = [] } = await readDocument(huge, { pages: [{ first: 7, last: 7 }] });
		expect(pages.map(({ page }) => page)).toEqual([7]);
	});
});
