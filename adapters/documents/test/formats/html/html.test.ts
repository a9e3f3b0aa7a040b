import { describe, expect, test } from 'vitest';
import { htmlText, readHtml } from '../../../src/formats/html/read.ts';
import { readWith } from '../read-with.ts';

const read = (html: string) => htmlText(html).text;

describe('the text of HTML', () => {
	test('white space collapses as in a browser, and blocks are lines', () => {
		expect(read('Intro  <b>te</b>xt\n here<p>One\n\t two <i> three</i></p><div>Four</div>Five')).toBe(
			'Intro text here\n\nOne two three\n\nFour\nFive',
		);
	});

	test('headings have empty lines around them, and a line break is one', () => {
		expect(read('a<h2>Head</h2>b<br>c<br><br>d')).toBe('a\n\nHead\n\nb\nc\n\nd');
	});

	test('end tags that are missing are supplied, and wrong ones ignored', () => {
		const html = '<p>One<p>Two<ul><li>a<li>b</ul></b></div><h1>H<h2>I</h3>J';
		expect(read(html)).toBe('One\n\nTwo\n\n- a\n- b\n\nH\n\nI\n\nJ');
	});

	test('lists are marked, counted and nested', () => {
		const html =
			'<ol start=3 type=a><li>c<ul><li>x<li><p>y<p>z</ul><li value=27>d</ol><ol reversed start=2><li>two<li>one</ol>';
		expect(read(html)).toBe('c. c\n  - x\n  - y\n    z\naa. d\n\n2. two\n1. one');
	});

	test('an item without text leaves no mark behind', () => {
		expect(read('<ul><li></li></ul>after')).toBe('after');
	});

	test('terms are followed by what they mean', () => {
		expect(read('<dl><dt>Term<dd>Meaning<dt>Other<dd>Thing</dl>')).toBe('Term\n  Meaning\nOther\n  Thing');
	});

	test('preformatted text keeps its blanks and lines', () => {
		expect(read('<pre>\n  a  b\n\n\tc &lt; d</pre>e')).toBe('  a  b\n\n\tc < d\n\ne');
	});

	test('what is not shown is left out', () => {
		const html =
			'<style>a</style><script>"<p>b</p>"</script><template>c</template><noscript>d</noscript><p hidden>e</p><div style="color:red; display: none">f<div>g</div>h</div><dialog>i</dialog>seen';
		expect(read(html)).toBe('seen');
	});

	test('forms show what is filled in', () => {
		const html =
			'<input value=Ann><input type=hidden value=no><input type=password value=no><input type=checkbox checked>yes<input type=radio>no<select><option>A<option selected>B</select><select><option>first<option>second</select><textarea>\nmore\nlines</textarea><button>Send</button>';
		expect(read(html)).toBe('Ann [x] yes [ ] no B first more\nlines Send');
	});

	test('alternative texts are kept where they say something', () => {
		const html =
			'<img alt="Sales by year" src="data:image/png;base64,AAAA"><img alt=""><img alt="IMG_1.png"><img alt=image>';
		expect(read(html)).toBe('[Sales by year]');
	});

	test('entities, soft hyphens and hard blanks are what they look like', () => {
		expect(read('caf&eacute; &amp;amp; &#x1F600; so&shy;ft a&nbsp;&nbsp;b &unknown; &copy')).toBe(
			'café &amp; 😀 soft a  b &unknown; ©',
		);
	});

	test('quotations, ruby and signs of notes are set apart', () => {
		expect(read('<q>so</q> <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>')).toBe('“so” 漢(kan)');
		expect(read('word<sup><a href="#n">1</a></sup> m<sup>2</sup>')).toBe('word[1] m2');
	});

	test('a formula is one line', () => {
		const html =
			'<math><mfrac><mi>a</mi><mrow><mn>2</mn><mi>b</mi></mrow></mfrac><mo>=</mo><msup><mi>c</mi><mn>2</mn></msup><annotation>\\frac</annotation></math>';
		expect(read(html)).toBe('a/2b=c^2');
	});

	test('hints of drawings are left out, and their labels kept', () => {
		expect(read('<svg><title>hint</title><defs>d</defs><text>Axis</text></svg>')).toBe('Axis');
	});
});

