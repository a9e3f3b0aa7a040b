import { describe, expect, test } from 'vitest';
import { zipOfFiles } from '../../../../../test/support/zip.ts';
import { readEpub } from '../../../src/formats/office/epub.ts';
import { pagesWith, readWith } from '../read-with.ts';

const container =
	'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>';
const chapter = (text: string) =>
	`<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h1>${text}</h1></body></html>`;

function book(spine: readonly string[], files: Readonly<Record<string, string | Buffer>> = {}, metadata = ''): Buffer {
	const items = ['one.xhtml', 'sub/two%20x.xhtml', '../three.xhtml', 'gone.xhtml'].map(
		(href, index) => `<item id="c${index + 1}" href="${href}#top" media-type="application/xhtml+xml"/>`,
	);
	const refs = spine.map((id) => `<itemref idref="${id}"/>`);
	return zipOfFiles({
		mimetype: 'application/epub+zip',
		'META-INF/container.xml': container,
		'OEBPS/book.opf': `<?xml version="1.0"?><!DOCTYPE package><package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>${metadata}</metadata><manifest>${items.join('')}</manifest><spine>${refs.join('')}</spine></package>`,
		'OEBPS/one.xhtml': chapter('One'),
		'OEBPS/sub/two x.xhtml': chapter('Two'),
		'three.xhtml': chapter('Three'),
		...files,
	});
}

describe('reading a book', () => {
	test('each chapter is a page, in reading order', async () => {
		expect(await pagesWith(readEpub, book(['c3', 'c1', 'c2']))).toEqual(['Three', 'One', 'Two']);
	});

	test('a missing chapter is skipped', async () => {
		expect(await pagesWith(readEpub, book(['c1', 'c4', 'c9', 'c2']))).toEqual(['One', 'Two']);
	});

	test('a reading order that repeats chapters gives each chapter once', async () => {
		expect(await pagesWith(readEpub, book(['c1', 'c2', 'c1', 'c2', 'c1']))).toEqual(['One', 'Two']);
	});

	test('only the requested pages are returned', async () => {
		const options = { pages: [{ first: 2, last: 9 }] };
		expect(await readWith(readEpub, book(['c1', 'c2']), options)).toMatchObject({
			pages: [{ page: 2, text: 'Two' }],
			pageCount: 2,
		});
	});

	test('title, first author and date are returned', async () => {
		const metadata =
			'<dc:title>A &amp; B</dc:title><dc:creator>Jo</dc:creator><dc:creator>Al</dc:creator><dc:date>2020-01-02</dc:date>';
		expect((await readWith(readEpub, book(['c1'], {}, metadata))).metadata).toEqual({
			title: 'A & B',
			author: 'Jo',
			created: '2020-01-02T00:00:00.000Z',
		});
	});

	test('a chapter without any text is an empty page', async () => {
		const files = { 'OEBPS/one.xhtml': chapter('') };
		expect(await pagesWith(readEpub, book(['c1', 'c2'], files))).toEqual(['', 'Two']);
	});

	test('a chapter is read in the charset that it declares', async () => {
		const latin = Buffer.from(
			'<?xml version="1.0" encoding="iso-8859-1"?><html><body><p>caf\xe9</p></body></html>',
			'latin1',
		);
		expect(await pagesWith(readEpub, book(['c1'], { 'OEBPS/one.xhtml': latin }))).toEqual(['café']);
	});

	test('Markdown has headings', async () => {
		const { pages } = await readWith(readEpub, book(['c2']), { format: 'markdown' });
		expect(pages).toEqual([{ page: 1, text: '# Two' }]);
	});
});

describe('rejected books', () => {
	const locks = (algorithm: string, name: string) => ({
		'META-INF/encryption.xml': `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/><enc:CipherData><enc:CipherReference URI="${name}"/></enc:CipherData></enc:EncryptedData></encryption>`,
	});
	const aes = 'http://www.w3.org/2001/04/xmlenc#aes128-cbc';

	test('a book with encrypted chapters is rejected', async () => {
		const reading = readWith(readEpub, book(['c2'], locks(aes, 'OEBPS/sub/two%20x.xhtml')));
		await expect(reading).rejects.toMatchObject({ code: 'E_DOCUMENT_ENCRYPTED' });
	});

	test('obfuscated fonts do not count as encryption', async () => {
		const fonts = locks('http://www.idpf.org/2008/embedding', 'OEBPS/one.xhtml');
		expect(await pagesWith(readEpub, book(['c1'], fonts))).toEqual(['One']);
	});

	test('a book without a list of chapters is rejected', async () => {
		const reading = readWith(readEpub, zipOfFiles({ mimetype: 'application/epub+zip' }));
		await expect(reading).rejects.toMatchObject({ code: 'E_DOCUMENT_UNREADABLE' });
	});
});
