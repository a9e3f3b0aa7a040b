import { describe, expect, test } from 'vitest';
import { chartFrame, chartXml, docxOf, officeOf, pptxOf, xlsxOf } from '../../../../../test/support/office.ts';
import { maxCharacters } from '../../../src/formats/budget.ts';
import type { FormatReader } from '../../../src/formats/format.ts';
import { readDocx, readPptx } from '../../../src/formats/office/read.ts';
import { readXlsx } from '../../../src/formats/sheets.ts';
import { codeOf, textOf } from './reading.ts';

const p = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const many = (count: number, of: (index: number) => string) =>
	Array.from({ length: count }, (_, index) => of(index)).join('');
const lengthOf = async (reader: FormatReader, bytes: Buffer) => (await textOf(reader, bytes)).length;

describe('the text of an office file that repeats a long text is bounded', () => {
	const long = 'x'.repeat(1_000_000);

	test('in notes', async () => {
		const refers = '<w:r><w:footnoteReference w:id="2"/></w:r>'.repeat(500);
		const notes = `<w:footnotes NS><w:footnote w:id="2">${p(long)}</w:footnote></w:footnotes>`;
		const bytes = docxOf(`<w:p>${refers}</w:p>`, [['f', 'footnotes', 'word/footnotes.xml']], {
			'word/footnotes.xml': { xml: notes },
		});
		expect(await lengthOf(readDocx, bytes)).toBeLessThan(maxCharacters + 2 * long.length);
	});

	test('in charts', async () => {
		const bytes = docxOf(
			'<w:p><w:r><c:chart r:id="c"/></w:r></w:p>'.repeat(500),
			[['c', 'chart', 'word/charts/chart1.xml']],
			{
				'word/charts/chart1.xml': { xml: chartXml('barChart', long, ['x'], { A: [1] }) },
			},
		);
		expect(await lengthOf(readDocx, bytes)).toBeLessThan(maxCharacters + 2 * long.length);
	});

	test('in list markers', async () => {
		const level = `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:lvlText w:val="${long}"/></w:lvl></w:abstractNum>`;
		const item = '<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>';
		const bytes = docxOf(item.repeat(1_000), [['n', 'numbering', 'word/numbering.xml']], {
			'word/numbering.xml': {
				xml: `<w:numbering NS>${level}<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
			},
		});
		expect(await lengthOf(readDocx, bytes)).toBeLessThan(long.length);
	});

	test('in shared strings', async () => {
		const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
		const sheets = Array.from({ length: 100 }, (_, index) => ({
			name: `S${index}`,
			rows: '<row><c t="s"><v>0</v></c></row>',
		}));
		const length = await lengthOf(
			readXlsx,
			xlsxOf(sheets, {
				'xl/sharedStrings.xml': { xml: `<sst ${main}><si><t>${long}</t></si></sst>` },
			}),
		);
		expect(length).toBeGreaterThan(maxCharacters);
		expect(length).toBeLessThan(maxCharacters + 2 * long.length);
	});
});

test('a chart whose series have different categories gives one table per series', async () => {
	const series = many(
		1_000,
		(at) => `<c:ser><c:val><c:numCache><c:pt idx="${at}"><c:v>1</c:v></c:pt></c:numCache></c:val></c:ser>`,
	);
	const bytes = pptxOf([{ shapes: chartFrame('c'), links: [['c', 'chart', 'ppt/c.xml']] }], {
		'ppt/c.xml': { xml: `<c:chartSpace NS>${series}</c:chartSpace>` },
	});
	expect(await lengthOf(readPptx, bytes)).toBeLessThan(20_000);
});

test('an office file with too many pages is rejected', async () => {
	const breaks = p('x') + many(20_001, (at) => `<w:p w:rsid="${at}"><w:r><w:br w:type="page"/></w:r></w:p>`);
	expect(await codeOf(readDocx, docxOf(breaks))).toBe('E_DOCUMENT_TOO_LARGE');
	const slides = many(20_001, (at) => `<p:sldId r:id="${at}"/>`);
	const deck = officeOf('x', {
		'ppt/presentation.xml': { xml: `<p:presentation NS>${slides}</p:presentation>` },
	});
	expect(await codeOf(readPptx, deck)).toBe('E_DOCUMENT_TOO_LARGE');
	const sheets = Array.from({ length: 20_001 }, (_, at) => `<sheet name="${at}" r:id="x"/>`);
	const workbook = sheets.join('');
	expect(await codeOf(readXlsx, xlsxOf([], {}, workbook))).toBe('E_DOCUMENT_TOO_LARGE');
}, 20_000);
