import { describe, expect, test } from 'vitest';
import { chartXml, docxOf, type Link, officeOf, type Part } from '../../../../../test/support/office.ts';
import { readDocx } from '../../../src/formats/ooxml/docx.ts';
import { read, textOf } from './reading.ts';

const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (text: string, style = '') => `<w:p>${style && `<w:pPr>${style}</w:pPr>`}${run(text)}</w:p>`;
const cell = (content: string, style = '') => `<w:tc>${style && `<w:tcPr>${style}</w:tcPr>`}${content}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
const table = (...rows: string[]) => `<w:tbl>${rows.join('')}</w:tbl>`;
const field = (instruction: string, result: string) =>
	`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${instruction}</w:instrText></w:r>` +
	`<w:r><w:fldChar w:fldCharType="separate"/></w:r>${run(result)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;

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
	test('keeps paragraphs apart, and breaks and tabs within them', async () => {
		expect(await text(`${p('One')}<w:p>${run('a')}<w:r><w:tab/><w:br/></w:r>${run('b')}</w:p><w:p/>`)).toBe(
			'One\n\na\t\nb',
		);
	});

	test('numbers lists, nested and started anew, and marks bullets', async () => {
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

	test('puts empty lines around headings, also of styles that are based on them or on each other', async () => {
		const body = `${p('- x')}${p('Head', '<w:pStyle w:val="Mine"/>')}${p('round', '<w:pStyle w:val="A"/>')}`;
		expect(await text(body, [['s', 'styles', 'word/styles.xml']], { 'word/styles.xml': styles })).toBe(
			'- x\n\nHead\n\nround',
		);
	});

	test('gives tables a line a row, merged cells once, and nested tables in their cell', async () => {
		const body = table(
			row(cell(p('wide'), '<w:gridSpan w:val="2"/>'), cell(p('c'))),
			row(cell(p('tall'), '<w:vMerge w:val="restart"/>'), cell(p('b1') + p('b2')), cell(p('c'))),
			row(cell(p('tall'), '<w:vMerge/>'), cell(table(row(cell(p('in')), cell(p('side'))))), cell('<w:p/>')),
		);
		expect(await text(body)).toBe('| wide |  | c |\n| tall | b1 b2 | c |\n|  | in side |  |');
	});

	test('opens a table of one cell that only frames another', async () => {
		const inner = table(row(cell(p('a')), cell(p('b'))), row(cell(p('c')), cell(p('d'))));
		expect(await text(table(row(cell(inner + p('end')))))).toBe('| a | b |\n| c | d |\n\nend');
	});

	test('shows results of fields, never their instructions', async () => {
		expect(await text(`<w:p>${field('PAGE', '7')}${run('!')}</w:p>`)).toBe('7!');
		const nested = field(`IF ${field('DATE', 'hidden')}`, 'shown');
		expect(await text(`<w:p>${nested}</w:p>`)).toBe('shown');
		expect(await text(`<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r></w:p>${p('not lost')}`)).toBe('not lost');
	});

	test('shows whether the boxes of forms are ticked', async () => {
		const box = (state: string) =>
			`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox>${state}</w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
		const ticked = box('<w:default w:val="0"/><w:checked/>');
		expect(await text(`<w:p>${ticked}${run(' yes ')}${box('<w:default w:val="0"/>')}${run(' no')}</w:p>`)).toBe(
			'☒ yes ☐ no',
		);
	});

	test('keeps what was inserted and leaves out what was deleted, moved away or is hidden', async () => {
		const body =
			`<w:p><w:ins>${run('in')}</w:ins><w:del><w:r><w:delText>out</w:delText></w:r></w:del><w:moveFrom>${run('from')}</w:moveFrom>` +
			`<w:moveTo>${run(' to')}</w:moveTo><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>` +
			table(`<w:tr><w:trPr><w:del/></w:trPr>${cell(p('gone'))}</w:tr>`, row(cell(p('stays')))) +
			`<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>${run('joined ')}</w:p>${p('line')}`;
		expect(await text(body)).toBe('in to\n\n| stays |\n\njoined line');
	});

	test('tells text boxes once, whichever way they are written', async () => {
		const box = `<w:txbxContent>${p('boxed')}</w:txbxContent>`;
		const body =
			`<w:p>${run('before')}<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>${box}</wps:txbx></w:drawing></mc:Choice>` +
			`<mc:Fallback><w:pict><v:textbox>${box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>${run(' after')}</w:p>`;
		expect(await text(body)).toBe('before after\n\nboxed');
		expect(
			await text(
				`<w:p><w:r><mc:AlternateContent><mc:Fallback><w:pict>${box}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
			),
		).toBe('boxed');
	});

	test('reads content controls, links, formulas, symbols and readings above characters', async () => {
		const body =
			`<w:sdt><w:sdtPr><w:alias w:val="no"/></w:sdtPr><w:sdtContent>${p('control')}</w:sdtContent></w:sdt>` +
			`<w:p><w:hyperlink>${run('link')}</w:hyperlink><w:r><w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Symbol" w:char="F061"/></w:r></w:p>` +
			'<w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></w:p>' +
			`<w:p><w:r><w:ruby><w:rt>${run('kan')}</w:rt><w:rubyBase>${run('漢')}</w:rubyBase></w:ruby></w:r>${run('co\u00adop')}</w:p>`;
		expect(await text(body)).toBe('control\n\nlink✓α\n\na/b\n\n漢coop');
	});

	test('describes pictures that have something to say', async () => {
		const picture = (text: string) =>
			`<w:p><w:r><w:drawing><wp:docPr descr="${text}"/><pic:pic/></w:drawing></w:r></w:p>`;
		expect(await text(picture('A red barn') + picture('IMG_1.png') + picture(''))).toBe('[A red barn]');
	});

	test('reads documents that are inserted whole, where they stand', async () => {
		const body = `${p('before')}<w:altChunk r:id="h"/><w:altChunk r:id="none"/>${p('after')}`;
		const parts = { 'word/h.html': { xml: '<p>12 bytes' } };
		expect(await text(body, [['h', 'aFChunk', 'word/h.html']], parts)).toBe('before\n\ninner 11\n\nafter');
	});

	test('leaves out rows without any text', async () => {
		expect(await text(table(row(cell('<w:p/>'), cell('<w:p/>')), row(cell(p('a')), cell('<w:p/>'))))).toBe('| a |  |');
	});

	test('tells charts and diagrams by their data', async () => {
		const diagram =
			'<dgm:dataModel NS><dgm:ptLst><dgm:pt modelId="0" type="doc"/><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>Boss</a:t></a:r></a:p></dgm:t></dgm:pt>' +
			'<dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>Clerk</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst><dgm:cxn srcId="0" destId="1" srcOrd="0"/>' +
			'<dgm:cxn srcId="1" destId="2" srcOrd="0"/><dgm:cxn srcId="2" destId="1" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>';
		const body =
			'<w:p><w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r></w:p><w:p><w:r><w:drawing><dgm:relIds r:dm="d"/></w:drawing></w:r></w:p>';
		const chart = chartXml('barChart', 'Sales', ['Q1', 'Q2'], { North: [0.5, 1] }, '0%');
		expect(
			await text(
				body,
				[
					['c', 'chart', 'word/c.xml'],
					['d', 'diagramData', 'word/d.xml'],
				],
				{
					'word/c.xml': { xml: chart },
					'word/d.xml': { xml: diagram },
				},
			),
		).toBe('Sales\n|  | North |\n| Q1 | 50% |\n| Q2 | 100% |\n\n- Boss\n  - Clerk');
	});
});

