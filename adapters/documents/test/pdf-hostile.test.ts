import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decryptionOf } from '../src/pdf/decryption.ts';
import { findObjects, pagesOf } from '../src/pdf/objects.ts';
import { PageContents } from '../src/pdf/page-contents.ts';
import { catalogueOf, leavesOf } from '../src/pdf/page-tree.ts';
import { readPdf } from '../src/pdf/read.ts';
import { rebuilt } from '../src/pdf/rebuild.ts';
import { onePage, rawPdf, stream } from './hostile-pdf.ts';
import { lockOf } from './pdf-lock.ts';
import { show, tinyPdf } from './tiny-pdf.ts';

const hello = show(['Hello from a small page', 72, 700]);
const leaves = (objects: readonly string[]) => {
	const found = findObjects(rawPdf(objects));
	return leavesOf(found, catalogueOf(found));
};

describe('our own look at hostile files', () => {
	test('page trees that go round end', () => {
		const loop = [
			'<< /Type /Catalog /Pages 2 0 R >>',
			'<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R] >>',
			'<< /Type /Pages /Kids [2 0 R 4 0 R] >>',
			'<< /Type /Page /Parent 3 0 R >>',
		];
		expect(leaves(loop)).toEqual([4]);
	});

	test('page trees deeper than the stack are read', () => {
		const depth = 30_000;
		const chain = Array.from({ length: depth }, (_, at) => `<< /Type /Pages /Kids [${at + 3} 0 R] >>`);
		expect(leaves(['<< /Type /Catalog /Pages 2 0 R >>', ...chain, '<< /Type /Page >>'])).toEqual([depth + 2]);
	});

	test.each([
		['no entries', '/Encrypt << /Filter /Standard /V 2 /R 3 >>'],
		['empty entries', '/Encrypt << /Filter /Standard /V 2 /R 3 /Length -8 /O () /U <> /P 9999999999 >>'],
		['another key', `/Encrypt << /Filter /Standard /V 1 /R 2 /O (${'o'.repeat(32)}) /U (${'u'.repeat(32)}) /P -4 >>`],
		['blanks for ever', `/Encrypt << /Filter /Standard /V 1 /R 2 /O${' '.repeat(1_000_000)}>>`],
	])('a lock with %s opens nothing', (_, entries) => {
		expect(decryptionOf(entries, '/ID [<00> <00>]')).toBeUndefined();
	});

	test('pieces that no cipher gave are no reason to fail', () => {
		const { entries } = lockOf({ user: '', owner: 'owner', cipher: 'aes-128' });
		const decrypt = decryptionOf(entries, entries);
		const lengths = [0, 15, 16, 33, 100].map((length) => decrypt?.(Buffer.alloc(length, 9), 5, 0).length);
		expect(lengths).toEqual([0, 0, 0, expect.any(Number), expect.any(Number)]);
	});

	test('beginnings of objects that never end are read once', () => {
		const heads = Array.from({ length: 200_000 }, (_, at) => `${at} 0 obj`).join('\n');
		const objects = findObjects(Buffer.from(`%PDF-1.4\n${heads}`));
		expect(pagesOf(objects)).toEqual([]);
		expect(rebuilt(Buffer.from(heads), objects)).toBeUndefined();
	});

	test('streams that grow too much are left out', () => {
		const bomb = deflateSync(Buffer.alloc(20_000_000, 'BT '));
		const objects = findObjects(rawPdf([stream(bomb, '/Filter /FlateDecode')]));
		expect(objects.stream(1)).toBeUndefined();
	});

	test('forms that draw themselves end', () => {
		const form = '/Type /XObject /Subtype /Form /Resources << /XObject << /X 6 0 R >> /Font << /F1 4 0 R >> >>';
		const bytes = onePage('/X Do', '/X << >>', [stream('/X Do BT /F1 9 Tf (a\x92b) Tj ET', form)]);
		const text = bytes.toString('latin1').replace('/Resources << ', '/Resources << /XObject << /X 6 0 R >> ');
		const contents = new PageContents(findObjects(Buffer.from(text, 'latin1')), 1);
		expect(contents.texts(1)).toEqual(['a’b']);
	});

	test('object streams inside object streams are no objects', () => {
		const inner = '<< /Type /ObjStm /N 1 /First 4 /Length 9 >> stream 9 0 null';
		const objects = findObjects(rawPdf([stream(`7 0 ${inner}`, '/Type /ObjStm /N 1 /First 4')]));
		expect(objects.numbers).toEqual([1, 7]);
	});

	test('maps of characters that claim whole planes stay small', () => {
		const map = `beginbfrange ${'<0000> <ffffffff> <0041> '.repeat(2_000)} endbfrange`;
		const bytes = onePage('BT /F1 9 Tf <00010002> Tj ET', '', [stream(map)]);
		const text = bytes.toString('latin1').replace('/Subtype /Type1', '/Subtype /Type0 /ToUnicode 6 0 R');
		const contents = new PageContents(findObjects(Buffer.from(text, 'latin1')), 1);
		expect(contents.texts(1).length).toBeLessThan(2);
	});
});

describe('hostile files that the engines survive', () => {
	test.each([
		['a page of any size', '/MediaBox [0 0 1e9 1e9]', hello],
		['far coordinates', '', `${hello} BT /F1 12 Tf 1e30 1e30 Td (far) Tj ET`],
		['tiny letters', '', `${hello} BT /F1 0.000001 Tf 72 500 Td (tiny) Tj ET`],
		['open strings', '', `${hello} BT (never closed`],
	])('%s', async (_, entries, content) => {
		const { pages } = await readPdf(onePage(content, entries));
		expect(pages).toHaveLength(1);
	});

	test('text of zeros is no text', async () => {
		const { pages } = await readPdf(onePage('BT /F1 12 Tf 72 700 Td (\\000\\000\\000) Tj ET'));
		expect(pages[0]?.text).toBe('');
	});

	test.each([0.3, 0.6, 0.9, 0.99])('a file cut at %d of its length ends in text or a refusal', async (share) => {
		const whole = tinyPdf({ pages: [hello, hello, hello] });
		const cut = whole.subarray(0, Math.floor(whole.length * share));
		const read = await readPdf(cut).catch((error: unknown) => error);
		expect(read).toSatisfy(
			(value: { code?: string; pageCount?: number }) =>
				value.code === 'E_DOCUMENT_UNREADABLE' || (value.pageCount ?? 0) > 0,
		);
	});

	test('a locked file of an unknown kind is refused', async () => {
		const handler = '/Encrypt << /Filter /Nobody /V 9 /R 9 >> /ID [<00> <00>]';
		const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Count 0 /Kids [] >>'];
		await expect(readPdf(rawPdf(objects, handler))).rejects.toMatchObject({
			code: expect.stringMatching(/^E_DOCUMENT_(ENCRYPTED|UNREADABLE)$/),
		});
	});

	test('many notes on a page are read in part', async () => {
		const note = '<< /Type /Annot /Subtype /FreeText /Contents (note) /Rect [72 380 300 400] >>';
		const { pages } = await readPdf(onePage(hello, `/Annots [${note.repeat(5_000)}]`));
		expect(pages[0]?.text).toContain('Hello');
	});
});
