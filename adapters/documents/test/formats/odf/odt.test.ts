import { describe, expect, test } from 'vitest';
import { zipOfFiles } from '../../../../../test/support/zip.ts';
import { readOdt } from '../../../src/formats/office/read.ts';
import { pagesWith, readWith } from '../read-with.ts';
import { type Around, cell, flat, p, row } from './flat.ts';

const read = async (body: string, around?: Around) => (await readWith(readOdt, flat('text', body, around))).text;
const item = (...parts: string[]) => `<text:list-item>${parts.join('')}</text:list-item>`;

describe('the text of a text document', () => {
	test('paragraphs and headings are separated, and white space is converted', async () => {
		const body = `<text:h>Head</text:h>${p('a\n  <text:span>b</text:span><text:s text:c="3"/>c<text:tab/>d<text:line-break/>e')}${p('')}${p('f')}`;
		expect(await read(body)).toBe('Head\n\na b   c\td\ne\n\nf');
	});

	test('lists are nested, and bullets stay bullets when deeper levels have numbers', async () => {
		const styles = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/></text:list-style><text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/><text:list-level-style-number text:level="9" style:num-format="1"/></text:list-style>`;
		const inner = `<text:list>${item(p('x'))}${item(p('y'))}</text:list>`;
		const body = `<text:list text:style-name="L">${item(p('one'), inner)}${item(p('two'))}</text:list><text:list text:style-name="B">${item(p('dot'))}</text:list>`;
		expect(await read(body, { styles })).toBe('1. one\n  1. x\n  2. y\n2. two\n- dot');
	});

	test('table rows are lines, and merged cells have their text once', async () => {
		const table = `<table:table>${row([cell('Big', 'table:number-columns-spanned="2"'), '<table:covered-table-cell/>', cell('c')])}${row([cell('tall', 'table:number-rows-spanned="2"'), cell('1'), cell('2')])}${row(['<table:covered-table-cell><text:p>under</text:p></table:covered-table-cell>', cell('3'), cell('4')])}</table:table>`;
		expect(await read(p('before') + table + p('after'))).toBe(
			'before\n\n| Big |  | c |\n| tall | 1 | 2 |\n|  | 3 | 4 |\n\nafter',
		);
	});

	test('notes and comments follow the text, which contains their references', async () => {
		const note = (kind: string, text: string) =>
			`<text:note text:note-class="${kind}"><text:note-citation>9</text:note-citation><text:note-body>${p(text)}</text:note-body></text:note>`;
		const comment = `<office:annotation><dc:creator>Jo</dc:creator>${p('why?')}</office:annotation>`;
		const body = p(`a${note('endnote', 'last')} b${note('footnote', 'first')}${comment}`) + p('c');
		expect(await read(body)).toBe('a[1] b[2]\n\nc\n\n[1] last\n\nComment by Jo: why?\n\n[2] first');
	});

	test('deleted text is omitted and inserted text is kept', async () => {
		const body = `<text:tracked-changes><text:changed-region><text:deletion>${p('deleted')}</text:deletion></text:changed-region></text:tracked-changes>${p('a<text:change-start text:change-id="1"/>new<text:change-end text:change-id="1"/> b')}`;
		expect(await read(body)).toBe('anew b');
	});

	test('a text box follows the paragraph of its anchor', async () => {
		const box = `<draw:frame><draw:text-box>${p('boxed')}${p('twice')}</draw:text-box></draw:frame>`;
		expect(await read(p(`be${box}fore`) + p('after'))).toBe('before\n\nboxed\n\ntwice\n\nafter');
	});

	test('a picture has its description, and never its bytes', async () => {
		const picture = (said: string) =>
			`<draw:frame text:anchor-type="as-char"><draw:image><office:binary-data>AAAA</office:binary-data></draw:image><svg:title>${said}</svg:title></draw:frame>`;
		expect(await read(p(`a${picture('Sales by year')}b${picture('image1.png')}c`))).toBe('a[Sales by year]bc');
	});

	test('headers and footers of used pages appear once, without page numbers', async () => {
		const master = (name: string, text: string) =>
			`<style:master-page style:name="${name}"><style:header>${p(`${text} head`)}</style:header><style:header-left style:display="false">${p('off')}</style:header-left><style:footer>${p(`${text} foot`)}${p('12')}</style:footer></style:master-page>`;
		const masters = master('Standard', 'usual') + master('Other', 'other');
		expect(await read(p('body'), { masters })).toBe('usual head\n\nbody\n\nusual foot');
	});

	test('title, author and date are returned', async () => {
		const meta =
			'<dc:title>A &amp; B</dc:title><meta:initial-creator>Jo</meta:initial-creator><dc:creator>Al</dc:creator><meta:creation-date>2024-05-06T07:08:09Z</meta:creation-date>';
		const { metadata } = await readWith(readOdt, flat('text', p('x'), { meta }));
		expect(metadata).toEqual({ title: 'A & B', author: 'Jo', created: '2024-05-06T07:08:09.000Z' });
	});
});

describe('pages of a text document', () => {
	const styles =
		'<style:style style:name="new" style:family="paragraph" style:parent-style-name="plain"><style:paragraph-properties fo:break-before="page"/></style:style><style:style style:name="last" style:family="paragraph"><style:paragraph-properties fo:break-after="page"/></style:style>';
	const pages = (body: string) => pagesWith(readOdt, flat('text', body, { styles }));

	test('end at page breaks in the text and at those saved by the program', async () => {
		const body = `${p('one', 'last')}${p('two')}${p('th<text:soft-page-break/>ree')}${p('four', 'new')}`;
		expect(await pages(body)).toEqual(['one', 'two\n\nth', 'ree', 'four']);
	});

	test('are kept when they are empty', async () => {
		expect(await pages(p('one') + p('', 'new') + p('three', 'new'))).toEqual(['one', '', 'three']);
	});

	test('do not start with a break at the start of the document', async () => {
		expect(await pages(p('one', 'new') + p('two', 'new'))).toEqual(['one', 'two']);
	});
});

describe('a zipped text document', () => {
	const content = flat('text', p('text') + p('<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'));

	test('contains its formulas', async () => {
		const formula =
			'<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>a</mi><mi>b</mi></mfrac><annotation>{a} over {b}</annotation></math>';
		const zip = zipOfFiles({ 'content.xml': content, 'Object 1/content.xml': formula });
		expect((await readWith(readOdt, zip)).text).toBe('text\n\n\\frac{a}{b}');
	});

	test('with a password is rejected', async () => {
		const manifest =
			'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
		const zip = zipOfFiles({ 'content.xml': 'noise', 'META-INF/manifest.xml': manifest });
		await expect(readWith(readOdt, zip)).rejects.toMatchObject({ code: 'E_DOCUMENT_ENCRYPTED' });
	});

	test.each([
		['lacks its text', zipOfFiles({ 'styles.xml': '<a/>' })],
		['ends too early', Buffer.from(flat('text', p('x')).slice(0, -30))],
	])('that %s is rejected', async (_, bytes) => {
		await expect(readWith(readOdt, bytes)).rejects.toMatchObject({ code: 'E_DOCUMENT_UNREADABLE' });
	});
});

test('Markdown of a text document has headings, lists, links and tables', async () => {
	const styles =
		'<style:style style:name="bold" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>';
	const body = `<text:h text:outline-level="2">Head</text:h>${p('a <text:span text:style-name="bold">b</text:span> <text:a xlink:href="https://x.y/">c</text:a> d*e')}<table:table>${row([cell('1'), cell('2')])}${row([cell('3'), cell('4')])}</table:table>`;
	const { text } = await readWith(readOdt, flat('text', body, { styles }), { format: 'markdown' });
	expect(text).toBe('## Head\n\na **b** [c](https://x.y/) d\\*e\n\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |');
});

describe('hostile text documents', () => {
	test('tables nested in each other are read in bounded time', async () => {
		const open =
			'<table:table><table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="1000">';
		const close = '</table:table-cell></table:table-row></table:table>';
		expect((await read(open.repeat(5) + p('x') + close.repeat(5)))?.length).toBeLessThan(10_000_000);
	}, 20_000);

	test('styles that inherit in a circle are read', async () => {
		const styles = ['a', 'b']
			.map(
				(name, index, all) =>
					`<style:style style:family="paragraph" style:name="${name}" style:parent-style-name="${all[1 - index]}"/>`,
			)
			.join('');
		expect(await read(p('x', 'a'), { styles })).toBe('x');
	});

	test('a space element with an invalid count is read', async () => {
		expect((await read(p('a<text:s text:c="999999999"/>b')))?.length).toBeLessThan(100_000);
	});

	test('a very large number of object names is read quickly', async () => {
		const href = `${'/'.repeat(150_000)}x`;
		const frame = `<draw:frame><draw:object xlink:href="${href}"/></draw:frame>`;
		expect(await read(`<text:p>x${frame}</text:p>`)).toBe('x');
	});

	test('elements nested without end are rejected', async () => {
		await expect(read('<text:section>'.repeat(100_000))).rejects.toMatchObject({
			code: 'E_DOCUMENT_UNREADABLE',
		});
	}, 20_000);
});
