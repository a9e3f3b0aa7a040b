import { describe, expect, test } from 'vitest';
import { readHtml } from '../../../src/formats/office/html.ts';
import { readWith } from '../read-with.ts';

const read = async (html: string) => (await readWith(readHtml, html)).text;

describe('the text of HTML', () => {
	test('white space collapses as in a browser, and blocks are lines', async () => {
		expect(await read('Intro  <b>te</b>xt\n here<p>One\n\t two <i> three</i></p><div>Four</div>Five')).toBe(
			'Intro text here\n\nOne two three\n\nFour\n\nFive',
		);
	});

	test('headings have empty lines around them, and a line break starts a new line', async () => {
		expect(await read('a<h2>Head</h2>b<br>c<br><br>d')).toBe('a\n\nHead\n\nb\nc\n\nd');
	});

	test('missing end tags are supplied, and wrong ones are ignored', async () => {
		const html = '<p>One<p>Two<ul><li>a<li>b</ul></b></div><h1>H<h2>I</h3>J';
		expect(await read(html)).toBe('One\n\nTwo\n\n- a\n- b\n\nH\n\nI\n\nJ');
	});

	test('lists have bullets, numbers and indentation', async () => {
		const html = '<ol start=3><li>c<ul><li>x<li><p>y<p>z</ul><li value=27>d</ol>';
		expect(await read(html)).toBe('3. c\n  - x\n  - y\n    z\n27. d');
	});

	test('a list item without text has no bullet', async () => {
		expect(await read('<ul><li></li></ul>after')).toBe('after');
	});

	test('terms are followed by their definitions', async () => {
		expect(await read('<dl><dt>Term<dd>Meaning<dt>Other<dd>Thing</dl>')).toBe('Term\n  Meaning\n\nOther\n  Thing');
	});

	test('preformatted text keeps its white space', async () => {
		expect(await read('<pre>\n  a  b\n\n\tc &lt; d</pre>e')).toBe('  a  b\n\n\tc < d\n\ne');
	});

	test('hidden content is omitted', async () => {
		const html =
			'<style>a</style><script>"<p>b</p>"</script><template>c</template><noscript>d</noscript><p hidden>e</p><div style="color:red; display: none">f<div>g</div>h</div><dialog>i</dialog>seen';
		expect(await read(html)).toBe('seen');
	});

	test('the values of form fields are separated', async () => {
		const html =
			'<input value="a &lt; b"><input type=checkbox checked>yes<input type=radio>no<input type=hidden value=x><select><option>A<option selected>B</select><textarea>\nmore\nlines</textarea><button>Send</button>';
		expect(await read(html)).toBe('a < b [x] yes no A B more lines Send');
	});

	test('alternative texts are kept when they are descriptive', async () => {
		const html =
			'<img alt="Sales by year" src="data:image/png;base64,AAAA"><img alt=""><img alt="IMG_1.png"><img alt=image>';
		expect(await read(html)).toBe('[Sales by year]');
	});

	test('entities, soft hyphens and non-breaking spaces are converted to text', async () => {
		expect(await read('caf&eacute; &amp;amp; &#x1F600; so&shy;ft a&nbsp;&nbsp;b &unknown; &copy;')).toBe(
			'café &amp; 😀 soft a  b &unknown; ©',
		);
	});

	test('ruby and note references are separated from the text', async () => {
		expect(await read('<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>')).toBe('漢(kan)');
		expect(await read('word<sup><a href="#n">1</a></sup> m<sup>2</sup>')).toBe('word[1] m2');
	});

	test('a formula is converted to LaTeX', async () => {
		const html =
			'<math><mfrac><mi>a</mi><mrow><mn>2</mn><mi>b</mi></mrow></mfrac><mo>=</mo><msup><mi>c</mi><mn>2</mn></msup><annotation>no</annotation></math>';
		expect(await read(html)).toBe('\\frac{a}{2b}=c^2');
	});

	test('the internal text of drawings is omitted, and their labels are kept', async () => {
		expect(await read('<svg><title>hint</title><text>Axis</text></svg>')).toBe('Axis');
	});
});

