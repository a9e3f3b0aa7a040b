import { describe, expect, test } from 'vitest';
import { zipOfFiles } from '../../../../../test/support/zip.ts';
import { readOdt } from '../../../src/formats/odf/read.ts';
import { pagesWith, readWith } from '../read-with.ts';
import { type Around, cell, flat, p, row } from './flat.ts';

const read = async (body: string, around?: Around) => (await readWith(readOdt, flat('text', body, around))).text;
const item = (...parts: string[]) => `<text:list-item>${parts.join('')}</text:list-item>`;

describe('the text of a text document', () => {
	test('paragraphs and headings stand apart, blanks are those that are written', async () => {
		const body = `<text:h>Head</text:h>${p('a\n  <text:span>b</text:span><text:s text:c="3"/>c<text:tab/>d<text:line-break/>e')}${p('')}${p('f')}`;
		expect(await read(body)).toBe('Head\n\na b   c\td\ne\n\nf');
	});

	test('lists are marked by their styles', async () => {
		const styles = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="." text:start-value="3"/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" text:display-levels="2"/></text:list-style><text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style>`;
		const inner = `<text:list>${item(p('x'))}${item(p('y'), p('z'))}</text:list>`;
		const body = `<text:list text:style-name="L">${item(p('three'))}${item(inner)}${item(p('four'))}</text:list><text:list text:style-name="B">${item(p('dot'))}</text:list><text:list text:style-name="L" text:continue-numbering="true">${item(p('five'))}</text:list>`;
		expect(await read(body, { styles })).toBe('3. three\n  3.a) x\n  3.b) y\n    z\n4. four\n\n- dot\n\n5. five');
	});

	test('headings are numbered where the document numbers them', async () => {
		const styles =
			'<text:outline-style><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/><text:outline-level-style text:level="3" style:num-format=""/></text:outline-style><style:style style:name="bare" style:family="paragraph" style:list-style-name=""/>';
		const h = (level: number, text: string, more = '') =>
			`<text:h text:outline-level="${level}" ${more}>${text}</text:h>`;
		const body = `${h(1, 'a')}${h(2, 'b')}${h(2, 'c')}${h(3, 'd')}${h(1, 'no', 'text:style-name="bare"')}${h(1, 'e')}${h(2, 'f')}`;
		expect(await read(body, { styles })).toBe('1. a\n\n1.1 b\n\n1.2 c\n\nd\n\nno\n\n2. e\n\n2.1 f');
	});

	test('rows of tables are lines, and merged cells come once', async () => {
		const table = `<table:table>${row([cell('Big', 'table:number-columns-spanned="2"'), '<table:covered-table-cell/>', cell('c')])}${row([cell('tall', 'table:number-rows-spanned="2"'), cell('1'), cell('2')])}${row(['<table:covered-table-cell><text:p>under</text:p></table:covered-table-cell>', cell('3'), cell('4')])}</table:table>`;
		expect(await read(p('before') + table + p('after'))).toBe(
			'before\n\n| Big | | c |\n| tall | 1 | 2 |\n| | 3 | 4 |\n\nafter',
		);
	});

	test('notes and comments stand at the end, their signs in the text', async () => {
		const note = (kind: string, text: string) =>
			`<text:note text:note-class="${kind}"><text:note-citation>9</text:note-citation><text:note-body>${p(text)}</text:note-body></text:note>`;
		const comment = `<office:annotation><dc:creator>Jo</dc:creator>${p('why?')}</office:annotation>`;
		const body = p(`a${note('endnote', 'last')} b${note('footnote', 'first')}${comment}`) + p('c');
		expect(await read(body)).toBe('a[1] b[2]\n\nc\n\n[2] first\nComment: why?\n[1] last');
	});

	test('what was deleted or is hidden is left out, what was inserted stays', async () => {
		const styles =
			'<style:style style:name="gone" style:family="text"><style:text-properties text:display="none"/></style:style>';
		const body = `<text:tracked-changes><text:changed-region><text:deletion>${p('deleted')}</text:deletion></text:changed-region></text:tracked-changes>${p('a<text:change-start text:change-id="1"/>new<text:change-end text:change-id="1"/> <text:span text:style-name="gone">hidden</text:span>b')}<text:section text:display="none">${p('hidden')}</text:section>`;
		expect(await read(body, { styles })).toBe('anew b');
	});

	test('text boxes follow the paragraph that they are anchored in', async () => {
		const box = `<draw:frame><draw:text-box>${p('boxed')}${p('twice')}</draw:text-box></draw:frame>`;
		expect(await read(p(`be${box}fore`) + p('after'))).toBe('before\n\nboxed\ntwice\n\nafter');
	});

	test('pictures give what is said of them, and never their bytes', async () => {
		const picture = (said: string) =>
			`<draw:frame text:anchor-type="as-char"><draw:image><office:binary-data>AAAA</office:binary-data></draw:image><svg:title>${said}</svg:title></draw:frame>`;
		expect(await read(p(`a${picture('Sales by year')}b${picture('image1.png')}c`))).toBe('a [Sales by year] bc');
	});

	test('headers and footers of the pages that are used come once, page numbers not at all', async () => {
		const master = (name: string, text: string) =>
			`<style:master-page style:name="${name}"><style:header>${p(`${text} head`)}</style:header><style:header-left style:display="false">${p('off')}</style:header-left><style:footer>${p(`${text} foot`)}${p('12')}</style:footer></style:master-page>`;
		const masters = master('Standard', 'usual') + master('Other', 'other');
		expect(await read(p('body'), { masters })).toBe('usual head\n\nbody\n\nusual foot');
	});

	test('title, author and time are told', async () => {
		const meta =
			'<dc:title>A &amp; B</dc:title><dc:creator>Al</dc:creator><meta:initial-creator>Jo</meta:initial-creator><meta:creation-date>2024-05-06T07:08:09Z</meta:creation-date>';
		const { metadata } = await readWith(readOdt, flat('text', p('x'), { meta }));
		expect(metadata).toEqual({ title: 'A & B', author: 'Jo', created: '2024-05-06T07:08:09.000Z' });
	});
});

