import { flat } from '../../../adapters/documents/test/formats/odf/flat.ts';
import { docxOf, officeOf, pptxOf, xlsxOf } from '../office.ts';
import { zipOfFiles } from '../zip.ts';
import type { HostileDocument } from './document.ts';

const refused = 'document_unreadable';
const file = '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % y SYSTEM "http://127.0.0.1:9/y"> %y;]>';
const laughs = `<!DOCTYPE x [<!ENTITY l0 "lol">${Array.from(
	{ length: 12 },
	(_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
).join('')}<!ENTITY x "&l12;">]>`;

const body = '<w:document NS><w:body><w:p><w:r><w:t>[&x;]</w:t></w:r></w:p></w:body></w:document>';
const docx = (doctype: string) =>
	officeOf('wordprocessingml.document', { 'word/document.xml': { xml: `${doctype}${body}` } });
const strings = (doctype: string) =>
	xlsxOf([{ name: 'S', rows: '<row><c r="A1" t="s"><v>0</v></c></row>' }], {
		'xl/sharedStrings.xml': { xml: `${doctype}<sst><si><t>[&x;]</t></si></sst>` },
	});
const odf = (kind: 'text' | 'spreadsheet', body: string, doctype = '') =>
	zipOfFiles({
		mimetype: `application/vnd.oasis.opendocument.${kind}`,
		'content.xml': flat(kind, body).replace('?>', `?>${doctype}`),
	});
const odt = (doctype: string) => odf('text', '<text:p>[&x;]</text:p>', doctype);
const svg = (doctype: string) =>
	Buffer.from(`${doctype}<svg xmlns="http://www.w3.org/2000/svg"><text>[&x;]</text></svg>`);

const entities = [
	['the address of a file', file],
	['a billion laughs', laughs],
] as const;

/** Entities, deep nesting, and tables with an excessive number of cells. */
export const markup: readonly HostileDocument[] = [
	...entities.flatMap(([what, doctype]): HostileDocument[] => [
		{ name: `a DOCX with ${what}`, make: () => docx(doctype), ends: refused },
		{ name: `an XLSX with ${what}`, make: () => strings(doctype), ends: /\[&x;\]/ },
		{ name: `an ODT with ${what}`, make: () => odt(doctype), ends: refused },
		{ name: `an SVG with ${what}`, make: () => svg(doctype), ends: /\[&x;\]/ },
	]),
	{
		name: 'HTML of 20,000 tables within each other',
		make: () => Buffer.from(`<html><body>${'<table><tr><td>'.repeat(20_000)}the core`),
		ends: /the core/,
	},
	{
		name: 'HTML nested 100,000 deep',
		make: () => Buffer.from(`<!DOCTYPE html><body>${'<div><b>'.repeat(50_000)}the core`),
		ends: /the core/,
	},
	{
		name: 'JSON nested 100,000 deep',
		make: () => Buffer.from(`${'['.repeat(100_000)}"core"${']'.repeat(100_000)}`),
		ends: /\["core"\]/,
	},
	{
		name: 'an XLSX with a cell in the first and one in the last place',
		make: () =>
			xlsxOf([
				{
					name: 'Wide',
					rows: '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>',
				},
			]),
		ends: /^Wide\n1\n\n?\t+2$/,
	},
	{
		name: 'an ODS that repeats a cell a billion times in a billion rows',
		make: () => odf('spreadsheet', repeated),
		ends: 'document_too_large',
	},
	{
		name: 'an ODT of 20,000 sections within each other',
		make: () => odf('text', `${'<text:section>'.repeat(20_000)}<text:p>x</text:p>${'</text:section>'.repeat(20_000)}`),
		ends: refused,
	},
	{
		name: 'a PPTX of 20,000 groups within each other',
		make: () => pptxOf([{ shapes: '<p:grpSp>'.repeat(20_000) + '</p:grpSp>'.repeat(20_000) }]),
		ends: refused,
	},
	{
		name: 'a DOCX of 500,000 paragraphs',
		make: () => docxOf(Array.from({ length: 500_000 }, (_, at) => `<w:p w:rsidR="${at}"/>`).join('')),
		ends: 'document_too_large',
	},
	{ name: 'an EPUB that leads back to its chapter', make: circularBook, ends: /^the chapter$/ },
	{
		name: 'a DOCX whose parts lead to each other',
		make: () => docxOf('<w:p><w:r><w:t>the body</w:t></w:r></w:p>', [['a', 'footnotes', 'word/document.xml']]),
		ends: /the body/,
	},
];

const many = '1000000000';
const cell = (text: string, columns = '1') =>
	`<table:table-cell table:number-columns-repeated="${columns}"><text:p>${text}</text:p></table:table-cell>`;
const rows = (cells: string, count: string) =>
	`<table:table-row table:number-rows-repeated="${count}">${cells}</table:table-row>`;
const repeated = `<table:table table:name="S">${rows(cell('the first'), '1')}${rows(cell('', many), many)}${rows(cell('again', many), many)}${rows(cell('the last'), '1')}</table:table>`;

function circularBook(): Buffer {
	const chapter = '<html xmlns="http://www.w3.org/1999/xhtml"><body>the chapter</body></html>';
	const refs = '<itemref idref="a"/><itemref idref="b"/>'.repeat(10_000);
	return zipOfFiles({
		mimetype: 'application/epub+zip',
		'META-INF/container.xml':
			'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
		'a.opf': `<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><item id="b" href="./x/../a.xhtml#b" media-type="application/xhtml+xml"/></manifest><spine>${refs}</spine></package>`,
		'a.xhtml': chapter,
	});
}
