import { describe, expect, test } from 'vitest';
import { zipOfFiles } from '../../../../../test/support/zip.ts';
import { readOds } from '../../../src/formats/sheets.ts';
import { pagesWith, readWith } from '../read-with.ts';
import { cell, flat, p, row } from './flat.ts';

const sheet = (content: string, name = 'Sheet') => `<table:table table:name="${name}">${content}</table:table>`;
const pages = (...sheets: string[]) => pagesWith(readOds, flat('spreadsheet', sheets.join('')));

describe('reading a spreadsheet', () => {
	test('each sheet is a page: its name, then its rows as displayed', async () => {
		const dates = row([
			cell('05.01.24', 'office:value-type="date" office:date-value="2024-01-05"'),
			cell('12.5 %', 'office:value-type="percentage" office:value="0.125"'),
		]);
		expect(await pages(sheet(dates, 'One'), sheet('', 'Two'), sheet(row([cell('x')]), 'Three'))).toEqual([
			'One\n05.01.24\t12.5 %',
			'Two',
			'Three\nx',
		]);
	});

	test('empty cells and rows are kept, except at the end', async () => {
		const rows =
			row([cell(''), cell('b'), cell('', 'table:number-columns-repeated="1000"')]) +
			row([cell('')], 'table:number-rows-repeated="5"') +
			row([cell('a'), cell('', 'table:number-columns-repeated="2"'), cell('d')]) +
			row([cell('', 'table:number-columns-repeated="16384"')], 'table:number-rows-repeated="1048560"');
		expect(await pages(sheet(rows))).toEqual(['Sheet\n\tb\n\na\t\t\td']);
	});

	test('repeated cells and rows are returned as often as they are displayed', async () => {
		const rows = row([cell('0', 'table:number-columns-repeated="3"'), cell('x')], 'table:number-rows-repeated="2"');
		expect(await pages(sheet(rows))).toEqual(['Sheet\n0\t0\t0\tx\n0\t0\t0\tx']);
	});

	test('merged cells have their text once', async () => {
		const rows = row([
			cell('wide', 'table:number-columns-spanned="3"'),
			'<table:covered-table-cell table:number-columns-repeated="2"><text:p>under</text:p></table:covered-table-cell>',
			cell('next'),
		]);
		expect(await pages(sheet(rows))).toEqual(['Sheet\nwide\t\t\tnext']);
	});

	test('a cell is one field, and its comment follows the rows', async () => {
		const content = `<table:table-cell><office:annotation>${p('comment')}</office:annotation>${p('a<text:tab/>b')}${p('c')}</table:table-cell>`;
		expect(await pages(sheet(row([content, cell('d')])))).toEqual(['Sheet\na b c\td\n\nA1: comment']);
	});

	test('a value without text is returned as the value', async () => {
		const rows = row([
			cell('', 'office:value-type="float" office:value="3.5"'),
			'<table:table-cell office:value-type="float" office:value="4.5"/>',
			cell('', 'office:value-type="boolean" office:boolean-value="true"'),
			'<table:table-cell office:value-type="string" office:string-value="text"/>',
		]);
		expect(await pages(sheet(rows))).toEqual(['Sheet\n3.5\t4.5\tTRUE\ttext']);
	});

	test('a document in a zip file returns its title', async () => {
		const content = flat('spreadsheet', sheet(row([cell('x')]))).replaceAll(
			'office:document',
			'office:document-content',
		);
		const meta = flat('spreadsheet', '', { meta: '<dc:title>This &amp; that</dc:title><dc:creator>Ann</dc:creator>' });
		const zip = zipOfFiles({ 'content.xml': content, 'meta.xml': meta });
		expect(await readWith(readOds, zip)).toMatchObject({
			pages: [{ text: 'Sheet\nx' }],
			metadata: { title: 'This & that', author: 'Ann' },
		});
	});

	test('with a password it is rejected as encrypted', async () => {
		const entry = '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>';
		const zip = zipOfFiles({ 'META-INF/manifest.xml': entry, 'content.xml': 'locked' });
		await expect(readWith(readOds, zip)).rejects.toMatchObject({ code: 'E_DOCUMENT_ENCRYPTED' });
	});

	test('a sheet is a heading and a table in Markdown', async () => {
		const rows = row([cell('a'), cell('b|c')]) + row([cell('1')]);
		const file = flat('spreadsheet', sheet(rows));
		const { pages: [page] = [] } = await readWith(readOds, file, { format: 'markdown' });
		expect(page?.text).toBe('## Sheet\n\n| a | b\\|c |\n| --- | --- |\n| 1 |  |');
	});
});

describe('hostile spreadsheets', () => {
	const everywhere = row(
		[cell('x', 'table:number-columns-repeated="999999999"')],
		'table:number-rows-repeated="999999999"',
	);

	test('a sheet in which one cell repeats everywhere is rejected', async () => {
		const reading = pages(sheet(everywhere));
		await expect(reading).rejects.toMatchObject({ code: 'E_DOCUMENT_TOO_LARGE' });
	});

	test('a cell at the last position costs no more than its row', async () => {
		const far = row([cell('', 'table:number-columns-repeated="16383"'), cell('x')]);
		const rows = row([cell('a')]) + row([cell('')], 'table:number-rows-repeated="1048574"') + far;
		const [text = ''] = (await pages(sheet(rows))) ?? [];
		expect(text).toBe(`Sheet\na\n\n${'\t'.repeat(16_383)}x`);
	});
});