describe('pages of a text document', () => {
	const styles =
		'<style:style style:name="new" style:family="paragraph" style:parent-style-name="plain"><style:paragraph-properties fo:break-before="page"/></style:style><style:style style:name="last" style:family="paragraph"><style:paragraph-properties fo:break-after="page"/></style:style>';
	const pages = (body: string) => pagesWith(readOdt, flat('text', body, { styles }));

	test('end where the text or the program that wrote it says so', async () => {
		const body = `${p('one', 'last')}${p('two')}${p('th<text:soft-page-break/>ree')}${p('four', 'new')}`;
		expect(await pages(body)).toEqual(['one', 'two\n\nth', 'ree', 'four']);
	});

	test('are kept when they are empty', async () => {
		expect(await pages(p('one') + p('', 'new') + p('three', 'new'))).toEqual(['one', '', 'three']);
	});

	test('do not begin with the document', async () => {
		expect(await pages(p('one', 'new') + p('two', 'new'))).toEqual(['one', 'two']);
	});

	test('end between the rows of a table', async () => {
		const split = `<table:table-cell>${p('c<text:soft-page-break/>c')}</table:table-cell>`;
		const table = `<table:table>${row([cell('a'), cell('b')])}<text:soft-page-break/>${row([split, cell('d')])}${row([cell('e'), cell('f')])}</table:table>`;
		expect(await pages(table)).toEqual(['| a | b |', '| cc | d |', '| e | f |']);
	});
});

