import { describe, expect, test } from 'vitest';
import { pageText, type TextItem } from '../src/layout/page.ts';
import { column, item, prose, row } from './items.ts';

const lines = (items: readonly TextItem[]) => pageText(items).split('\n');
const words = (items: readonly TextItem[]) => pageText(items).replace(/\s+/g, ' ');

describe('columns of running text', () => {
	test('two columns follow each other', () => {
		const items = [...column(prose('left', 9), 40, 100), ...column(prose('right', 9), 310, 100)];
		expect(lines(items)).toEqual([...prose('left', 9), '', ...prose('right', 9)]);
	});

	test('three columns follow each other in any order of the items', () => {
		const texts = ['one', 'two', 'three'].map((name) => prose(name, 8).map((line) => line.slice(0, 36)));
		const items = texts.flatMap((list, at) => column(list, 20 + at * 192, 60)).reverse();
		expect(lines(items).filter(Boolean)).toEqual(texts.flat());
	});

	test('a heading across both columns stays between the parts above and below it', () => {
		const heading = 'A heading that is printed across both of the columns of the page';
		const text = words([
			...column(prose('first', 6), 40, 100),
			...column(prose('second', 6), 310, 100),
			item(heading, 130, 190),
			...column(prose('third', 6), 40, 220),
			...column(prose('fourth', 6), 310, 220),
		]);
		const places = ['first', 'second', 'A heading', 'third', 'fourth'].map((name) =>
			text.indexOf(`${name} number 0`) < 0 ? text.indexOf(name) : text.indexOf(`${name} number 0`),
		);
		expect(places).toEqual(places.toSorted((a, b) => a - b));
		expect(text.indexOf('first number 5')).toBeLessThan(text.indexOf('second number 0'));
	});

	test('a title above three columns comes first, even if it is as narrow as one', () => {
		const columns = ['one', 'two', 'three'].flatMap((name, at) =>
			column(
				prose(name, 8).map((line) => line.slice(0, 36)),
				20 + at * 192,
				100,
			),
		);
		const title = item('A narrow title', 265, 60);
		expect(lines([...columns, title])[0]?.trim()).toBe('A narrow title');
	});

	test('lines that do not align across the gutter are columns', () => {
		const items = [...column(prose('left', 9), 40, 100), ...column(prose('right', 9), 310, 105)];
		expect(lines(items).filter(Boolean)).toEqual([...prose('left', 9), ...prose('right', 9)]);
	});

	test('in a right-to-left text, the right column comes first', () => {
		const line = 'הטקסט הזה נכתב מימין לשמאל בשתי עמודות';
		const items = [...column(Array(6).fill(`${line} ב`), 40, 100), ...column(Array(6).fill(`${line} א`), 310, 100)];
		const text = words(items);
		expect(text.lastIndexOf('א ה')).toBeLessThan(text.indexOf('ב ה'));
	});
});

describe('tables and forms', () => {
	const xs = [40, 200, 420];

	test('keep their rows, with two or more spaces between cells', () => {
		const table = [
			['Country', 'Capital', 'Area'],
			['Czech Republic', 'Prague', '78,866'],
			['Finland', 'Helsinki', '338,424'],
		];
		const text = lines(table.flatMap((cells, at) => row(cells, xs, 100 + at * 14)));
		expect(text.map((line) => line.split(/ {2,}/))).toEqual(table);
		expect(new Set(text.map((line) => line.search(/Capital|Prague|Helsinki/))).size).toBe(1);
	});

	test('a wrapped cell continues below itself', () => {
		const text = lines([
			...row(['Tent', 'for two people, with a', '120.00'], xs, 100),
			...row(['', 'bag to carry it in', ''], xs, 112),
			...row(['Stove', 'gas', '35.00'], xs, 124),
		]);
		expect(text[0]).toMatch(/^Tent {2,}for two people, with a {2,}120\.00$/);
		expect(text[1]?.indexOf('bag')).toBe(text[0]?.indexOf('for'));
		expect(text[2]).toMatch(/^Stove {2,}gas {2,}35\.00$/);
	});

	test('long texts in cells that start on the same line are rows', () => {
		const cells = [0, 1, 2, 3].flatMap((at) => [
			...column([`the old rule ${at} said that everybody`, 'has to ask for it in writing first'], 40, 100 + at * 60),
			...column([`the new rule ${at} says that nobody`, 'ever has to ask for it in writing'], 320, 100 + at * 60),
		]);
		expect(lines(cells)[0]).toMatch(/^the old rule 0 .* {2,}the new rule 0/);
	});

	test('numbers are aligned by their last digit', () => {
		const right = (text: string, y: number) => item(text, 300 - text.length * 5, y);
		const text = lines([
			item('Wood', 40, 100),
			right('5', 100),
			item('Nails', 40, 114),
			right('1,250', 114),
			item('Paint', 40, 128),
			right('40', 128),
		]);
		expect(new Set(text.map((line) => line.length)).size).toBe(1);
	});

	test('a form keeps each value beside its label', () => {
		const text = lines([
			...row(['Name', 'Ada', 'Born'], [40, 90, 300], 100),
			item('1815', 340, 100),
			...row(['Town', 'London', 'Street'], [40, 90, 300], 120),
		]);
		expect(text[0]).toMatch(/^Name {2,}Ada {2,}Born {2,}1815$/);
	});

	test('an invoice keeps its sums beside their labels', () => {
		const text = lines([
			...column(['Seller', 'Wool and Sons', '1 High Street'], 40, 60),
			...column(['Buyer', 'The Corner Shop', '2 Low Road'], 330, 60),
			...row(['Scarf', '2', '9.50', '19.00'], [40, 250, 350, 480], 140),
			...row(['Total', '', '', '19.00'], [40, 250, 350, 480], 154),
		]);
		expect(text[1]).toMatch(/^Wool and Sons {2,}The Corner Shop$/);
		expect(text.at(-1)).toMatch(/^Total {2,}19\.00$/);
	});

	test('the dots before a page number are shortened', () => {
		const [line = ''] = lines([item(`Introduction ${'. '.repeat(60)}7`, 40, 100, 8)]);
		expect(line).toMatch(/^Introduction \.{5} +7$/);
	});

	test('a text wider than its column moves its neighbours and is not cut', () => {
		const wide = { ...item('a long text in narrow letters', 40, 100), width: 60 };
		const [long, short] = lines([wide, item('next', 140, 100), ...row(['a', 'b'], [40, 140], 114)]);
		expect(long).toMatch(/^a long text in narrow letters {2,}next$/);
		expect(short?.indexOf('b')).toBe(long?.indexOf('next'));
	});
});

