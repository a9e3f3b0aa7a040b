import { describe, expect, test } from 'vitest';
import { readRtf } from '../../../src/formats/office/rtf.ts';
import { pagesWith, readWith } from '../read-with.ts';

const rtf = (body: string) => Buffer.from(`{\\rtf1\\ansi\\ansicpg1252\\deff0 ${body}}`, 'latin1');
const text = async (body: string) => (await readWith(readRtf, rtf(body))).text;

describe('characters of RTF:', () => {
	test.each([
		['bytes of the code page', "caf\\'e9 \\'80", 'café €'],
		['Unicode with a fallback', '\\u1055?\\u1088?', 'Пр'],
		['Unicode with a longer fallback', "\\uc2\\u26085\\'93\\'fa!", '日!'],
		['Unicode without a fallback', '\\uc0\\u8211 x', '–x'],
		['Unicode beyond the first plane, as two halves', '\\u-10179?\\u-8704?', '😀'],
		['marks with names', 'a\\emdash b\\~c\\ldblquote d\\rdblquote', 'a—b c“d”'],
		['optional hyphens, which are not shown', 'hy\\-phen non\\_breaking', 'hyphen non-breaking'],
		['escaped braces', '\\{a\\}\\\\', '{a}\\'],
		['line breaks within a paragraph', 'a\\line b', 'a\nb'],
		['line ends of the file, which are nothing', 'a\r\nb', 'ab'],
	])('%s', async (_, body, expected) => {
		expect(await text(body)).toBe(expected);
	});

	test('have the charset of their font', async () => {
		const fonts = '{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Arial Cyr;}{\\f2\\fcharset128 MS Mincho;}}';
		expect(await text(`${fonts}\\'e9 {\\f1 \\'cf\\'f0} {\\f2 \\'93\\'fa\\'96{}\\'7b} \\'e9`)).toContain('é Пр 日');
	});
});

