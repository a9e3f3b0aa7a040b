import { type BookType, utils, write } from '@e965/xlsx';
import { describe, expect, test } from 'vitest';
import { readXls } from '../../../src/formats/sheets.ts';
import { compoundOf } from '../../ole/compound.ts';
import { pagesWith, readWith } from '../read-with.ts';

type Sheets = Readonly<Record<string, readonly (readonly unknown[])[]>>;

function workbook(sheets: Sheets, bookType: BookType = 'biff8'): Buffer {
	const book = utils.book_new();
	for (const [name, rows] of Object.entries(sheets)) {
		utils.book_append_sheet(book, utils.aoa_to_sheet(rows as unknown[][]), name);
	}
	return write(book, { type: 'buffer', bookType }) as Buffer;
}

const formatted = (v: number, z: string) => ({ t: 'n', v, z });

function record(type: number, ...words: readonly number[]): Buffer {
	const numbers = [type, words.length * 2, ...words];
	return Buffer.concat(numbers.map((number) => Buffer.of(number & 0xff, number >> 8)));
}

/** A cell with the value 7. */
function numberAt(row: number, column: number): Buffer {
	return record(0x203, row, column, 0, 0, 0, 0, 0x401c);
}

/** The stream of a workbook with one sheet named S. */
function workbookOf(cells: readonly Buffer[]): Buffer {
	const start = (kind: number) => record(0x809, 0x600, kind, 0, 0, 0, 0, 0, 0);
	const end = record(0x0a);
	const sheetAt = start(5).length + 14 + end.length;
	const sheet = record(0x85, sheetAt, 0, 0, 1, 0x53);
	return Buffer.concat([start(5), sheet, end, start(0x10), ...cells, end]);
}

describe('an old workbook', () => {
	test('has a page for each sheet, beginning with its name', async () => {
		const file = workbook({
			Fruit: [
				['Name', 'Count'],
				['Äpfel', 12],
			],
			Empty: [],
			Last: [['end']],
		});
		expect(await pagesWith(readXls, file)).toEqual(['Fruit\nName\tCount\nÄpfel\t12', 'Empty', 'Last\nend']);
	});

	test('shows values in their format', async () => {
		const row = [
			formatted(46_082, 'yyyy-mm-dd'),
			formatted(0.125, '0.0%'),
			formatted(1234.5, '#,##0.00'),
			true,
			{ t: 'e', v: 7 },
		];
		expect(await pagesWith(readXls, workbook({ S: [row] }))).toEqual(['S\n2026-03-01\t12.5%\t1,234.50\tTRUE\t#DIV/0!']);
	});

	test('keeps one empty line for empty rows, and the columns of values', async () => {
		const rows = [['a', null, 'c', null], [], [], [null, 'x'], [null]];
		expect(await pagesWith(readXls, workbook({ S: rows }))).toEqual(['S\na\t\tc\n\n\tx']);
	});

	test('with two values far apart has no empty rows and columns between them', async () => {
		const sheet = utils.aoa_to_sheet([['first']]);
		sheet.B60000 = { t: 's', v: 'last' };
		sheet['!ref'] = 'A1:B60000';
		const book = utils.book_new();
		utils.book_append_sheet(book, sheet, 'S');
		const file = write(book, { type: 'buffer', bookType: 'biff8' }) as Buffer;
		expect(await pagesWith(readXls, file)).toEqual(['S\nfirst\n\n\tlast']);
	});

	test('replaces line breaks in a value', async () => {
		expect(await pagesWith(readXls, workbook({ S: [['two\nlines\t', 'b']] }))).toEqual(['S\ntwo lines\tb']);
	});

	test.each<BookType>(['biff2', 'biff5', 'biff8'])('of kind %s is read', async (kind) => {
		const [text] = (await pagesWith(readXls, workbook({ S: [['a', 1.5]] }, kind))) ?? [];
		expect(text).toMatch(/\na\t1\.5$/);
	});

	test('has only the requested sheets', async () => {
		const file = workbook({ A: [['a']], B: [['b']] });
		const content = await readWith(readXls, file, { pages: [{ first: 2, last: 2 }] });
		expect(content).toMatchObject({ pages: [{ page: 2, text: 'B\nb' }], pageCount: 2 });
	});

	test('with values beyond the last column is read', async () => {
		const cells = Array.from({ length: 5_000 }, (_, row) => numberAt(row, 65_535));
		const file = workbookOf([numberAt(0, 0), ...cells, numberAt(1, 1)]);
		const [text] = (await pagesWith(readXls, compoundOf({ Workbook: file }))) ?? [];
		expect(text).toBe('S\n7\n\t7');
	});

	test('with a password is rejected as encrypted', async () => {
		const start = Buffer.from('090810000006050000000000000000000000000000', 'hex').subarray(0, 20);
		const locked = Buffer.from('2f000600000000000000', 'hex');
		const file = compoundOf({ Workbook: Buffer.concat([start, locked]) });
		await expect(readWith(readXls, file)).rejects.toMatchObject({ code: 'E_DOCUMENT_ENCRYPTED' });
	});

	test('that is damaged is read or rejected with a document error', async () => {
		const file = workbook({
			Fruit: [
				['Name', 'Count'],
				['Pear', 12],
			],
		});
		for (let part = 0; part < 40; part++) {
			const damaged = Buffer.from(file);
			for (let at = 520 + part; at < damaged.length; at += 40) damaged[at] = 0xff;
			for (const bytes of [damaged, file.subarray(0, (file.length * part) / 40)]) {
				const outcome = await readWith(readXls, bytes).catch((error) => error.code);
				expect(outcome).toSatisfy(
					(value) => typeof value === 'object' || /^E_DOCUMENT_(UNREADABLE|ENCRYPTED)$/.test(value),
				);
			}
		}
	});
});