describe('the pages of a DOCX', () => {
	const pageBreak = '<w:r><w:br w:type="page"/></w:r>';
	const seen = '<w:r><w:lastRenderedPageBreak/></w:r>';

	test('are absent where nothing breaks them', async () => {
		expect(await read(readDocx, docxOf(p('alone')))).toMatchObject({ text: 'alone' });
	});

	test('begin at breaks that are asked for and at those a program has seen, once for both', async () => {
		const body = `<w:p>${run('one')}${pageBreak}</w:p><w:p>${seen}${run('two, ')}${seen}${run('three')}</w:p>`;
		expect(await text(body)).toBe('one\n----\ntwo,\n----\nthree');
	});

	test('may be empty', async () => {
		expect(await text(`<w:p>${run('one')}${pageBreak}${pageBreak}${run('three')}</w:p>`)).toBe(
			'one\n----\n\n----\nthree',
		);
	});

	test('begin at sections, unless those continue the page, and before paragraphs that ask for it', async () => {
		const section = (type: string) => `<w:sectPr><w:type w:val="${type}"/></w:sectPr>`;
		const body =
			p('a', section('nextPage')) +
			p('b', section('continuous')) +
			p('c', section('nextPage')) +
			p('d', '<w:pageBreakBefore/>') +
			section('nextPage');
		expect(await text(body)).toBe('a\n\nb\n----\nc\n----\nd');
	});

	test('break tables between rows', async () => {
		const body = table(row(cell(`<w:p>${run('a')}${seen}${run('b')}</w:p>`)), row(cell(p('c'))));
		expect(await text(body)).toBe('| ab |\n----\n| c |');
	});

	test('hold their own footnotes; headers, endnotes, comments and footers come once', async () => {
		const note = (kind: string, id: number, content: string, type = '') =>
			`<w:${kind} w:id="${id}" ${type && `w:type="${type}"`}>${p(content)}</w:${kind}>`;
		const links: Link[] = ['footnotes', 'endnotes', 'comments'].map((kind) => [kind, kind, `word/${kind}.xml`]);
		const body =
			`<w:p>${run('one')}<w:r><w:footnoteReference w:id="5"/></w:r><w:r><w:endnoteReference w:id="1"/></w:r>${pageBreak}${run('two')}</w:p>` +
			'<w:sectPr><w:headerReference w:type="default" r:id="h"/><w:headerReference w:type="first" r:id="f"/><w:headerReference w:type="even" r:id="h"/></w:sectPr>';
		const parts = {
			'word/footnotes.xml': {
				xml: `<w:footnotes NS>${note('footnote', 0, '---', 'separator')}${note('footnote', 5, 'foot')}</w:footnotes>`,
			},
			'word/endnotes.xml': { xml: `<w:endnotes NS>${note('endnote', 1, 'end')}</w:endnotes>` },
			'word/comments.xml': {
				xml: `<w:comments NS><w:comment w:id="1" w:author="Ann">${p('why')}</w:comment></w:comments>`,
			},
			'word/h.xml': { xml: `<w:hdr NS>${p('head')}</w:hdr>` },
			'word/f.xml': { xml: `<w:hdr NS>${p('first only')}</w:hdr>` },
		};
		expect(await text(body, [...links, ['h', 'header', 'word/h.xml'], ['f', 'header', 'word/f.xml']], parts)).toBe(
			'head\n\none[1][2]\n\n[1] foot\n----\ntwo\n\nComment by Ann: why\n\n[2] end',
		);
	});
});

test('a DOCX tells its title, author and date', async () => {
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

test('a DOCX may use the strict namespaces, other prefixes and other names for its parts', async () => {
	const strict = 'http://purl.oclc.org/ooxml/wordprocessingml/main';
	const xml = `<z:document xmlns:z="${strict}"><z:body><z:p><z:r><z:t>strict</z:t></z:r></z:p></z:body></z:document>`;
	expect(await textOf(readDocx, officeOf('wordprocessingml.document', { 'odd/name.xml': { xml } }))).toBe('strict');
});
