import { describe, expect, test } from 'vitest';
import { pageText, type TextItem } from '../src/layout/page.ts';
import { column, item, prose, row } from './items.ts';

const words = (items: readonly TextItem[]) => pageText(items).replace(/\s+/g, ' ');
const inOrder = (text: string, parts: readonly string[]) => {
	const places = parts.map((part) => text.indexOf(part));
	expect(places).not.toContain(-1);
	expect(places).toEqual(places.toSorted((a, b) => a - b));
};

describe('text beside a column', () => {
	const text = prose('story', 14);

	test('terms stay on the line of their definitions', () => {
		const terms = [0, 3, 6, 9].map((at) => item(`Term${at}`, 40, 100 + at * 12));
		const texts = text.slice(0, 12).map((line, at) => (at % 3 === 0 ? `A${line}` : line));
		const lines = pageText([...terms, ...column(texts, 200, 100)]).split('\n');
		expect(lines.filter((line) => /^Term\d {2,}Athe story/.test(line))).toHaveLength(4);
	});

	test('amounts stay on the line of wrapped descriptions', () => {
		const lines = text.map((line, at) => (at % 2 === 0 ? `N${line}` : line));
		const amounts = lines.flatMap((_, at) => (at % 2 === 0 ? [item(`${at}.10`, 480, 100 + at * 12)] : []));
		const read = pageText([...column(lines, 40, 100), ...amounts]).split('\n');
		expect(read.filter((line) => /^Nthe story number \d+ .* {2,}\d+\.10$/.test(line))).toHaveLength(7);
	});
});

describe('columns', () => {
	test('of numbered questions follow each other, however their lines align', () => {
		const questions = (from: number) =>
			[0, 1, 2, 3, 4, 5].flatMap((at) => [`${from + at}. Which of these?`, 'A) ash', 'B) oak', 'C) elm']);
		const read = words([...column(questions(1), 40, 100), ...column(questions(7), 320, 100)]);
		inOrder(read, ['1. Which', '6. Which', '7. Which', '12. Which']);
	});

	test('of an index follow each other', () => {
		const entries = [
			['apple, green 12', 'barley, early 40', 'cedar, old 7', 'daisy, wild 3', 'elder, black 55'],
			['fern, tall 8', 'grape, sweet 91', 'hazel, brown 4', 'iris, blue 13', 'juniper, low 6'],
		] as const;
		const read = words([...column(entries[0], 40, 100), ...column(entries[1], 300, 100)]);
		inOrder(read, ['apple', 'elder', 'fern', 'juniper']);
	});

	test('of paragraphs that start on the same lines are not table rows', () => {
		const paragraphs = (name: string, x: number) =>
			[0, 1, 2].flatMap((at) => column(prose(`${name}${at}`, 5), x, 100 + at * 72));
		inOrder(words([...paragraphs('left', 40), ...paragraphs('right', 310)]), [
			'left0 number 0',
			'left2 number 4',
			'right0 number 0',
		]);
	});

	test('do not break a running head above them', () => {
		const head = [item('Annual report', 40, 40), item('Page 7', 500, 40)];
		const body = [...column(prose('left', 9), 40, 80), ...column(prose('right', 9), 310, 80)];
		expect(pageText([...head, ...body]).split('\n')[0]).toMatch(/^Annual report {2,}Page 7$/);
	});

	test('do not break the rows of a table above or below them', () => {
		const table = [0, 1, 2, 3].flatMap((at) =>
			row([`part ${at}`, 'of oak', `${at}12`, `${at}.40`], [40, 150, 320, 480], 200 + at * 18),
		);
		const body = [80, 300].flatMap((y, at) => [
			...column(prose(`left${at}`, 8), 40, y),
			...column(prose(`right${at}`, 8), 310, y),
		]);
		const read = pageText([...body, ...table]);
		expect(read).toMatch(/^part 2 {2,}of oak {2,}212 {2,}2\.40$/m);
		inOrder(read, ['left0 number 7', 'right0 number 0', 'part 0', 'left1 number 0', 'right1 number 0']);
	});

	test('end before the heading of the text below them', () => {
		const below = ['A text that reaches across both columns of the page and says so', 'at length'];
		const read = words([
			...column(prose('left', 8), 40, 80),
			...column(prose('right', 8), 310, 80),
			item('A short heading', 40, 200),
			...below.map((line, at) => ({ ...item(line, 40, 214 + at * 12), width: 500 })),
		]);
		inOrder(read, ['left number 7', 'right number 7', 'A short heading', 'A text that']);
	});
});
