import { describe, expect, test } from 'vitest';
import { chartXml, docxOf, type Link, officeOf, type Part } from '../../../../../test/support/office.ts';
import { readDocx } from '../../../src/formats/office/read.ts';
import { read, textOf } from './reading.ts';

const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (text: string, style = '') => `<w:p>${style && `<w:pPr>${style}</w:pPr>`}${run(text)}</w:p>`;
const cell = (content: string, style = '') => `<w:tc>${style && `<w:tcPr>${style}</w:tcPr>`}${content}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
const table = (...rows: string[]) => `<w:tbl>${rows.join('')}</w:tbl>`;
const field = (instruction: string, result: string) =>
	`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${instruction}</w:instrText></w:r>` +
	`<w:r><w:fldChar w:fldCharType="separate"/></w:r>${run(result)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;

const graphic = (uri: string, content: string, description = '') =>
	`<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="${description}"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/${uri}">${content}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;

const text = (body: string, links?: readonly Link[], parts?: Readonly<Record<string, Part>>) =>
	textOf(readDocx, docxOf(body, links, parts));

const numbering: Part = {
	xml:
		'<w:numbering NS><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>' +
		'<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>' +
		'<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="·"/></w:lvl></w:abstractNum>' +
		'<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>' +
		'<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="4"/></w:lvlOverride></w:num></w:numbering>',
};
const styles: Part = {
	xml:
		'<w:styles NS><w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/></w:style>' +
		'<w:style w:type="paragraph" w:styleId="Mine"><w:basedOn w:val="H"/></w:style><w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/></w:style>' +
		'<w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>',
};
const item = (list: number, level = 0) => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`;

describe('the text of a DOCX', () => {
	test('separates paragraphs, and keeps breaks and tabs within them', async () => {
		expect(await text(`${p('One')}<w:p>${run('a')}<w:r><w:tab/><w:br/></w:r>${run('b')}</w:p><w:p/>`)).toBe(
			'One\n\na\t\nb',
		);
	});

	test('has numbers for nested and restarted lists, and bullets', async () => {
		const body =
			p('one', item(1)) +
			p('deep', item(1, 1)) +
			p('deeper', item(1, 1)) +
			p('two', item(1)) +
			p('deep again', item(1, 1)) +
			p('point', item(2)) +
			p('four', item(3)) +
			p('none', item(0));
		expect(
			await text(body, [['n', 'numbering', 'word/numbering.xml']], {
				'word/numbering.xml': numbering,
			}),
		).toBe('1. one\n  1.a) deep\n  1.b) deeper\n2. two\n  2.a) deep again\n- point\n4. four\n\nnone');
	});

	test('has empty lines around headings, including styles based on them, and accepts circular styles', async () => {
		const body = `${p('- x')}${p('Head', '<w:pStyle w:val="Mine"/>')}${p('round', '<w:pStyle w:val="A"/>')}`;
		expect(await text(body, [['s', 'styles', 'word/styles.xml']], { 'word/styles.xml': styles })).toBe(
			'- x\n\nHead\n\nround',
		);
	});

	test('has a line for each table row, merged cells once, and nested tables in their cell', async () => {
		const body = table(
			row(cell(p('wide'), '<w:gridSpan w:val="2"/>'), cell(p('c'))),
			row(cell(p('tall'), '<w:vMerge w:val="restart"/>'), cell(p('b1') + p('b2')), cell(p('c'))),
			row(cell('<w:p/>', '<w:vMerge/>'), cell(table(row(cell(p('in')), cell(p('side'))))), cell('<w:p/>')),
		);
		expect(await text(body)).toBe('| wide |  | c |\n| tall | b1 b2 | c |\n|  | in side |  |');
	});

	test('unwraps a table whose only cell contains another table', async () => {
		const inner = table(row(cell(p('a')), cell(p('b'))), row(cell(p('c')), cell(p('d'))));
		expect(await text(table(row(cell(inner + p('end')))))).toBe('| a | b |\n| c | d |\n\nend');
	});

	test('has the results of fields, not their instructions', async () => {
		expect(await text(`<w:p>${field('PAGE', '7')}${run('!')}</w:p>`)).toBe('7!');
		const nested = field(`IF ${field('DATE', 'hidden')}`, 'shown');
		expect(await text(`<w:p>${nested}</w:p>`)).toBe('shown');
		expect(await text(`<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r></w:p>${p('not lost')}`)).toBe('not lost');
	});

	test('keeps inserted text and omits deleted, moved and hidden text', async () => {
		const body =
			`<w:p><w:ins>${run('in')}</w:ins><w:del><w:r><w:delText>out</w:delText></w:r></w:del><w:moveFrom>${run('from')}</w:moveFrom>` +
			`<w:moveTo>${run(' to')}</w:moveTo><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>`;
		expect(await text(body)).toBe('in to');
	});

	test('has the text of a text box once, although the file contains it twice', async () => {
		const box = `<w:txbxContent>${p('boxed')}</w:txbxContent>`;
		const body =
			`<w:p>${run('before')}<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>${box}</wps:txbx></w:drawing></mc:Choice>` +
			`<mc:Fallback><w:pict><v:textbox>${box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>${run(' after')}</w:p>`;
		expect(await text(body)).toBe('before after\n\nboxed');
	});

	test('reads content controls, links, hyphens and line ends', async () => {
		const body =
			`<w:sdt><w:sdtPr><w:alias w:val="no"/></w:sdtPr><w:sdtContent>${p('control')}</w:sdtContent></w:sdt>` +
			`<w:p><w:hyperlink>${run('link')}</w:hyperlink><w:r><w:t>non</w:t><w:noBreakHyphen/><w:t>breaking</w:t></w:r></w:p>` +
			`<w:p>${run('co\u00adop\r\n\nand')}</w:p>`;
		expect(await text(body)).toBe('control\n\nlinknon-breaking\n\ncoop and');
	});

	test('has formulas as LaTeX, each separately', async () => {
		const formula = (content: string) => `<m:oMath>${content}</m:oMath>`;
		const word = (letters: string) => `<m:r><m:t>${letters}</m:t></m:r>`;
		const fraction = `<m:f><m:num>${word('a')}</m:num><m:den>${word('b')}</m:den></m:f>`;
		const body =
			`<w:p>${run('Let ')}${formula(fraction)}${formula(word('y=2'))}</w:p>` +
			`<w:p><m:oMathPara>${formula(word('z=3'))}${formula(word('w=4'))}</m:oMathPara></w:p>`;
		expect(await text(body)).toBe('Let \\frac{a}{b} y=2\n\nz=3\u2003w=4');
	});

	test('has the descriptions of pictures', async () => {
		const picture = (words: string) =>
			graphic('picture', '<pic:pic><pic:blipFill><a:blip r:embed="i"/></pic:blipFill></pic:pic>', words);
		const body = picture('A red barn') + picture('IMG_1.png') + picture('');
		expect(await text(body, [['i', 'image', 'word/media/image1.png']])).toBe('[A red barn]');
	});

	test('includes embedded documents in their place', async () => {
		const body = `${p('before')}<w:altChunk r:id="h"/><w:altChunk r:id="none"/>${p('after')}`;
		const parts = { 'word/h.html': { xml: '<p>inserted' } };
		expect(await text(body, [['h', 'aFChunk', 'word/h.html']], parts)).toBe('before\n\ninserted\n\nafter');
	});

	test('omits table rows without text', async () => {
		expect(await text(table(row(cell('<w:p/>'), cell('<w:p/>')), row(cell(p('a')), cell(p('b')))))).toBe('| a | b |');
	});

	test('has the data of charts as tables after the text', async () => {
		const chart = chartXml('barChart', 'Sales', ['Q1', 'Q2'], { North: [4.2999999999999998, 1], South: [2, 3] });
		const body = graphic('chart', '<c:chart r:id="c"/>') + p('end');
		const parts = { 'word/charts/chart1.xml': { xml: chart } };
		expect(await text(body, [['c', 'chart', 'word/charts/chart1.xml']], parts)).toBe(
			'end\n\nSales\n|  | North | South |\n| Q1 | 4.3 | 2 |\n| Q2 | 1 | 3 |',
		);
	});

	test('keeps the configured list markers, and has none for empty bullets', async () => {
		const level = (format: string, mark: string) =>
			`<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${mark}"/></w:lvl>`;
		const abstract = (id: number, content: string) =>
			`<w:abstractNum w:abstractNumId="${id}">${content}</w:abstractNum>`;
		const num = (id: number) => `<w:num w:numId="${id}"><w:abstractNumId w:val="${id}"/></w:num>`;
		const xml = `<w:numbering NS>${abstract(1, level('upperRoman', 'Article %1:'))}${abstract(3, level('bullet', ' '))}${num(1)}${num(3)}</w:numbering>`;
		const body = p('one', item(1)) + p('two', item(1)) + p('goes on', item(3));
		expect(await text(body, [['n', 'numbering', 'word/numbering.xml']], { 'word/numbering.xml': { xml } })).toBe(
			'Article I: one\nArticle II: two\ngoes on',
		);
	});

	test('has the list markers that styles define, whatever the names of the styles', async () => {
		const numbered = (id: string, name: string, list: number, level: number) =>
			`<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:pPr>${item(list, level)}</w:pPr></w:style>`;
		const xml = `<w:styles NS>${numbered('berschrift1', 'heading 1', 1, 0)}${numbered('berschrift2', 'heading 2', 1, 1)}${numbered('Punkt', 'List Bullet', 2, 0)}</w:styles>`;
		const styled = (words: string, id: string, own = '') => p(words, `<w:pStyle w:val="${id}"/>${own}`);
		const body =
			styled('Scope', 'berschrift1') +
			styled('Terms', 'berschrift2') +
			p('text') +
			styled('dot', 'Punkt') +
			styled('four', 'Punkt', item(3));
		const bytes = docxOf(
			body,
			[
				['s', 'styles', 'word/styles.xml'],
				['n', 'numbering', 'word/numbering.xml'],
			],
			{ 'word/styles.xml': { xml }, 'word/numbering.xml': numbering },
		);
		expect(await textOf(readDocx, bytes)).toBe('1. Scope\n\n1.a) Terms\n\ntext\n\n- dot\n4. four');
		expect((await read(readDocx, bytes, { format: 'markdown' })).text).toBe(
			'# 1. Scope\n\n## 1.a) Terms\n\ntext\n\n- dot\n4. four',
		);
	});

	test('is Markdown when requested', async () => {
		const look = (words: string, style: string) =>
			`<w:r><w:rPr>${style}</w:rPr><w:t xml:space="preserve">${words}</w:t></w:r>`;
		const body =
			p('Head', '<w:pStyle w:val="H"/>') +
			`<w:p>${run('a ')}${look('bo', '<w:b/>')}${look('ld ', '<w:b/>')}${look('it', '<w:i/>')}${run(' *_')}</w:p>` +
			p('one', item(1)) +
			p('deep', item(1, 1)) +
			p('dot', item(2)) +
			table(row(cell(p('a|b')), cell(p('c'))), row(cell(p('d')), cell(p('e'))));
		const links: Link[] = [
			['s', 'styles', 'word/styles.xml'],
			['n', 'numbering', 'word/numbering.xml'],
		];
		const bytes = docxOf(body, links, { 'word/styles.xml': styles, 'word/numbering.xml': numbering });
		expect((await read(readDocx, bytes, { format: 'markdown' })).text).toBe(
			'# Head\n\na **bold** *it* \\*\\_\n\n1. one\n    1. deep\n- dot\n\n| a\\|b | c |\n| --- | --- |\n| d | e |',
		);
	});
});

describe('the pages of a DOCX', () => {
	const pageBreak = '<w:r><w:br w:type="page"/></w:r>';
	const seen = '<w:r><w:lastRenderedPageBreak/></w:r>';

	test('are absent without page breaks', async () => {
		expect(await read(readDocx, docxOf(p('alone')))).toMatchObject({ text: 'alone' });
	});

	test('begin at explicit breaks and at rendered ones, without counting both', async () => {
		const body = `<w:p>${run('one')}${pageBreak}</w:p><w:p>${seen}${run('two, ')}${seen}${run('three')}</w:p>`;
		expect(await text(body)).toBe('one\n----\ntwo,\n----\nthree');
	});

	test('may be empty', async () => {
		expect(await text(`<w:p>${run('one')}${pageBreak}${pageBreak}${run('three')}</w:p>`)).toBe(
			'one\n----\n\n----\nthree',
		);
	});

	test('split tables between rows', async () => {
		const body = table(
			row(cell(`<w:p>${run('a')}${seen}${run('b')}</w:p>`), cell(p('x'))),
			row(cell(p('c')), cell(p('y'))),
		);
		expect(await text(body)).toBe('| ab | x |\n----\n| c | y |');
	});

	test('contain their own notes and comments; headers and footers appear once', async () => {
		const note = (kind: string, id: number, content: string, type = '') =>
			`<w:${kind} w:id="${id}" ${type && `w:type="${type}"`}>${p(content)}</w:${kind}>`;
		const links: Link[] = ['footnotes', 'endnotes', 'comments'].map((kind) => [kind, kind, `word/${kind}.xml`]);
		const body =
			`<w:p>${run('one')}<w:r><w:footnoteReference w:id="5"/></w:r><w:r><w:endnoteReference w:id="1"/></w:r>${pageBreak}` +
			`<w:commentRangeStart w:id="1"/>${run('two')}<w:commentRangeEnd w:id="1"/><w:r><w:commentReference w:id="1"/></w:r></w:p>` +
			'<w:sectPr><w:headerReference w:type="default" r:id="h"/><w:headerReference w:type="first" r:id="f"/></w:sectPr>';
		const parts = {
			'word/footnotes.xml': {
				xml: `<w:footnotes NS>${note('footnote', 0, '---', 'separator')}${note('footnote', 5, 'foot')}</w:footnotes>`,
			},
			'word/endnotes.xml': { xml: `<w:endnotes NS>${note('endnote', 1, 'end')}</w:endnotes>` },
			'word/comments.xml': {
				xml: `<w:comments NS><w:comment w:id="1" w:author="Ann">${p('why')}</w:comment></w:comments>`,
			},
			'word/header1.xml': { xml: `<w:hdr NS>${p('head')}</w:hdr>` },
			'word/header2.xml': { xml: `<w:hdr NS>${p('head')}</w:hdr>` },
		};
		const all: Link[] = [...links, ['h', 'header', 'word/header1.xml'], ['f', 'header', 'word/header2.xml']];
		expect(await text(body, all, parts)).toBe(
			'head\n\none[1][2]\n\n[1] foot\n\n[2] end\n----\ntwo\n\nComment by Ann: why',
		);
	});
});

test('a DOCX returns its title, author and date', async () => {
	const core =
		'<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">' +
		'<dc:title>Plan &amp; more</dc:title><dc:creator>Ann</dc:creator><dcterms:created>2024-02-03T04:05:06Z</dcterms:created></cp:coreProperties>';
	const { metadata } = await read(readDocx, docxOf(p('x'), [], { 'docProps/core.xml': { xml: core } }));
	expect(metadata).toEqual({
		title: 'Plan & more',
		author: 'Ann',
		created: '2024-02-03T04:05:06.000Z',
	});
});

test('a DOCX may have another name for its main part', async () => {
	const xml = `<w:document NS><w:body>${p('text')}</w:body></w:document>`;
	expect(await textOf(readDocx, officeOf('wordprocessingml.document', { 'word/document2.xml': { xml } }))).toBe('text');
});