describe('characters', () => {
	test('a superscript stays on its line', () => {
		expect(pageText([item('as Smith', 40, 100), item('12', 81, 100, 6), item('showed', 92, 100)])).toBe(
			'as Smith12 showed',
		);
	});

	test('superscripts in several cells of a row stay in their cells', () => {
		const [line] = lines([
			...row(['Area', '78,866', '83,871', '338,424'], [40, 140, 240, 340], 100),
			item('2', 271, 100, 6),
			item('3', 376, 100, 6),
		]);
		expect(line).toMatch(/^Area {2,}78,866 {2,}83,8712 {2,}338,4243$/);
	});

	test('a text that is printed twice to look bold appears once', () => {
		expect(pageText([item('Total', 40, 100), item('Total', 40.4, 100.2)])).toBe('Total');
	});

	test('equal texts in different positions all appear', () => {
		expect(words(column(['Yes', 'Yes', 'Yes'], 40, 100))).toBe('Yes Yes Yes');
	});

	test('right-to-left text is in reading order', () => {
		const text = pageText([item('עולם', 100, 100), item('שלום', 126, 100), item('2026', 70, 100)]);
		expect(text.trim()).toBe('שלום עולם  2026');
	});

	test('wide characters take two columns', () => {
		const wide = (text: string, y: number) => ({ ...item(text, 40, y), width: text.length * 10 });
		const text = lines([wide('東京都', 100), item('a', 200, 100), item('uvwxyz', 40, 114), item('b', 200, 114)]);
		expect(text[0]?.indexOf('a')).toBe((text[1]?.indexOf('b') ?? 0) - 3);
	});

	test('ligatures are expanded, and combining marks are composed', () => {
		expect(pageText([item('o\uFB03ce cafe\u0301 x²', 40, 100)])).toBe('office café x²');
	});
});

describe('pages', () => {
	test('an empty page is empty', () => {
		expect(pageText([])).toBe('');
	});

	test.each([90, 180, 270])('texts turned by %i degrees are read like upright text', (rotation) => {
		const upright = [...row(['Name', 'Age'], [40, 200], 100), ...row(['Ada', '36'], [40, 200], 114)];
		expect(pageText(upright.map((one) => ({ ...one, rotation })))).toBe(pageText(upright));
	});

	test('a stamp in the margin comes last', () => {
		const stamp = { text: 'arXiv:1234', x: 12, y: 300, width: 12, height: 90, rotation: 270 };
		expect(lines([stamp, ...column(prose('only', 4), 80, 280)])).toEqual([...prose('only', 4), '', 'arXiv:1234']);
	});

	test('the common margin is removed, indentation is kept, and paragraphs have one empty line between them', () => {
		const text = lines([item('First', 80, 100), item('deeper', 100, 112), item('Next', 80, 160)]);
		expect(text).toEqual(['First', '    deeper', '', 'Next']);
	});

	test('hanging lines of a justified column are aligned', () => {
		const hung = ['1. the first of them', 'goes on here', 'and here again', 'and ends here'];
		const items = hung.map((text, at) => ({
			...item(text, at === 0 ? 40 : 55, 100 + at * 12),
			width: at === 0 ? 160 : 145,
		}));
		const indents = lines(items).map((line) => line.length - line.trimStart().length);
		expect(new Set(indents.slice(1)).size).toBe(1);
	});

	test('a hyphen at the end of a line is kept', () => {
		expect(pageText(column(['a very in-', 'teresting word'], 40, 100))).toBe('a very in-\nteresting word');
	});

	test('an item without a position is omitted', () => {
		expect(pageText([item('here', 40, 100), { ...item('there', 40, 120), y: Number.NaN }])).toBe('here');
	});

	test('lines stay short on a page of any width', () => {
		const text = pageText([item('a', 10, 100), item('b', 99_000, 100), item('words here', 10, 120)]);
		expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(450);
	});

	test('20,000 items are laid out in linear time', () => {
		const items = Array.from({ length: 20_000 }, (_, at) =>
			item(`n${at}`, 10 + (at % 100) * 40, 10 + Math.floor(at / 100) * 12),
		);
		const text = pageText(items);
		expect(text.split('\n')).toHaveLength(200);
	});
});
