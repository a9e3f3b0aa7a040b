import { writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { chartFrame, chartXml, pptxOf, shapeOf } from '../../test/support/office.ts';
import { convertByOffice, makeByPandoc } from './office-texts.ts';

const report = `---
title: Harvest report
author: Ada Example
---

# Summary

The orchards gave **4,210 tonnes** of fruit, *eleven percent* more than a year before.[^1] See [the appendix](#appendix) and \`table_2\`.

1. Apples were early.
2. Pears were late:
    a. Conference
    b. Williams
3. Plums failed.

- Storage
    - Cold rooms: 3
    - Cellars: 12
- Transport

Table: Yields by valley

| Valley | 2023 | 2024 | Change |
|:-------|-----:|-----:|-------:|
| Upper  |  812 |  903 |   +11% |
| Lower  | 1204 | 1190 |    -1% |
| Far    |   77 |  101 |   +31% |

## Methods

> Weighed at the gate, twice, by two people who did not talk to each other.

Term one
:   Its definition goes on for a while.

Water is H~2~O and the area is 3 km^2^. A line  
breaks here.

    code stays as it is
    def f(x): return x

# Appendix

Naïve café, Größe, Ελληνικά, Русский текст, 日本語の文章, עברית, العربية — “quoted” … done.

[^1]: Counted without the two farms that burned down in June.
`;

const letter = `To whom it may concern

${'The quick brown fox jumps over the lazy dog, and nobody minds. '.repeat(8)}

---

* one
* two

+---------------+--------------------+
| Fruit         | Notes              |
+===============+====================+
| Bananas       | - built-in wrapper |
|               | - bright colour    |
+---------------+--------------------+
| Oranges       | cures scurvy       |
+---------------+--------------------+

Yours, the **gardener**
`;

const slides = `% Quarterly review
% The team
% May 2024

# Opening

## Agenda

- Numbers
    - Revenue
    - Cost
- People

::: notes
Do not forget to breathe.
:::

## Two sides

:::::: columns
::: column
Left has words.

- alpha
- beta
:::
::: column
Right has others.
:::
::::::

## A table

| Region | Sales | Share |
|--------|------:|------:|
| North  |   120 |   40% |
| South  |   180 |   60% |
`;

const months = ['January', 'February', 'March', 'April'];
const sales = { Orchards: [12.5, 14, 15.25, 19], Vineyards: [7, 8, 6.5, 11] };
const chartKinds = ['barChart', 'lineChart', 'areaChart', 'radarChart'];

/**
 * Documents by format: paths of files that pandoc or LibreOffice wrote, and of presentations with charts, which this
 * module writes.
 */
export interface OfficeDocuments {
	readonly docx: readonly string[];
	readonly odt: readonly string[];
	readonly pptx: readonly string[];
	readonly xlsx: readonly string[];
	readonly html: readonly string[];
	readonly epub: readonly string[];
	readonly rtf: readonly string[];
}

/** Makes documents in a folder: each text once by pandoc and once as LibreOffice saves it. */
export async function makeOfficeDocuments(folder: string): Promise<OfficeDocuments> {
	const at = (name: string) => join(folder, name);
	await makeByPandoc(report, at('report.docx'), ['--toc']);
	await makeByPandoc(letter, at('letter.docx'));
	await makeByPandoc(report, at('saved-report.odt'));
	await makeByPandoc(letter, at('saved-letter.odt'));
	await makeByPandoc(slides, at('slides.pptx'));
	for (const format of ['html', 'epub', 'rtf']) {
		await makeByPandoc(report, at(`report.${format}`), ['-s']);
		await makeByPandoc(letter, at(`letter.${format}`), ['-s', '-M', 'title=Letter']);
	}
	await writeFile(at('charts.pptx'), chartDeck());
	await writeFile(at('cells.fods'), cells());
	await convertByOffice([at('saved-report.odt'), at('saved-letter.odt')], 'docx', folder);
	await convertByOffice([at('report.docx'), at('letter.docx')], 'odt', folder);
	await convertByOffice([at('saved-report.odt'), at('saved-letter.odt')], 'rtf', folder);
	await convertByOffice([at('slides.pptx')], 'odp', folder);
	await convertByOffice([at('cells.fods')], 'xlsx', folder);
	const again = await savedAgain(at('slides.odp'), folder);
	return {
		docx: ['report.docx', 'letter.docx', 'saved-report.docx', 'saved-letter.docx'].map(at),
		odt: ['saved-report.odt', 'saved-letter.odt', 'report.odt', 'letter.odt'].map(at),
		pptx: [at('slides.pptx'), again, at('charts.pptx')],
		xlsx: [at('cells.xlsx')],
		html: ['report.html', 'letter.html'].map(at),
		epub: ['report.epub', 'letter.epub'].map(at),
		rtf: ['report.rtf', 'letter.rtf', 'saved-report.rtf', 'saved-letter.rtf'].map(at),
	};
}

async function savedAgain(path: string, folder: string): Promise<string> {
	const into = join(folder, 'again');
	await convertByOffice([path], 'pptx', into);
	return join(into, `${basename(path, extname(path))}.pptx`);
}

function chartDeck(): Buffer {
	const decks = chartKinds.map((kind, index) => ({
		shapes: shapeOf([`A ${kind}`], [50, 20, 600, 60], '<p:ph type="title"/>') + chartFrame('c'),
		links: [['c', 'chart', `ppt/charts/chart${index}.xml`]] as const,
	}));
	const parts = chartKinds.map((kind, index) => [
		`ppt/charts/chart${index}.xml`,
		{ xml: chartXml(kind, `Sales as ${kind}`, months, sales, '0.0') },
	]);
	return pptxOf(decks, Object.fromEntries(parts));
}

/** A flat OpenDocument sheet with dates, shares, money, gaps and long texts. */
function cells(): string {
	const namespaces = ['office', 'table', 'text', 'style', 'number']
		.map((name) => {
			const word = name === 'number' ? 'datastyle' : name;
			return `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${word}:1.0"`;
		})
		.join(' ');
	const row = (...all: string[]) => `<table:table-row>${all.join('')}</table:table-row>`;
	const text = (value: string) =>
		`<table:table-cell office:value-type="string"><text:p>${value}</text:p></table:table-cell>`;
	const number = (value: number, style = '') =>
		`<table:table-cell office:value-type="float" office:value="${value}" ${style && `table:style-name="${style}"`}/>`;
	const date = (value: string) =>
		`<table:table-cell office:value-type="date" office:date-value="${value}" table:style-name="d"/>`;
	const rows = Array.from({ length: 200 }, (_, index) =>
		row(
			text(`Item ${index}`),
			date(`2024-0${1 + (index % 9)}-1${index % 9}`),
			number(index / 7, 'p'),
			number(index * 1234.5, 'm'),
			number(index / 3),
		),
	);
	const head = row(...['Name', 'Day', 'Share', 'Amount', 'Plain'].map(text));
	const gap = row('<table:table-cell table:number-columns-repeated="6"/>', text('far out'));
	const table = (name: string, content: string) => `<table:table table:name="${name}">${content}</table:table>`;
	return (
		`<?xml version="1.0" encoding="UTF-8"?><office:document ${namespaces} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">` +
		`<office:automatic-styles>${styles()}</office:automatic-styles>` +
		`<office:body><office:spreadsheet>${table('Harvest', head + rows.join('') + gap)}${table('Notes', row(text('Größe &amp; Maß'), number(1e-7)))}` +
		'</office:spreadsheet></office:body></office:document>'
	);
}

function styles(): string {
	const day =
		'<number:date-style style:name="nd"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style>';
	const share =
		'<number:percentage-style style:name="np"><number:number number:decimal-places="1" number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style>';
	const money =
		'<number:number-style style:name="nm"><number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/><number:text> EUR</number:text></number:number-style>';
	const cell = (name: string) =>
		`<style:style style:name="${name}" style:family="table-cell" style:data-style-name="n${name}"/>`;
	return day + share + money + cell('d') + cell('p') + cell('m');
}
