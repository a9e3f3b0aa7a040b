import { describe, expect, test } from 'vitest';
import { pageText, type TextItem } from '../src/layout/page.ts';
import { column, item, prose, row } from './items.ts';

const lines = (items: readonly TextItem[]) => pageText(items).split('\n');
const words = (items: readonly TextItem[]) => pageText(items).replace(/\s+/g, ' ');
const share = { top: 0, middle: 0.5, bottom: 1 };

/** Table rows of a number, two texts of several lines and a name. Rows are 10 points further apart than lines. */
function register(align: keyof typeof share, lengths: readonly (readonly [number, number])[]) {
	let y = 100;
	return lengths.flatMap(([one, two], at) => {
		const most = Math.max(one, two);
		const place = (count: number) => y + share[align] * (most - count) * 12;
		const cells = [
			item(`R${at}`, 40, place(1)),
			...column(prose(`risk${at}`, one), 70, place(one)),
			...column(prose(`cure${at}`, two), 280, place(two)),
			item(`Owner ${at}`, 490, place(1)),
		];
		y += most * 12 + 10;
		return cells.map((cell) => (cell.text.length > 20 ? { ...cell, width: 200 } : cell));
	});
}

const lengths = [
	[4, 2],
	[1, 3],
	[2, 5],
	[3, 3],
	[1, 1],
] as const;

describe('a table with several lines in a cell', () => {
	test('keeps its rows', () => {
		const read = lines(register('top', lengths));
		for (const at of lengths.keys())
			expect(read).toContainEqual(
				expect.stringMatching(
					new RegExp(`^R${at} {2,}the risk${at} number 0 .* {2,}the cure${at} number 0 .* {2,}Owner ${at}$`),
				),
			);
	});

	test.each(['top', 'middle', 'bottom'] as const)('is read row by row, with its cells aligned at the %s', (align) => {
		const found = words(register(align, lengths)).match(/R\d|Owner \d|(?:risk|cure)\d number 0/g) ?? [];
		expect(found.map((text) => Number(/\d/.exec(text)))).toEqual([0, 1, 2, 3, 4].flatMap((at) => Array(4).fill(at)));
	});

	test('stays together between columns of text', () => {
		const table = register('middle', lengths).map((one) => ({ ...one, y: one.y + 80 }));
		const above = [...column(prose('left', 9), 40, 40), ...column(prose('right', 9), 310, 40)];
		const read = lines([...above, ...table]);
		expect(read.findIndex((line) => line.includes('left number 8'))).toBeLessThan(
			read.findIndex((line) => line.includes('right number 0')),
		);
		expect(read).toContainEqual(expect.stringMatching(/^R2 .*Owner 2$/));
	});

	test('has a header line, even if text is close above', () => {
		const heads = row(['No', 'Risk', 'Cure', 'Owner'], [40, 70, 280, 490], 89);
		const above = {
			...item('A text that reaches across the page and ends right above', 40, 78),
			width: 515,
		};
		expect(lines([above, ...heads, ...register('top', lengths)])).toContainEqual(
			expect.stringMatching(/^No {2,}Risk {2,}Cure {2,}Owner$/),
		);
	});
});

test('does not include columns whose paragraphs end at different heights', () => {
	const paragraphs = (name: string, x: number, counts: readonly number[]) => {
		let y = 100;
		return counts.flatMap((count, at) => {
			const texts = column(prose(`${name}${at}`, count), x, y);
			y += count * 12 + 8;
			return texts;
		});
	};
	const read = words([...paragraphs('left', 40, [5, 3, 6]), ...paragraphs('right', 310, [3, 6, 4])]);
	expect(read.indexOf('left2 number 5')).toBeLessThan(read.indexOf('right0 number 0'));
});

describe('cells with narrow gaps', () => {
	test('are separated by two spaces when other lines confirm the column', () => {
		const sums = [
			[item('Subtotal', 400, 100), { ...item('88.50', 475, 100), width: 25 }],
			[item('VAT 20 %', 400, 114), { ...item('17.70', 475, 114), width: 25 }],
			[
				{ ...item('Total due to us', 400, 128), width: 72 },
				{ ...item('106.20', 475, 128), width: 25 },
			],
		].flat();
		const read = lines(sums);
		expect(read.map((line) => line.split(/ {2,}/))).toEqual([
			['Subtotal', '88.50'],
			['VAT 20 %', '17.70'],
			['Total due to us', '106.20'],
		]);
	});

	test('are words of one cell when only one line has the gap', () => {
		const read = lines([item('A short', 40, 100), item('line', 80, 100), item('Another one', 40, 114)]);
		expect(read[0]).toBe('A short line');
	});
});