describe('tables of HTML', () => {
	test('a row is a line', () => {
		const html = '<table><caption>Fruit</caption><tr><th>Name<th>Price<tr><td>A<br>pple<td> 3 </table>after';
		expect(read(html)).toBe('Fruit\n\n| Name | Price |\n| A pple | 3 |\n\nafter');
	});

	test('merged cells come once, in their place', () => {
		const html =
			'<table><tr><th colspan=3>Big<tr><td rowspan=2>M<td>a<td>b<tr><td colspan=2>c<tr><td>1<td>2<td>3</table>';
		expect(read(html)).toBe('| Big | | |\n| M | a | b |\n| | c | |\n| 1 | 2 | 3 |');
	});

	test('a table that only places text is read as text', () => {
		const html = '<table><tr><td><h1>News</h1><p>Today<table><tr><td>x<td>y<tr><td>z<td>w</table></table>';
		expect(read(html)).toBe('News\n\nToday\n\n| x | y |\n| z | w |');
	});

	test('cells without a table are one', () => {
		expect(read('<tr><td>a<td>b<tr><td>c<td>d')).toBe('| a | b |\n| c | d |');
	});

	test('columns without any text are left out', () => {
		expect(read('<table><tr><td>a<td><td>b<tr><td>c<td>&nbsp;<td>d</table>')).toBe('| a | b |\n| c | d |');
	});

	test('spans beyond all measure make no difference', () => {
		expect(read('<table><tr><td colspan=1000000000 rowspan=1e9>a<td>b<tr><td>c</table>')).toBe('| a | b |\n| c | |');
	});
});

describe('an HTML file', () => {
	test('tells its title, author and time', async () => {
		const html =
			'<head><title>A &amp; B</title><meta name=author content=Jo><meta property="article:published_time" content="2024-02-03T04:05:06Z"></head>x';
		expect(await readWith(readHtml, html)).toEqual({
			mediaType: 'text/html',
			text: 'x',
			metadata: { title: 'A & B', author: 'Jo', created: '2024-02-03T04:05:06.000Z' },
		});
	});

	test('links that are signs of notes are set in brackets', () => {
		const html =
			'one<a href="#a" epub:type="noteref">1</a> two<a href="#b" role="doc-noteref"><sup>2</sup></a> <a href="#c">3</a>';
		expect(read(html)).toBe('one[1] two[2] 3');
	});

	test.each(['gb2312', 'iso-8859-1', 'shift_jis'])('is read as UTF-8 when it is that and says %s', async (charset) => {
		const html = `<meta charset=${charset}><p>Grüße, 你好世界`;
		expect((await readWith(readHtml, html)).text).toBe('Grüße, 你好世界');
	});

	test.each(['constructor', '__proto__', 'x'.repeat(40)])('is read though it declares %s', async (charset) => {
		expect((await readWith(readHtml, `<meta charset=${charset}><p>naïve`)).text).toBe('naïve');
	});

	test('is read in the charset that it declares', async () => {
		const html = Buffer.from('<meta charset="koi8-r"><p>\xf0\xf2\xe9\xf7\xe5\xf4', 'latin1');
		expect((await readWith(readHtml, html)).text).toBe('ПРИВЕТ');
	});

	test('is read as UTF-8 where it is that and says otherwise', async () => {
		const html = '<meta http-equiv=content-type content="text/html; charset=iso-8859-1">naïve';
		expect((await readWith(readHtml, html)).text).toBe('naïve');
	});

	test('of XHTML has elements that end where they begin', () => {
		const html =
			'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><p>seen <![CDATA[<too>]]></p></body></html>';
		expect(read(html)).toBe('seen <too>');
	});
});

describe('hostile HTML', () => {
	test.each([
		['tables', '<table><tr><td>', 'deep'],
		['lists', '<ul><li>', `${'  '.repeat(12)}- deep`],
		['quotations', '<blockquote>', `${'  '.repeat(12)}deep`],
		['links', '<a href=x><sup>', '[deep]'],
		['choices', '<select><option>', 'deep'],
	])('%s nested 20,000 deep are read', (_, tag, text) => {
		expect(read(`${tag.repeat(20_000)}deep`)).toBe(text);
	});

	test('elements nested 100,000 deep are read', () => {
		expect(read(`${'<div>'.repeat(100_000)}deep`)).toBe('deep');
	});

	test('end tags that end nothing do not take long together', () => {
		expect(read(`<div>${'<section>'.repeat(20_000)}${'</div>'.repeat(50_000)}x`)).toBe('x');
	});

	test.each([
		['an attribute without an end', `a<p title="${'x'.repeat(1_000_000)}`, 'a'],
		['a comment without an end', `a<!--${'-'.repeat(1_000_000)}`, 'a'],
		['a script without an end', `a<script>${'</scrip'.repeat(100_000)}`, 'a'],
		['many attributes', `<p ${'a=1 b '.repeat(100_000)}>a`, 'a'],
		['numbers of items out of reach', '<ol start=1e308><li value=99999999999999999999>a', '1. a'],
	])('%s is no trouble', (_, html, text) => {
		expect(read(html)).toBe(text);
	});

	test('no more text comes from merged cells than a document may give', () => {
		const html = `<table><tr>${'<td rowspan=65534>x'.repeat(1_000)}${'<tr><td>y'.repeat(60_000)}`;
		expect(read(html).length).toBeLessThan(21_000_000);
	});
});