describe('the structure of RTF', () => {
	test('paragraphs are lines', async () => {
		expect(await text('one\\par two\\par\\par three')).toBe('one\n\ntwo\n\nthree');
	});

	test('headings have empty lines around them', async () => {
		const styles = '{\\stylesheet{\\s0 Normal;}{\\s3\\b heading 1;}}';
		expect(
			await text(`${styles}\\pard a\\par\\pard\\s3 Title\\par\\pard b\\par\\pard\\outlinelevel1 Next\\par c`),
		).toBe('a\n\nTitle\n\nb\n\nNext\n\nc');
	});

	test('table rows are lines, also when their cells have several', async () => {
		const row = (...cells: string[]) =>
			`\\trowd\\cellx100\\cellx200 ${cells.map((cell) => `\\pard\\intbl ${cell}\\cell`).join(' ')}\\row `;
		expect(await text(`before\\par ${row('a', 'b\\par b2')}${row('', 'd')}\\pard after`)).toBe(
			'before\n\n| a | b b2 |\n|  | d |\n\nafter',
		);
	});

	test('a nested table is text in its cell', async () => {
		const inner =
			'\\pard\\intbl\\itap2 x\\nestcell y\\nestcell{\\*\\nesttableprops\\trowd\\nestrow}{\\nonesttables\\par}';
		expect(await text(`\\trowd\\cellx9 ${inner}\\pard\\intbl z\\cell last\\cell\\row`)).toBe('| x y z | last |');
	});

	test('a row without an end is kept', async () => {
		expect(await text('\\trowd\\pard\\intbl a\\cell b\\cell\\pard after\\par')).toBe('| a | b |\n\nafter');
	});

	test('list items have their markers', async () => {
		const numbered = '{\\listtext 1.\\tab}first\\par';
		const bullet = "{\\listtext\\f1 \\'b7\\tab}second\\par";
		expect(await text(`${numbered}${bullet}`)).toBe('1. first\n- second');
	});

	test('page breaks and sections make pages', async () => {
		const body = 'one\\par\\page two\\sect\\sectd three\\sect\\sectd\\sbknone still three\\par\\pard\\pagebb four';
		expect(await pagesWith(readRtf, rtf(body))).toEqual(['one', 'two', 'three\n\nstill three', 'four']);
	});

	test('pages that are not requested are omitted', async () => {
		const content = await readWith(readRtf, rtf('a\\page b\\page c'), {
			pages: [{ first: 3, last: 3 }],
		});
		expect(content).toMatchObject({ pages: [{ page: 3, text: 'c' }], pageCount: 3 });
	});

	test('comments follow the text', async () => {
		const comment = '{\\*\\atnid A}{\\*\\atnauthor Ann}\\chatn{\\*\\annotation{\\*\\atnref 1}why?}';
		expect(await text(`word${comment} goes on`)).toBe('word goes on\n\nComment by Ann: why?');
	});

	test('notes are at the end of their page', async () => {
		const body = 'word{\\super\\chftn{\\footnote\\pard{\\super\\chftn} the note}} goes on\\par\\page next';
		expect(await pagesWith(readRtf, rtf(body))).toEqual(['word[1] goes on\n\n[1] the note', 'next']);
	});

	test('headers and footers appear once', async () => {
		const section = '{\\header Top\\par}{\\footer Bottom\\par}{\\headerf First\\par}{\\headerl Even\\par}';
		expect(await pagesWith(readRtf, rtf(`${section}one\\sect ${section}\\titlepg two`))).toEqual([
			'Top\n\nFirst\n\nEven\n\none',
			'two\n\nBottom',
		]);
	});

	test('a text box appears once, after its paragraph', async () => {
		const box = '{\\shp{\\*\\shpinst{\\sp{\\sn name}{\\sv value}}{\\shptxt boxed\\par}}{\\shprslt{\\*\\do boxed}}}';
		expect(await text(`before ${box}after\\par end`)).toBe('before after\n\nboxed\n\nend');
	});

	test('fields show their result', async () => {
		expect(await text('see {\\field{\\*\\fldinst HYPERLINK "http://a.b"}{\\fldrslt the page}} now')).toBe(
			'see the page now',
		);
	});

	test('hidden text is omitted', async () => {
		const hidden = [
			'{\\v hidden}',
			'{\\deleted gone}',
			'{\\*\\unknown text}',
			'{\\pict\\pngblip 89504e47}',
			'{\\*\\bkmkstart mark}',
			'{\\xe index}',
			'{\\object{\\*\\objdata 0105}}shown',
		];
		expect(await text(hidden.join(''))).toBe('shown');
	});

	test('binary data is skipped, even if it looks like RTF', async () => {
		expect(await text('a{\\pict\\bin5 }}{{\\}b')).toBe('ab');
	});

	test('a text in two encodings appears once', async () => {
		expect(await text('{\\upr{old}{\\*\\ud{new}}}')).toBe('old');
	});

	test('title, author and date are returned', async () => {
		const info = "{\\info{\\title A \\'e4}{\\author Ann}{\\operator Bo}{\\creatim\\yr2026\\mo3\\dy4\\hr5\\min6}}";
		const { metadata } = await readWith(readRtf, rtf(`${info}text`));
		expect(metadata).toEqual({ title: 'A ä', author: 'Ann', created: '2026-03-04T05:06:00.000Z' });
	});
});

describe('hostile RTF', () => {
	test.each([
		['groups that were not opened', '}'.repeat(200_000)],
		['many notes', '{\\footnote a}'.repeat(20_000)],
		['many boxes', '{\\shptxt a}'.repeat(20_000)],
		['a binary length beyond the end', '\\bin4000000000 '],
		['numbers out of range', '\\u99999999?\\uc-5\\f-9\\itap999 text\\cell'],
		['a control word without end', `\\${'a'.repeat(100_000)}`],
	])('with %s is read', async (_, body) => {
		const content = await readWith(readRtf, Buffer.from(`{\\rtf1 before \\par ${body}`));
		expect(content.text ?? content.pages?.[0]?.text).toMatch(/^before/);
	});

	test.each([
		['groups that are not closed', '{'.repeat(200_000), 'E_DOCUMENT_UNREADABLE'],
		['nested note groups', '{\\footnote a'.repeat(20_000), 'E_DOCUMENT_UNREADABLE'],
		['nested hidden groups', '{\\b\\v a'.repeat(20_000), 'E_DOCUMENT_UNREADABLE'],
		['too many pages', '\\page'.repeat(20_001), 'E_DOCUMENT_TOO_LARGE'],
	])('with %s is rejected', async (_, body, code) => {
		const reading = readWith(readRtf, Buffer.from(`{\\rtf1 before \\par ${body}`));
		await expect(reading).rejects.toMatchObject({ code });
	});

	test('is read up to where it was cut', async () => {
		const whole = rtf("first\\par {\\field{\\*\\fldinst X}{\\fldrslt second}} \\'e9\\u233? third");
		for (let length = 30; length < whole.length; length++) {
			const { text = '' } = await readWith(readRtf, whole.subarray(0, length));
			expect('first\nsecond éé third').toContain(text.trim().slice(0, 6));
		}
	});
});