describe('tables of HTML', () => {
	test('a row is a line', async () => {
		const html = '<table><caption>Fruit</caption><tr><th>Name<th>Price<tr><td>A<br>pple<td> 3 </table>after';
		expect(await read(html)).toBe('Fruit\n\n| Name | Price |\n| A pple | 3 |\n\nafter');
	});

	test('a merged cell has its text once, in its first place', async () => {
		const html =
			'<table><tr><th colspan=3>Big<tr><td rowspan=2>M<td>a<td>b<tr><td colspan=2>c<tr><td>1<td>2<td>3</table>';
		expect(await read(html)).toBe('| Big |  |  |\n| M | a | b |\n|  | c |  |\n| 1 | 2 | 3 |');
	});

	test('a layout table is read as text', async () => {
		const html = '<table><tr><td><h1>News</h1><p>Today<table><tr><td>x<td>y<tr><td>z<td>w</table></table>';
		expect(await read(html)).toBe('News\n\nToday\n\n| x | y |\n| z | w |');
	});

	test('columns without text are omitted', async () => {
		expect(await read('<table><tr><td>a<td><td>b<tr><td>c<td>&nbsp;<td>d</table>')).toBe('| a | b |\n| c | d |');
	});

	test('very large spans are ignored', async () => {
		expect(await read('<table><tr><td colspan=1000000000 rowspan=1e9>a<td>b<tr><td>c</table>')).toBe(
			'| a | b |\n| c |',
		);
	});
});

describe('an HTML file', () => {
	test('returns its title, author and date', async () => {
		const html = '<head><title>A &amp; B</title><meta name=author content=Jo></head>x';
		expect(await readWith(readHtml, html)).toEqual({
			mediaType: 'text/html',
			text: 'x',
			metadata: { title: 'A & B', author: 'Jo' },
		});
	});

	test.each(['gb2312', 'iso-8859-1', 'shift_jis'])(
		'is read as UTF-8 when its bytes are UTF-8 but it declares %s',
		async (charset) => {
			const html = `<meta charset=${charset}><p>Grüße, 你好世界`;
			expect((await readWith(readHtml, html)).text).toBe('Grüße, 你好世界');
		},
	);

	test.each(['constructor', '__proto__', 'x'.repeat(40)])(
		'is read although it declares the charset %s',
		async (charset) => {
			expect((await readWith(readHtml, `<meta charset=${charset}><p>naïve`)).text).toBe('naïve');
		},
	);

	test('is read in its declared charset', async () => {
		const html = Buffer.from('<meta charset="koi8-r"><p>\xf0\xf2\xe9\xf7\xe5\xf4', 'latin1');
		expect((await readWith(readHtml, html)).text).toBe('ПРИВЕТ');
	});

	test('is read as UTF-8 when its bytes are UTF-8 but it declares another charset', async () => {
		const html = '<meta http-equiv=content-type content="text/html; charset=iso-8859-1">naïve';
		expect((await readWith(readHtml, html)).text).toBe('naïve');
	});

	test('of type XHTML may have self-closing elements', async () => {
		const html =
			'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><p>seen <![CDATA[<too>]]></p></body></html>';
		expect(await read(html)).toBe('seen <too>');
	});
});

describe('hostile HTML', () => {
	test.each([
		['tables', '<table><tr><td>', 'deep'],
		['lists', '<ul><li>', `${'  '.repeat(12)}- deep`],
		['quotations', '<blockquote>', 'deep'],
		['links', '<a href=x><sup>', 'deep'],
		['choices', '<select><option>', 'deep'],
	])('%s nested 20,000 deep are read', async (_, tag, text) => {
		expect(await read(`${tag.repeat(20_000)}deep`)).toBe(text);
	});

	test('elements nested 100,000 deep are read', async () => {
		expect(await read(`${'<div>'.repeat(100_000)}deep`)).toBe('deep');
	}, 20_000);

	test('many unmatched end tags are read quickly', async () => {
		expect(await read(`<div>${'<section>'.repeat(20_000)}${'</div>'.repeat(50_000)}x`)).toBe('x');
	});

	test.each([
		['a comment without an end', `a<!--${'-'.repeat(1_000_000)}`, 'a'],
		['a script without an end', `a<script>${'</scrip'.repeat(100_000)}`, 'a'],
		['many attributes', `<p ${'a=1 b '.repeat(100_000)}>a`, 'a'],
	])('%s is read', async (_, html, text) => {
		expect(await read(html)).toBe(text);
	});

	test('merged cells do not exceed the text limit of a document', async () => {
		const html = `<table><tr>${'<td rowspan=65534>x'.repeat(1_000)}${'<tr><td>y'.repeat(10_000)}`;
		expect((await read(html))?.length).toBeLessThan(21_000_000);
	}, 20_000);
});
