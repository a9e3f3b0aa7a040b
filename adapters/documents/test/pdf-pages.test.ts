import { describe, expect, test } from 'vitest';
import { readDocument } from '../src/read.ts';
import { onePage, stream } from './hostile-pdf.ts';
import { show } from './tiny-pdf.ts';

const pageOf = async (bytes: Uint8Array) => (await readDocument(bytes)).pages?.[0];
const table = Array.from({ length: 8 }, (_, at) => [
	[`Region ${at}`, 72, 500 - at * 14],
	[`${at},100`, 300, 500 - at * 14],
	[`${at},200`, 500, 500 - at * 14],
	[`end ${at}`, 700, 500 - at * 14],
]).flat() as [string, number, number][];
/** Like `show`, on a rotated page. */
const aside = `q 0 1 -1 0 612 0 cm ${show(...table)} Q`;
const rows = Array.from({ length: 8 }, (_, at) =>
	expect.stringMatching(new RegExp(`^Region ${at} {2,}${at},100 {2,}${at},200 {2,}end ${at}$`)),
);

describe('rotated pages', () => {
	test.each([
		['text is turned', ''],
		['text is rotated back by the page', '/Rotate 90'],
		['text is rotated further by the page', '/Rotate 270'],
	])('keep all columns of a table whose %s', async (_, rotate) => {
		const page = await pageOf(onePage(aside, rotate));
		expect(page?.text.split('\n')).toEqual(rows);
		expect([page?.width, page?.height]).toEqual(rotate ? [792, 612] : [612, 792]);
	});

	test('have text across the reading direction last', async () => {
		const stamp = 'BT /F1 9 Tf 0 1 -1 0 20 300 Tm (a stamp in the margin) Tj ET';
		const page = await pageOf(onePage(`${stamp} ${show(['First', 72, 700], ['Second', 72, 686], ['Third', 72, 672])}`));
		expect(page?.text).toBe('First\nSecond\nThird\n\na stamp in the margin');
	});
});

describe('scanned pages', () => {
	const picture = stream(
		Buffer.alloc(300, 99),
		'/Type /XObject /Subtype /Image /Width 10 /Height 10 /ColorSpace /DeviceRGB /BitsPerComponent 8',
	);
	const withPicture = (content: string) => {
		const text = onePage(content, '', [picture]).toString('latin1');
		return Buffer.from(text.replace('/Resources << ', '/Resources << /XObject << /Im 6 0 R >> '), 'latin1');
	};
	const scan = 'q 612 0 0 792 0 0 cm /Im Do Q';

	test('need OCR', async () => {
		expect(await pageOf(withPicture(scan))).toMatchObject({ text: '', needsOcr: true });
	});

	test('need OCR also when only a page number is text', async () => {
		expect(await pageOf(withPicture(`${scan} ${show(['Page 7', 72, 30])}`))).toMatchObject({
			text: 'Page 7',
			needsOcr: true,
		});
	});

	test('need no OCR when they have a hidden text layer', async () => {
		const hidden = 'BT 3 Tr /F1 12 Tf 72 700 Td (What the scan says, as somebody else has read it once) Tj ET';
		expect(await pageOf(withPicture(`${scan} ${hidden}`))).toMatchObject({
			text: 'What the scan says, as somebody else has read it once',
			needsOcr: false,
		});
	});

	test('do not include pages with a small picture beside text', async () => {
		const logo = `q 60 0 0 60 72 600 cm /Im Do Q ${show(['Title', 72, 700])}`;
		expect(await pageOf(withPicture(logo))).toMatchObject({ text: 'Title', needsOcr: false });
	});

	test('do not include empty pages', async () => {
		expect(await pageOf(onePage(''))).toMatchObject({ text: '', needsOcr: false });
	});
});

test('text outside the page is omitted', async () => {
	const page = await pageOf(onePage(show(['here', 72, 700], ['there', -900, 700], ['below', 72, -40])));
	expect(page?.text).toBe('here');
});

describe('Markdown', () => {
	const content = [
		'BT /F1 24 Tf 72 720 Td (A report) Tj ET',
		show(
			['Some words of an ordinary paragraph', 72, 690],
			['\x95 the first entry', 72, 670],
			['\x95 the second', 72, 656],
		),
		'BT /F1 18 Tf 72 610 Td (Figures) Tj ET',
		show(['Country', 72, 580], ['Area', 300, 580], ['Finland', 72, 566], ['338,424', 300, 566]),
	].join(' ');

	test('has headings, lists and tables', async () => {
		const { pages } = await readDocument(onePage(content), { format: 'markdown' });
		expect(pages?.[0]?.text).toBe(
			[
				'# A report',
				'',
				'Some words of an ordinary paragraph',
				'- the first entry',
				'- the second',
				'',
				'## Figures',
				'',
				'| Country | Area |',
				'| --- | --- |',
				'| Finland | 338,424 |',
			].join('\n'),
		);
	});

	test('joins the lines of a cell', async () => {
		const cells = show(
			['Item', 72, 700],
			['What', 200, 700],
			['Price', 450, 700],
			['Tent', 72, 680],
			['for two people, with a', 200, 680],
			['120.00', 450, 680],
			['bag to carry it in', 200, 667],
		);
		const { pages } = await readDocument(onePage(cells), { format: 'markdown' });
		expect(pages?.[0]?.text).toContain('| Tent | for two people, with a bag to carry it in | 120.00 |');
	});
});
