import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { docxOf, officeOf, pptxOf, shapeOf, xlsxOf } from '../../../../../test/support/office.ts';
import { zipOf, zipOfFiles } from '../../../../../test/support/zip.ts';
import { maxCharacters } from '../../../src/formats/budget.ts';
import { readDocx, readPptx } from '../../../src/formats/office/read.ts';
import { readXlsx } from '../../../src/formats/sheets.ts';
import { codeOf, read, textOf } from './reading.ts';

const p = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

describe('a hostile office file', () => {
	test('that decompresses without end is rejected', async () => {
		const packed = deflateRawSync(Buffer.alloc(40_000_000, p('bomb')));
		expect(await codeOf(readDocx, zipOf([{ name: 'word/document.xml', packed, size: 100 }]))).toBe(
			'E_DOCUMENT_TOO_LARGE',
		);
	});

	test('with entities, a DOCTYPE or endless nesting is rejected', async () => {
		const laughs =
			'<!DOCTYPE w:document [<!ENTITY a "ha"><!ENTITY b SYSTEM "file:///etc/passwd">]><w:document NS>&a;&b;</w:document>';
		expect(await codeOf(readDocx, officeOf('x', { 'word/document.xml': { xml: laughs } }))).toBe(
			'E_DOCUMENT_UNREADABLE',
		);
		const nested = '<w:tbl><w:tr><w:tc>'.repeat(20_000) + '</w:tc></w:tr></w:tbl>'.repeat(20_000);
		expect(await codeOf(readDocx, docxOf(nested))).toBe('E_DOCUMENT_UNREADABLE');
		expect(await codeOf(readPptx, pptxOf([{ shapes: '<p:grpSp>'.repeat(100_000) }]))).toBe('E_DOCUMENT_UNREADABLE');
	}, 20_000);

	test.each([
		['no document', zipOfFiles({ 'a.txt': 'a' })],
		['half a document', officeOf('x', { 'word/document.xml': { xml: '<w:document NS><w:body><w:p>' } })],
		['a document that is not XML', officeOf('x', { 'word/document.xml': { xml: 'MZ' } })],
		['half an archive', docxOf(p('x')).subarray(0, 300)],
	])('with %s is unreadable', async (_, bytes) => {
		expect(await codeOf(readDocx, bytes)).toBe('E_DOCUMENT_UNREADABLE');
	});

	test('whose secondary parts are missing or external is read without them', async () => {
		const links = [
			['s', 'styles', 'word/styles.xml'],
			['n', 'numbering', '../../../etc/passwd'],
			['c', 'chart', 'word/../../c.xml'],
			['f', 'footnotes', 'word/document.xml'],
		] as const;
		const body = `${p('text')}<w:p><w:r><c:chart r:id="c"/></w:r></w:p>`;
		expect(await textOf(readDocx, docxOf(body, links))).toBe('text');
	});

	test('with circular relationships is read', async () => {
		const shapes = shapeOf(['slide'], [0, 0, 9, 9]);
		const layout = '<p:sldLayout NS><p:cSld><p:spTree/></p:cSld></p:sldLayout>';
		const bytes = pptxOf([{ shapes, links: [['l', 'slideLayout', 'ppt/l.xml']] }], {
			'ppt/l.xml': {
				xml: layout,
				links: [
					['m', 'slideMaster', 'ppt/l.xml'],
					['l', 'slideLayout', 'ppt/l.xml'],
				],
			},
		});
		expect(await textOf(readPptx, bytes)).toBe('slide');
	});

	test('with elements named like members of Object.prototype is read', async () => {
		const odd = '<constructor/><__proto__/><toString>x</toString>';
		expect(await textOf(readDocx, docxOf(odd + p('fine')))).toBe('fine');
		expect(await textOf(readPptx, pptxOf([{ shapes: odd + shapeOf(['fine'], [0, 0, 9, 9]) }]))).toBe('fine');
	});

	test('with cells at both corners of a sheet has only two cells', async () => {
		const rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>';
		expect(await textOf(readXlsx, xlsxOf([{ name: 'S', rows }]))).toBe(`S\n1\n\n${'\t'.repeat(16_383)}2`);
	});

	test('whose cells repeat a long text has bounded text', async () => {
		const strings = `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>${'x'.repeat(32_000)}</t></si></sst>`;
		const rows = `<row>${'<c t="s"><v>0</v></c>'.repeat(10_000)}</row>`;
		const { pages } = await read(readXlsx, xlsxOf([{ name: 'S', rows }], { 'xl/sharedStrings.xml': { xml: strings } }));
		const length = pages?.[0]?.text.length ?? 0;
		expect(length).toBeGreaterThan(maxCharacters);
		expect(length).toBeLessThan(maxCharacters + 50_000);
	});

	test('with nested tables is read while its text stays within the limit', async () => {
		const cell = '<w:tc><w:p/></w:tc>';
		const nested = (depth: number, text: string, beside = '') =>
			'<w:tbl><w:tr><w:tc>'.repeat(depth) + p(text) + `</w:tc>${beside}</w:tr></w:tbl>`.repeat(depth);
		expect(await textOf(readDocx, docxOf(nested(80, 'x')))).toBe('x');
		expect((await textOf(readDocx, docxOf(nested(80, 'xy'.repeat(1_000_000), cell)))).length).toBeLessThan(3_000_000);
	});

	test('with numbers out of range is read', async () => {
		const number = '9'.repeat(400);
		const body =
			`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="${number}"/></w:tcPr>${p('a')}</w:tc><w:tc>${p('b')}</w:tc></w:tr></w:tbl>` +
			`<w:p><w:pPr><w:numPr><w:ilvl w:val="${number}"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>b</w:t></w:r></w:p>`;
		expect(await textOf(readDocx, docxOf(body))).toContain('| a | b |');
		const shape = shapeOf(['far'], [1, 1, 1, 1]).replace('x="12700"', `x="${number}"`);
		expect(await textOf(readPptx, pptxOf([{ shapes: shape }]))).toBe('far');
	});

	test('with tens of thousands of paragraphs, shapes or cells is read completely', async () => {
		const many = 20_000;
		const paragraphs = await textOf(readDocx, docxOf(p('x').repeat(many)));
		const shapes = await textOf(
			readPptx,
			pptxOf([{ shapes: Array.from({ length: 5_000 }, (_, i) => shapeOf(['x'], [i, i, 9, 9])).join('') }]),
		);
		const cells = await textOf(
			readXlsx,
			xlsxOf([{ name: 'S', rows: `<row>${'<c><v>1.5</v></c>'.repeat(10)}</row>`.repeat(many / 10) }]),
		);
		expect(paragraphs.match(/x/g)).toHaveLength(many);
		expect(shapes.match(/x/g)).toHaveLength(5_000);
		expect(cells.match(/1\.5/g)).toHaveLength(many);
	}, 20_000);
});
