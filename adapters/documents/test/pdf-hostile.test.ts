import { describe, expect, test } from 'vitest';
import { readDocument } from '../src/read.ts';
import { onePage, rawPdf } from './hostile-pdf.ts';
import { show, tinyPdf } from './tiny-pdf.ts';

const hello = show(['Hello from a small page', 72, 700]);
describe('hostile files', () => {
	test.each([
		['a huge size', '/MediaBox [0 0 1e9 1e9]', hello],
		['far coordinates', '', `${hello} BT /F1 12 Tf 1e30 1e30 Td (far) Tj ET`],
		['tiny characters', '', `${hello} BT /F1 0.000001 Tf 72 500 Td (tiny) Tj ET`],
		['strings that are not closed', '', `${hello} BT (never closed`],
	])('a page with %s is read', async (_, entries, content) => {
		const { pages = [] } = await readDocument(onePage(content, entries));
		expect(pages).toHaveLength(1);
	});

	test('text of NUL characters is empty', async () => {
		const { pages = [] } = await readDocument(onePage('BT /F1 12 Tf 72 700 Td (\\000\\000\\000) Tj ET'));
		expect(pages[0]?.text).toBe('');
	});

	test.each([0.3, 0.6, 0.9, 0.99])('a file cut at %d of its length is read or rejected', async (share) => {
		const whole = tinyPdf({ pages: [hello, hello, hello] });
		const cut = whole.subarray(0, Math.floor(whole.length * share));
		const read = await readDocument(cut).catch((error: unknown) => error);
		expect(read).toSatisfy(
			(value: { code?: string; pageCount?: number }) =>
				value.code === 'E_DOCUMENT_UNREADABLE' || (value.pageCount ?? 0) > 0,
		);
	});

	test('an encrypted file of an unknown kind is rejected', async () => {
		const handler = '/Encrypt << /Filter /Nobody /V 9 /R 9 >> /ID [<00> <00>]';
		const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Count 0 /Kids [] >>'];
		await expect(readDocument(rawPdf(objects, handler))).rejects.toMatchObject({
			code: expect.stringMatching(/^E_DOCUMENT_(ENCRYPTED|UNREADABLE)$/),
		});
	});

	test('many annotations on a page are read', async () => {
		const note = '<< /Type /Annot /Subtype /FreeText /Contents (note) /Rect [72 380 300 400] >>';
		const { pages = [] } = await readDocument(onePage(hello, `/Annots [${note.repeat(5_000)}]`));
		expect(pages[0]?.text).toContain('Hello');
	});
});
