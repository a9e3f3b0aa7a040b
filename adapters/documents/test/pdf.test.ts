import { describe, expect, test } from 'vitest';
import { readPdf } from '../src/pdf/read.ts';
import { show, tinyPdf } from './tiny-pdf.ts';

const hello = show(['Hello from a small page', 72, 700]);
const texts = async (bytes: Uint8Array) => (await readPdf(bytes)).pages.map(({ text }) => text);

describe('reading a PDF', () => {
	test('pages are numbered from 1, have a size, and empty ones are kept', async () => {
		const document = await readPdf(tinyPdf({ pages: [hello, '', show(['The end', 72, 700])] }));
		expect(document.pageCount).toBe(3);
		expect(document.pages).toMatchObject([
			{ page: 1, text: 'Hello from a small page', width: 612, height: 792, needsOcr: false },
			{ page: 2, text: '' },
			{ page: 3, text: 'The end' },
		]);
	});

	test('only the pages that are asked for are read', async () => {
		const pages = ['one', 'two', 'three', 'four'].map((name) => show([`page ${name}`, 72, 700]));
		const document = await readPdf(tinyPdf({ pages }), { pages: [{ first: 2, last: 3 }] });
		expect(document.pages.map(({ page, text }) => [page, text])).toEqual([
			[2, 'page two'],
			[3, 'page three'],
		]);
		expect(document.pageCount).toBe(4);
	});

	test('title and time are told', async () => {
		const { metadata } = await readPdf(tinyPdf({ pages: [hello], title: 'A \\(small\\) title' }));
		expect(metadata).toEqual({ title: 'A (small) title', created: '2026-01-02T03:04:05.000Z' });
	});

	test('quotation marks and dashes are those of the page', async () => {
		const content = show(['He said \x93yes\x94 \x96 it\x92s well-known', 72, 700]);
		expect(await texts(tinyPdf({ pages: [content] }))).toEqual(['He said “yes” – it’s well-known']);
	});

	test('straight marks stay straight', async () => {
		const content = show([`He said "yes" - it's well-known`, 72, 700]);
		expect(await texts(tinyPdf({ pages: [content] }))).toEqual([`He said "yes" - it's well-known`]);
	});

	test('a row of a table is one line', async () => {
		const content = show(['Apples', 72, 700], ['12', 250, 700], ['4.80', 400, 700]);
		expect(await texts(tinyPdf({ pages: [content] }))).toEqual([expect.stringMatching(/^Apples {2,}12 {2,}4\.80$/)]);
	});

	test('nothing is read once the signal is given', async () => {
		const reading = readPdf(tinyPdf({ pages: [hello] }), { signal: AbortSignal.abort() });
		await expect(reading).rejects.toThrow('aborted');
	});
});

describe('damaged and locked files', () => {
	const whole = tinyPdf({ pages: [hello, show(['Page two', 72, 700])] });

	test('bytes before the header do no harm', async () => {
		const bytes = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), whole]);
		expect(await texts(bytes)).toEqual(['Hello from a small page', 'Page two']);
	});

	test('a file that lost its cross-reference table and trailer is read', async () => {
		const cut = whole.subarray(0, whole.indexOf('xref'));
		expect(await texts(cut)).toEqual(['Hello from a small page', 'Page two']);
	});

	test('of a file that lost its end, the pages that are there are read, and the others are empty', async () => {
		const cut = whole.subarray(0, whole.indexOf('7 0 obj'));
		expect(await texts(cut)).toEqual(['Hello from a small page', '']);
	});

	test('a file that needs a password is refused with a code', async () => {
		const locked = tinyPdf({ pages: [hello], user: 'secret', owner: 'owner' });
		await expect(readPdf(locked)).rejects.toMatchObject({
			code: 'E_DOCUMENT_ENCRYPTED',
		});
	});

	test.each(['rc4-40', 'rc4-128', 'aes-128'] as const)(
		'a file that only its owner may change (%s) is read, with its marks and its title',
		async (cipher) => {
			const content = show(['It\x92s open to \x93all\x94 readers', 72, 700]);
			const locked = tinyPdf({ pages: [content], title: 'Open', user: '', owner: 'owner', cipher });
			const { pages, metadata } = await readPdf(locked);
			expect(pages.map(({ text }) => text)).toEqual(['It’s open to “all” readers']);
			expect(metadata).toEqual({ title: 'Open', created: '2026-01-02T03:04:05.000Z' });
		},
	);

	test('of a file with a cipher that is left to the engines, the title is not told', async () => {
		const content = show(['It\x92s open to \x93all\x94 readers', 72, 700]);
		const lock = { user: '', owner: 'owner', cipher: 'aes-256' } as const;
		const { pages, metadata } = await readPdf(tinyPdf({ pages: [content], title: 'Open', ...lock }));
		expect(pages.map(({ text }) => text)).toEqual(['It’s open to “all” readers']);
		expect(metadata).toEqual({});
	});

	test('a year that never was is no time', async () => {
		const dated = Buffer.from(whole.toString('latin1').replace('D:2026', 'D:0000'), 'latin1');
		expect((await readPdf(dated)).metadata).toEqual({});
	});

	test.each([
		['no PDF', Buffer.from('<html>hello</html>')],
		['empty', Buffer.alloc(0)],
		['only a header', Buffer.from('%PDF-1.7\n')],
		['noise behind a header', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(2_000, 'z')])],
	])('a file that is %s is refused with a code', async (_, bytes) => {
		await expect(readPdf(bytes)).rejects.toMatchObject({
			code: 'E_DOCUMENT_UNREADABLE',
		});
	});

	test('more pages than 20,000 are refused with a code, and still read in part', async () => {
		const huge = tinyPdf({ pages: Array<string>(20_001).fill('') });
		await expect(readPdf(huge)).rejects.toMatchObject({ code: 'E_DOCUMENT_TOO_LARGE' });
		const { pages } = await readPdf(huge, { pages: [{ first: 7, last: 7 }] });
		expect(pages.map(({ page }) => page)).toEqual([7]);
	});
});