describe('a zipped text document', () => {
	const content = flat('text', p('text') + p('<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'));

	test('shows the data of its charts', async () => {
		const rows = row([cell(''), cell('Sales')]) + row([cell('May'), cell('3.4')]);
		const chart = flat(
			'chart',
			`<chart:chart><chart:title>${p('By month')}</chart:title><table:table>${rows}</table:table></chart:chart>`,
		);
		const zip = zipOfFiles({ 'content.xml': content, 'Object 1/content.xml': chart });
		expect((await readWith(readOdt, zip)).text).toBe('text\n\nBy month\n\n| | Sales |\n| May | 3.4 |');
	});

	test('shows its formulas', async () => {
		const formula =
			'<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>a</mi><mi>b</mi></mfrac><annotation>{a} over {b}</annotation></math>';
		const zip = zipOfFiles({ 'content.xml': content, 'Object 1/content.xml': formula });
		expect((await readWith(readOdt, zip)).text).toBe('text\n\na/b');
	});

	test('is read without its styles when they are damaged', async () => {
		const zip = zipOfFiles({ 'content.xml': content, 'styles.xml': '<office:styles><style:style' });
		expect((await readWith(readOdt, zip)).text).toBe('text');
	});

	test('that has a password is refused', async () => {
		const manifest =
			'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
		const zip = zipOfFiles({ 'content.xml': 'noise', 'META-INF/manifest.xml': manifest });
		await expect(readWith(readOdt, zip)).rejects.toMatchObject({ code: 'E_DOCUMENT_ENCRYPTED' });
	});

	test.each([
		['lacks its text', zipOfFiles({ 'styles.xml': '<a/>' })],
		['ends too early', Buffer.from(flat('text', p('x')).slice(0, -30))],
	])('that %s is refused', async (_, bytes) => {
		await expect(readWith(readOdt, bytes)).rejects.toMatchObject({ code: 'E_DOCUMENT_UNREADABLE' });
	});
});

describe('hostile text documents', () => {
	test('tables that repeat themselves within each other are refused', async () => {
		const open =
			'<table:table><table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="1000">';
		const close = '</table:table-cell></table:table-row></table:table>';
		const body = open.repeat(20) + p('x') + close.repeat(20);
		await expect(read(body)).rejects.toMatchObject({ code: 'E_DOCUMENT_TOO_LARGE' });
	});

	test('styles that inherit from each other end', async () => {
		const styles = ['a', 'b']
			.map(
				(name, index, all) =>
					`<style:style style:family="paragraph" style:name="${name}" style:parent-style-name="${all[1 - index]}"/>`,
			)
			.join('');
		expect(await read(p('x', 'a'), { styles })).toBe('x');
	});

	test('blanks without number are some', async () => {
		expect((await read(p('a<text:s text:c="999999999"/>b')))?.length).toBe(1_002);
	});

	test('a note of very many paragraphs is read', async () => {
		const note = `<text:note><text:note-body>${p('n').repeat(150_000)}</text:note-body></text:note>`;
		expect(await read(`<text:p>x${note}</text:p>`)).toHaveLength(300_009);
	});

	test('kinds of pages that all follow each other do not take long', async () => {
		const all = Array.from({ length: 4_000 }, (_, at) => at);
		const styles = all.map(
			(at) => `<style:style style:family="paragraph" style:name="s${at}" style:master-page-name="m${at}"/>`,
		);
		const masters = all.map(
			(at) =>
				`<style:master-page style:name="m${at}" style:next-style-name="m${at + 1}"><style:header>${p(`h${at % 2}`)}</style:header></style:master-page>`,
		);
		const body = all.map((at) => p('x', `s${at}`)).join('');
		const around = { styles: styles.join(''), masters: masters.join('') };
		const { pages } = await readWith(readOdt, flat('text', body, around));
		expect(pages?.slice(0, 2).map(({ text }) => text)).toEqual(['h0\nh1\n\nx', 'x']);
	});

	test('names of objects without end do not take long', async () => {
		const href = `${'/'.repeat(150_000)}x`;
		const frame = `<draw:frame><draw:object xlink:href="${href}"/></draw:frame>`;
		expect(await read(`<text:p>x${frame}</text:p>`)).toBe('x');
	});

	test('elements without end are refused', async () => {
		await expect(read('<text:section>'.repeat(100_000))).rejects.toMatchObject({
			code: 'E_DOCUMENT_UNREADABLE',
		});
	});
});
