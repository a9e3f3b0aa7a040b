import { describe, expect, test } from 'vitest';
import { chartXml, docxOf, type Link, type Part } from '../../../../../test/support/office.ts';
import { readDocx } from '../../../src/formats/ooxml/docx.ts';
import { textOf } from './reading.ts';

const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (text: string, style = '') => `<w:p>${style && `<w:pPr>${style}</w:pPr>`}${run(text)}</w:p>`;
const withoutEnd = (text: string, after = '') =>
	`<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>${run(text)}${after}</w:p>`;
const table = (...cells: string[]) =>
	`<w:tbl><w:tr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join('')}</w:tr></w:tbl>`;
const text = (body: string, links?: readonly Link[], parts?: Readonly<Record<string, Part>>) =>
	textOf(readDocx, docxOf(body, links, parts));

const notes = {
	'word/f.xml': {
		xml: `<w:footnotes NS><w:footnote w:id="2">${p('a note')}</w:footnote></w:footnotes>`,
	},
};
const note = '<w:r><w:footnoteReference w:id="2"/></w:r>';
const noteLink: Link = ['f', 'footnotes', 'word/f.xml'];

describe('a deletion in a DOCX', () => {
	test('takes tabs, breaks, notes and pictures with it', async () => {
		const picture = '<w:r><w:drawing><wp:docPr descr="A photo that is gone"/><pic:pic/></w:drawing></w:r>';
		const deleted = `<w:del><w:r><w:tab/><w:br/></w:r>${note}${picture}</w:del>`;
		expect(await text(`<w:p>${run('a')}${deleted}${run('b')}</w:p>`, [noteLink], notes)).toBe('ab');
	});

	test('of the end of a paragraph keeps what hangs on it', async () => {
		expect(await text(withoutEnd('one', note) + p(' two'), [noteLink], notes)).toBe('one[1] two\n\n[1] a note');
	});

	test('of the end of the last paragraph before a table, in a cell or of all loses nothing', async () => {
		const body = withoutEnd('before') + table(withoutEnd('a'), p('b')) + withoutEnd('last');
		expect(await text(body)).toBe('before\n\n| a | b |\n\nlast');
	});
});

describe('a chart or diagram in a cell of a DOCX', () => {
	test('keeps its title and its lines whole', async () => {
		const shown = '<w:p><w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r></w:p>';
		const parts = { 'word/c.xml': { xml: chartXml('barChart', 'Sales', ['x'], { A: [1] }) } };
		expect(await text(table(p('left'), shown), [['c', 'chart', 'word/c.xml']], parts)).toBe('| left | Sales A x 1 |');
	});
});

describe('the numbers of lists in a DOCX', () => {
	const level = (depth: number, format: string, mark: string, more = '') =>
		`<w:lvl w:ilvl="${depth}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${mark}"/></w:lvl>`;
	const list = (id: number, content: string) => `<w:abstractNum w:abstractNumId="${id}">${content}</w:abstractNum>`;
	const numbered = (body: string, lists: string, overrides = '') =>
		text(body, [['n', 'numbering', 'word/n.xml']], {
			'word/n.xml': {
				xml: `<w:numbering NS>${lists}<w:num w:numId="1"><w:abstractNumId w:val="1"/>${overrides}</w:num></w:numbering>`,
			},
		});
	const item = (words: string, depth = 0) =>
		p(words, `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="1"/></w:numPr>`);

	test('come from the style of lists that a list refers to', async () => {
		const lists =
			list(1, '<w:numStyleLink w:val="Mine"/>') +
			list(2, `<w:styleLink w:val="Mine"/>${level(0, 'decimal', 'Article %1:')}`);
		expect(await numbered(item('one') + item('two'), lists)).toBe('Article 1: one\nArticle 2: two');
	});

	test('may be other ones in one list of several', async () => {
		const override = `<w:lvlOverride w:ilvl="0">${level(0, 'upperLetter', '%1)')}</w:lvlOverride>`;
		expect(await numbered(item('one'), list(1, level(0, 'decimal', '%1.')), override)).toBe('A) one');
	});

	test('are digits in legal lists, and have a zero in front where one is asked for', async () => {
		const legal =
			level(0, 'upperRoman', '%1.') + level(1, 'decimalZero', '%2)') + level(2, 'decimal', '%1.%3', '<w:isLgl/>');
		expect(await numbered(item('a') + item('b', 1) + item('c', 2), list(1, legal))).toBe('I. a\n  01) b\n    1.1 c');
	});

	test('are none where the bullet is a blank', async () => {
		expect(await numbered(item('goes on'), list(1, level(0, 'bullet', ' ')))).toBe('goes on');
	});
});

describe('the lines of a DOCX', () => {
	test('have blanks for line breaks of the file, which are no breaks of the document', async () => {
		expect(await text(p('one\r\n\ntwo'))).toBe('one two');
	});

	test('show the choice in a list of an old form', async () => {
		const choice = (state: string) =>
			`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList>${state}<w:listEntry w:val="France"/><w:listEntry w:val="Spain"/></w:ddList></w:ffData></w:fldChar></w:r>` +
			'<w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>';
		const chosen = choice('<w:result w:val="1"/>');
		expect(await text(`<w:p>${chosen}${run(', ')}${choice('')}</w:p>`)).toBe('Spain, France');
	});

	test('describe pictures of older documents', async () => {
		const picture =
			'<w:p><w:r><w:pict><v:shape alt="The signature of the director"><v:imagedata/></v:shape></w:pict></w:r></w:p>';
		expect(await text(picture)).toBe('[The signature of the director]');
	});
});
