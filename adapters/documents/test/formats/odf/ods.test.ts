import { describe, expect, test } from 'vitest';
import { zipOfFiles } from '../../../../../test/support/zip.ts';
import { readOds } from '../../../src/formats/odf/read.ts';
import { pagesWith, readWith } from '../read-with.ts';
import { cell, flat, p, row } from './flat.ts';

const sheet = (content: string, name = 'Sheet') => `<table:table table:name="${name}">${content}</table:table>`;
const pages = (...sheets: string[]) => pagesWith(readOds, flat('spreadsheet', sheets.join('')));

describe('reading a spreadsheet', () => {
	test('each sheet is a page: its name, then its rows as they are shown', async () => {
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

	test('empty cells and rows inside are kept, those at the end are not', async () => {
		const rows =
			row([cell(''), cell('b'), cell('', 'table:number-columns-repeated="1000"')]) +
			row([cell('')], 'table:number-rows-repeated="5"') +
			row([cell('a'), cell('', 'table:number-columns-repeated="2"'), cell('d')]) +
			row([cell('', 'table:number-columns-repeated="16384"')], 'table:number-rows-repeated="1048560"');
		expect(await pages(sheet(rows))).toEqual(['Sheet\n\tb\n\na\t\t\td']);
	});

	test('cells and rows that are stored once are given as often as they are shown', async () => {
		const rows = row([cell('0', 'table:number-columns-repeated="3"'), cell('x')], 'table:number-rows-repeated="2"');
		expect(await pages(sheet(rows))).toEqual(['Sheet\n0\t0\t0\tx\n0\t0\t0\tx']);
	});

	test('merged cells come once', async () => {
		const rows = row([
			cell('wide', 'table:number-columns-spanned="3"'),
			'<table:covered-table-cell table:number-columns-repeated="2"><text:p>under</text:p></table:covered-table-cell>',
			cell('next'),
		]);
		expect(await pages(sheet(rows))).toEqual(['Sheet\nwide\t\t\tnext']);
	});

	test('a cell is one field, and its comment is left out', async () => {
		const content = `<table:table-cell><office:annotation>${p('comment')}</office:annotation>${p('a<text:tab/>b')}${p('c')}</table:table-cell>`;
		expect(await pages(sheet(row([content, cell('d')])))).toEqual(['Sheet\na b c\td']);
	});

	test('a value without text is given as such', async () => {
		const rows = row([cell('', 'office:value="3.5"'), cell('', 'office:boolean-value="true"')]);
		expect(await pages(sheet(rows))).toEqual(['Sheet\n3.5\tTRUE']);
	});

	test('titles of charts stand below the rows, whose data they show', async () => {
		const anchored = `<table:table-cell><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>${p('1')}</table:table-cell>`;
		const chart = `<chart:chart><chart:title>${p('By month')}</chart:title>${sheet(row([cell('1')]))}</chart:chart>`;
		const zip = zipOfFiles({
			'content.xml': flat('spreadsheet', sheet(row([anchored, cell('2')]))),
			'Object 1/content.xml': flat('chart', chart),
		});
		expect(await pagesWith(readOds, zip)).toEqual(['Sheet\n1\t2\n\nBy month']);
	});
});

describe('hostile spreadsheets', () => {
	const everywhere = row(
		[cell('x', 'table:number-columns-repeated="999999999"')],
		'table:number-rows-repeated="999999999"',
	);

	test('a sheet that is full of one cell gives as much text as a document may', async () => {
		const [text = ''] = (await pages(sheet(everywhere))) ?? [];
		expect(text.length).toBeGreaterThan(20_000_000);
		expect(text.length).toBeLessThan(21_000_000);
	});

	test('many such sheets are refused', async () => {
		const reading = readWith(readOds, flat('spreadsheet', sheet(everywhere).repeat(20)));
		await expect(reading).rejects.toMatchObject({ code: 'E_DOCUMENT_TOO_LARGE' });
	});

	test('a cell in the last place costs no more than its row', async () => {
		const far = row([cell('', 'table:number-columns-repeated="16383"'), cell('x')]);
		const rows = row([cell('a')]) + row([cell('')], 'table:number-rows-repeated="1048574"') + far;
		const [text = ''] = (await pages(sheet(rows))) ?? [];
		expect(text).toBe(`Sheet\na\n\n${'\t'.repeat(16_383)}x`);
	});
});
