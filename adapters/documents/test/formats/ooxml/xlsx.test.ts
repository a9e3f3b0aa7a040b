import { utils, write } from '@e965/xlsx';
import { describe, expect, test } from 'vitest';
import { type Part, xlsxOf } from '../../../../../test/support/office.ts';
import { readXlsx } from '../../../src/formats/sheets.ts';
import { readDocument } from '../../../src/read.ts';
import { codeOf, read, textOf } from './reading.ts';

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const text = async (rows: string, parts: Readonly<Record<string, Part>> = {}, workbook = '') => {
	const whole = await textOf(readXlsx, xlsxOf([{ name: 'S', rows }], parts, workbook));
	return whole.slice('S\n'.length);
};
const stylesOf = (...codes: string[]): Record<string, Part> => ({
	'xl/styles.xml': {
		xml:
			`<styleSheet ${main}><numFmts>${codes.map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${code}"/>`).join('')}</numFmts>` +
			`<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${codes.map((_, index) => `<xf numFmtId="${200 + index}"/>`).join('')}<xf numFmtId="14"/></cellXfs></styleSheet>`,
	},
});

describe('the sheets of an XLSX', () => {
	test('are pages with their name, including hidden and empty ones', async () => {
		const sheets = [
			{ name: 'One &amp; only', rows: '<row r="1"><c r="A1"><v>1</v></c></row>' },
			{ name: 'Empty', rows: '' },
		];
		expect(await read(readXlsx, xlsxOf(sheets))).toMatchObject({
			pageCount: 2,
			pages: [
				{ page: 1, text: 'One & only\n1' },
				{ page: 2, text: 'Empty' },
			],
		});
	});

	test('contain shared, rich, inline and computed strings, on one line', async () => {
		const strings = `<sst ${main}><si><t>shared</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>reading</t></rPh></si><si><t>two\nlines_x000D_</t></si></sst>`;
		const rows =
			'<row r="1"><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>' +
			'<row r="2"><c t="inlineStr"><is><t>in</t></is></c><c t="str"><f>A1</f><v>made</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c></row>';
		expect(await text(rows, { 'xl/sharedStrings.xml': { xml: strings } })).toBe(
			'shared\trich text\ttwo lines\nin\tmade\tTRUE\t#N/A',
		);
	});

	test('format numbers by their number formats', async () => {
		const codes = [
			'0.0%',
			'&quot;$&quot;#,##0.00',
			'yyyy-mm-dd hh:mm',
			'[h]:mm',
			'# ?/?',
			'0.00E+00',
			';;;',
			'0;broken &quot;',
		];
		const values = [0.256, 1234.5, 45322.75, 1.5, 1.25, 123456, 5, 7, 45322];
		const cells = values.map((value, index) => `<c s="${index + 1}"><v>${value}</v></c>`).join('');
		expect(await text(`<row r="1">${cells}</row>`, stylesOf(...codes))).toBe(
			'25.6%\t$1,234.50\t2024-01-31 18:00\t36:00\t1 1/4\t1.23E+05\t\t7\t1/31/2024',
		);
	});

	test('have plain numbers with all significant digits', async () => {
		const cells = ['0.30000000000000004', '123456789012345', '1E-10', '-2.5']
			.map((value) => `<c><v>${value}</v></c>`)
			.join('');
		expect(await text(`<row r="1">${cells}</row>`)).toBe('0.3\t123456789012345\t1E-10\t-2.5');
	});

	test('count days from 1904 when the workbook does', async () => {
		expect(await text('<row><c s="1"><v>0</v></c></row>', stylesOf('yyyy-mm-dd'), '<workbookPr date1904="1"/>')).toBe(
			'1904-01-01',
		);
	});

	test('keep columns in place, and one empty line for empty rows', async () => {
		const rows =
			'<row r="2"><c r="C2"><v>1</v></c><c r="D2"/></row><row r="4"><c r="A4"><v/></c></row><row r="9"><c r="B9"><v>2</v></c></row><row r="12"/>';
		expect(await text(rows)).toBe('\t\t1\n\n\t2');
	});

	test('contain the formula when it has no cached value', async () => {
		expect(
			await text('<row><c><f>SUM(A1:A3)</f></c><c><f>1+1</f><v>2</v></c><c t="str"><f>""</f><v></v></c></row>'),
		).toBe('=SUM(A1:A3)\t2');
	});

	test('format dates whose format has unquoted dots or letters of other scripts', async () => {
		const row = '<row><c s="1"><v>45322</v></c><c s="2"><v>45322</v></c><c s="3"><v>1234.5</v></c></row>';
		expect(await text(row, stylesOf('dd.mm.yyyy', 'yyyy年m月d日', '#,##0.00 €'))).toBe(
			'31.01.2024\t2024年1月31日\t1,234.50 €',
		);
	});

	test('have the comments of cells after the rows', async () => {
		const comments = `<comments ${main}><authors><author>me</author></authors><commentList><comment ref="B1" authorId="0"><text><t>a\nremark</t></text></comment></commentList></comments>`;
		const sheet = {
			name: 'S',
			rows: '<row r="1"><c r="A1"><v>1</v></c></row>',
			links: [['c', 'comments', 'xl/comments1.xml']] as const,
		};
		const whole = await textOf(readXlsx, xlsxOf([sheet], { 'xl/comments1.xml': { xml: comments } }));
		expect(whole).toBe('S\n1\n\nB1: a remark');
	});

	test('are headings and tables in Markdown', async () => {
		const rows = '<row r="1"><c><v>1</v></c><c><v>2</v></c></row><row r="4"><c><v>3</v></c></row>';
		const { pages } = await read(readXlsx, xlsxOf([{ name: 'S', rows }]), { format: 'markdown' });
		expect(pages?.[0]?.text).toBe('## S\n\n| 1 | 2 |\n| --- | --- |\n| 3 |  |');
	});

	test.each(['xlsx', 'xlsb'] as const)('are read from a %s file of another program', async (bookType) => {
		const book = utils.book_new();
		utils.book_append_sheet(book, utils.aoa_to_sheet([['Äpfel', 12, true]]), 'Fruit');
		const file = write(book, { type: 'buffer', bookType }) as Buffer;
		const { pages } = await readDocument(file);
		expect(pages).toEqual([{ page: 1, text: 'Fruit\nÄpfel\t12\tTRUE' }]);
	});

	test('are rejected together when one of them is damaged', async () => {
		const sheets = [
			{ name: 'A', rows: '<row><c><v>1</v></c></row>' },
			{ name: 'B', rows: '<row><c t="s"><v>7</v></c></row>' },
		];
		expect(await codeOf(readXlsx, xlsxOf(sheets))).toBe('E_DOCUMENT_UNREADABLE');
	});
});
