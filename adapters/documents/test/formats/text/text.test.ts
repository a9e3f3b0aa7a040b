import { describe, expect, test } from 'vitest';
import { readText } from '../../../src/formats/text/text.ts';
import { tidyText } from '../../../src/tidy.ts';
import { pagesWith, readWith } from '../read-with.ts';

const read = (text: string | Uint8Array) => readWith(readText, text);

describe('a text document', () => {
	test.each([
		['text/plain', '# Settings\n\nname = value\nlevel = 3\n'],
		['text/plain', 'const a = [1,2,3];\nconst b = [4,5,6];\n'],
		['application/json', '{"b": 1,  "a": [true, null]}'],
		['application/xml', '<?xml version="1.0"?>\n<a  b="c">text</a>\n'],
	])('of type %s is returned unchanged', async (mediaType, text) => {
		expect(await read(text)).toEqual({ mediaType, text });
	});

	test('with form feeds has pages', async () => {
		expect(await pagesWith(readText, 'one\n\ftwo\n\f\fafter an empty one\n\f')).toEqual([
			'one\n',
			'two\n',
			'',
			'after an empty one\n',
		]);
	});

	test('has the requested pages and the count of all pages', async () => {
		const content = await readWith(readText, 'a\fb\fc', { pages: [{ first: 2, last: 9 }] });
		expect(content.pages?.map(({ page }) => page)).toEqual([2, 3]);
		expect(content.pageCount).toBe(3);
	});

	test('from a terminal or a man page has no escape codes', async () => {
		const { text } = await read('\x1b[1;31merror\x1b[0m: N\bNA\bAM\bME\bE _\bx\n');
		expect(text).toBe('error: NAME x\n');
	});

	test('with only form feeds is read quickly', async () => {
		expect(await read(`${'\f'.repeat(150_000)}x`)).toMatchObject({ mediaType: 'text/plain' });
	});

	test('with 100,000 levels of nesting is read', async () => {
		const deep = '['.repeat(100_000) + ']'.repeat(100_000);
		expect((await read(deep)).text).toBe(deep);
	});
});

describe('Markdown', () => {
	const markdown = [
		'---\ntitle: Report\n---\n',
		'# Sales *now*\n',
		'Some **bold** and `code` with [a link](https://example.com/a), ![Sales by year](x.png) and 2 * 3 * 4.\n',
		'- one\n- two\n  1. nested\n',
		'> said\n',
		'| a | b |\n|---|--:|\n| 1 | 2 |\n',
		'```js\nconst a = 1; // # x\n```\n',
		'Costs $5, \\*not* more.\n',
	].join('\n');

	test('is returned as text without its markup', async () => {
		const { mediaType, text = '' } = await read(markdown);
		expect(mediaType).toBe('text/markdown');
		expect(tidyText(text)).toBe(
			[
				'Sales now',
				'Some bold and code with a link, [Sales by year] and 2 * 3 * 4.',
				'- one\n- two\n  1. nested',
				'said',
				'| a | b |\n| 1 | 2 |',
				'const a = 1; // # x',
				'Costs $5, *not* more.',
			].join('\n\n'),
		);
	});

	test('is unchanged when Markdown is requested', async () => {
		expect(await readWith(readText, markdown, { format: 'markdown' })).toEqual({
			mediaType: 'text/markdown',
			text: markdown,
		});
	});

	test('is unchanged when it is long', async () => {
		const long = `${markdown}\n${'*word* '.repeat(80_000)}`;
		expect((await read(long)).text).toBe(long);
	});
});

describe('a delimited table', () => {
	test.each([
		[',', 'text/csv'],
		[';', 'text/csv'],
		['|', 'text/csv'],
		['\t', 'text/tab-separated-values'],
	])('with the delimiter %j is returned with TABs', async (delimiter, mediaType) => {
		const rows = [
			['Name', 'Town', 'Sum'],
			['Ann', 'Oslo', '1.50'],
			['Bo', 'Rome', '2.75'],
		];
		const content = await read(rows.map((row) => row.join(delimiter)).join('\r\n'));
		expect(content).toEqual({ mediaType, text: rows.map((row) => row.join('\t')).join('\n') });
	});

	test('may have delimiters, line breaks and quotes within quotes', async () => {
		const { text } = await read('name,note,n\n"Ann, B.","two\nlines",1\n"say ""yes""",,2\n');
		expect(text).toBe('name\tnote\tn\nAnn, B.\ttwo lines\t1\nsay "yes"\t\t2\n');
	});

	test('omits empty values at the end of a row and keeps empty rows inside', async () => {
		expect((await read('a,b,c\n1,,\n,,\n,2,3\n4,5,6')).text).toBe('a\tb\tc\n1\n\n\t2\t3\n4\t5\t6');
	});

	test('keeps its rows when a quote is not closed', async () => {
		const { text } = await read('name,size\npipe,"2 inch\nrod,3\nbar,4\n');
		expect(text?.split('\n').slice(1, 3)).toEqual(['pipe\t"2 inch', 'rod\t3']);
	});

	test.each([
		['with a head', 'Name;Sum;Share\n', 'Ann;1,50;2,25 %\n', 'Ann\t1,50\t2,25 %'],
		['without a head', '', '1,50;2,25;3,75\n', '1,50\t2,25\t3,75'],
		['of names', 'Name;Town\n', 'Doe, Ann, Dr.;Oslo\n', 'Doe, Ann, Dr.\tOslo'],
	])('keeps the commas within its values when it is one %s', async (_, head, row, shown) => {
		const { text } = await read(head + row.repeat(30));
		expect(text?.split('\n').at(-2)).toBe(shown);
	});

	test('may have spaces before its quotes', async () => {
		const { text } = await read('id, name, n\n1, "Doe, Ann", 2\n2, "Roe, ""Bo""", 3\n3, x, 4\n');
		expect(text).toBe('id\tname\tn\n1\tDoe, Ann\t2\n2\tRoe, "Bo"\t3\n3\tx\t4\n');
	});

	test('may declare its delimiter in the first line', async () => {
		expect((await read('sep=;\na;b\n1;2\n')).text).toBe('a\tb\n1\t2\n');
	});

	test('is a table in Markdown', async () => {
		const { text } = await readWith(readText, 'a,b\n1,"x|y"\n\n2,\n', { format: 'markdown' });
		expect(text).toBe('| a | b |\n| --- | --- |\n| 1 | x\\|y |\n| 2 |  |');
	});

	test('may omit values at the end of rows', async () => {
		const { mediaType } = await read('a,b,c,d\n1,2,3,4\n1,2,3\n1,2,3\n');
		expect(mediaType).toBe('text/csv');
	});
});
