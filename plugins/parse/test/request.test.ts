import { createHash } from 'node:crypto';
import { errorOf, jsonOf } from '@plinth/testing';
import type { DocumentText } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { resultsOf, sent, textsOf } from './documents.ts';
import { harness, pagesOf, textOf } from './harness.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const words = 'Some words that take more than a line. '.repeat(5);
const long = 'A long line of text that is repeated. '.repeat(3_000);

describe('a document in JSON', () => {
	it.each([
		['a data URL', `data:application/pdf;base64,${base64('hello')}`, 'hello'],
		['a data URL without a media type', `data:;base64,${base64('hello')}`, 'hello'],
		['parameters', `data:text/plain;charset=utf-8;name="a b";base64,${base64('hello')}`, 'hello'],
		['capitals', `DATA:Text/Plain;BASE64,${base64('hello')}`, 'hello'],
		['the alphabet of URLs', `data:;base64,${Buffer.from('??>>~~').toString('base64url')}`, '??>>~~'],
		['lines of base64', `data:;base64,\r\n aGVs\r\n\tbG8= \n`, 'hello'],
		['a data URL that is not base64', 'data:text/plain,one%20two%0Athr%C3%A9%e9%', 'one two\nthré\ufffd%'],
		['characters that need not be encoded', 'data:,naïve text', 'naïve text'],
		['base64 alone', base64('hello'), 'hello'],
		['base64 alone, in lines', `${base64('hello')}\n`, 'hello'],
		['base64 alone, without padding', base64('hello').replace('=', ''), 'hello'],
		['base64 alone, of the alphabet of URLs', Buffer.from('??>>~~').toString('base64url'), '??>>~~'],
		['base64 alone, in lines of MIME', base64(words).replace(/.{76}/g, '$&\r\n'), words],
		['a long data URL', `data:application/pdf;base64,${base64(long)}`, long],
		['long base64 alone', base64(long), long],
		[
			'long base64 of the alphabet of URLs, in lines',
			Buffer.from(long).toString('base64url').replace(/.{76}/g, '$&\r\n'),
			long,
		],
		['a long data URL that is not base64', `data:text/plain,${encodeURIComponent(long)}`, long],
	])('may be sent as %s', async (_, url, content) => {
		const { calls, parse } = await harness();
		expect((await parse({ files: [{ url }] })).status).toBe(200);
		expect(calls.map((call) => call.content)).toEqual([content]);
	});

	it('is written to a file with its hash when it is long', async () => {
		const { calls, parse } = await harness({ concurrency: 1 });
		await parse({ files: [sent(long), sent('short'), { url: base64(`${long}!`) }] });
		const hash = (text: string) => createHash('sha256').update(text).digest('hex');
		expect(calls.map(({ document }) => document)).toEqual([
			{ path: expect.any(String), sha256: hash(long) },
			expect.any(Uint8Array),
			{ path: expect.any(String), sha256: hash(`${long}!`) },
		]);
	});

	it('is not a URL of another kind', async () => {
		const { calls, parse } = await harness();
		for (const url of ['https://example.org/a.pdf', 'file:///etc/passwd', 'C:\\a.pdf', `blob:${long}`]) {
			expect(await errorOf(await parse({ files: [sent('good'), { url }] }))).toMatchObject({
				status: 400,
				code: 'invalid_value',
				param: 'files[1].url',
				message: expect.stringContaining('not fetched'),
			});
		}
		expect(calls).toEqual([]);
	});

	it.each([
		['words', 'not a url'],
		['blanks', ' \n '],
		['a word with bits beyond its last byte', 'helloworld'],
		['a name', 'report.pdf'],
		['base64 with a blank', 'aGVs bG8='],
		['base64 with too much padding', 'aGVsbG8=='],
		['base64 with a character too many', 'aGVsb'],
		['uneven lines', 'aGVs\nbG8gd29y\nbGQ='],
	])('is rejected when it is neither a data URL nor base64: %s', async (_, url) => {
		const { calls, parse } = await harness();
		expect(await errorOf(await parse({ files: [sent('good'), { url }] }))).toMatchObject({
			status: 400,
			code: 'invalid_value',
			param: 'files[1].url',
			message: expect.stringContaining('data URL'),
		});
		expect(calls).toEqual([]);
	});

	it.each([
		['no files', {}, 'missing_required_parameter', 'files'],
		['files that are null', { files: null }, 'missing_required_parameter', 'files'],
		['an empty list', { files: [] }, 'missing_required_parameter', 'files'],
		['a text for files', { files: 'a.pdf' }, 'invalid_type', 'files'],
		['an object for files', { files: sent('x') }, 'invalid_type', 'files'],
		['a number for a file', { files: [sent('x'), 5] }, 'invalid_type', 'files[1]'],
		['a list for a file', { files: [[]] }, 'invalid_type', 'files[0]'],
		['no url', { files: [sent('x'), { filename: 'a' }] }, 'missing_required_parameter', 'files[1].url'],
		['an empty url', { files: [{ url: '' }] }, 'missing_required_parameter', 'files[0].url'],
		['a number for url', { files: [{ url: 5 }] }, 'invalid_type', 'files[0].url'],
		['a number for filename', { files: [sent('x', { filename: 1 })] }, 'invalid_type', 'files[0].filename'],
		['a list for media_type', { files: [sent('x', { media_type: [] })] }, 'invalid_type', 'files[0].media_type'],
		['a file_id', { files: [{ file_id: 'file-1' }] }, 'unsupported_value', 'files[0].file_id'],
		['a file_id beside url', { files: [sent('x', { file_id: 'file-1' })] }, 'invalid_value', 'files[0]'],
		['65 files', { files: Array(65).fill(sent('x')) }, 'invalid_value', 'files'],
		['pages that are no text', { files: [sent('x')], pages: 3 }, 'invalid_type', 'pages'],
		['max_chars of nothing', { files: [sent('x')], max_chars: 0 }, 'integer_below_min_value', 'max_chars'],
		[
			'max_chars beyond the limit',
			{ files: [sent('x')], max_chars: 20_000_001 },
			'integer_above_max_value',
			'max_chars',
		],
		['max_chars that is no integer', { files: [sent('x')], max_chars: 1.5 }, 'invalid_type', 'max_chars'],
		['an unknown ocr', { files: [sent('x')], ocr: 'on' }, 'invalid_value', 'ocr'],
		['an unknown format', { files: [sent('x')], format: 'html' }, 'invalid_value', 'format'],
	])('is rejected with %s', async (_, body, code, param) => {
		const { calls, parse } = await harness();
		expect(await errorOf(await parse(body))).toMatchObject({ status: 400, code, param });
		expect(calls).toEqual([]);
	});

	it('may have labels, nulls and unknown members', async () => {
		const { parse } = await harness();
		const labels = { filename: 'ä/b.docx', media_type: 'text/html', file_id: null, odd: 1 };
		const body = {
			files: [sent('x', labels), sent('y', { filename: null, media_type: null })],
			pages: null,
			ocr: null,
			max_chars: null,
			model: 'any',
		};
		const results = await resultsOf(await parse(body));
		expect(results.map(({ filename, media_type: type }) => [filename, type])).toEqual([
			['ä/b.docx', 'application/pdf'],
			[undefined, 'application/pdf'],
		]);
	});
});

describe('a request', () => {
	it('may have large documents, but little other text', async () => {
		const { parse } = await harness();
		const filename = 'n'.repeat(8_388_608);
		const error = await errorOf(await parse({ files: [sent('x', { filename })] }));
		expect(error).toMatchObject({ status: 413, code: 'request_too_large' });
	});
});

describe('a document in a form', () => {
	type Part = readonly [name: string, content: string, filename?: string];
	const form = (parts: readonly Part[]) => {
		const data = new FormData();
		for (const [name, content, filename] of parts) {
			if (filename === undefined) data.append(name, content);
			else data.append(name, new Blob([content]), filename);
		}
		return data;
	};

	it.each<readonly [string, readonly Part[]]>([
		[
			'files',
			[
				['files', 'one', 'a'],
				['files', 'two', 'b'],
			],
		],
		[
			'files[]',
			[
				['files[]', 'one', 'a'],
				['files[]', 'two', 'b'],
			],
		],
		[
			'files[0] and files[1]',
			[
				['files[0]', 'one', 'a'],
				['files[1]', 'two', 'b'],
			],
		],
		[
			'file, twice',
			[
				['file', 'one', 'a'],
				['file', 'two', 'b'],
			],
		],
		[
			'file and files',
			[
				['file', 'two', 'b'],
				['files', 'one', 'a'],
			],
		],
	])('may be named %s', async (_, parts) => {
		const { parse } = await harness();
		const results = await resultsOf(await parse(form(parts)));
		expect(results.map(({ filename, content }) => [filename, content.pages?.[0]?.text])).toEqual([
			['a', 'one'],
			['b', 'two'],
		]);
	});

	it('has its options as fields', async () => {
		const { calls, parse } = await harness();
		const answer = await parse(
			form([
				['file', 'hello', 'a'],
				['pages', '2,4-6'],
				['max_chars', '3'],
				['ocr', 'off'],
				['format', 'markdown'],
			]),
		);
		expect(await textsOf(answer)).toEqual(['hel']);
		expect(calls[0]?.options).toEqual({
			pages: [
				{ first: 2, last: 2 },
				{ first: 4, last: 6 },
			],
			ocr: 'off',
			format: 'markdown',
		});
	});

	it('needs at least one file', async () => {
		const { parse } = await harness();
		expect(await errorOf(await parse(form([['files', 'no file']])))).toMatchObject({
			status: 400,
			param: 'files',
		});
		expect(await errorOf(await parse(form([['pages', '1']])))).toMatchObject({
			status: 400,
			param: 'files',
		});
	});
});

describe('pages', () => {
	it.each([
		['3', [[3, 3]]],
		[
			'1-5,8',
			[
				[1, 5],
				[8, 8],
			],
		],
		[
			' 8 , 1 - 5 ',
			[
				[1, 5],
				[8, 8],
			],
		],
		['7,3-9,1,2', [[1, 9]]],
		['1,1,1', [[1, 1]]],
		['2-4,6-8,5', [[2, 8]]],
		['999999', [[999_999, 999_999]]],
	])('%s are read in ascending order, each once', async (pages, ranges) => {
		const { calls, parse } = await harness();
		expect((await parse({ files: [sent('x')], pages })).status).toBe(200);
		expect(calls[0]?.options?.pages?.map(({ first, last }) => [first, last])).toEqual(ranges);
	});

	it.each([
		'',
		' ',
		'0',
		'-1',
		'1-',
		'-',
		'a',
		'1,',
		',1',
		'1--2',
		'1-2-3',
		'5-3',
		'01',
		'1.5',
		'1000000',
		'1;2',
		'٣',
		'1\n2',
	])('%j are rejected', async (pages) => {
		const { parse } = await harness();
		const error = await errorOf(await parse({ files: [sent('x')], pages }));
		expect(error).toMatchObject({ status: 400, code: 'invalid_value', param: 'pages' });
	});

	it('may have at most 200 ranges', async () => {
		const { calls, parse } = await harness();
		const odd = (count: number) => Array.from({ length: count }, (_, index) => 2 * index + 1).join();
		expect((await parse({ files: [sent('x')], pages: odd(200) })).status).toBe(200);
		expect(calls[0]?.options?.pages).toHaveLength(200);
		const error = await errorOf(await parse({ files: [sent('x')], pages: odd(201) }));
		expect(error).toMatchObject({ status: 400, code: 'invalid_value', param: 'pages' });
	});

	it('are not parsed in a long text', async () => {
		const { parse } = await harness();
		const error = await errorOf(await parse({ files: [sent('x')], pages: '1,'.repeat(2_000) }));
		expect(error).toMatchObject({ status: 400, code: 'string_above_max_length', param: 'pages' });
	});
});

describe('pages that a document does not have', () => {
	const empty: DocumentText = { ...pagesOf('a', 'b', 'c'), pages: [] };

	it('cause a warning with the number of its pages', async () => {
		const h = await harness();
		h.read = async ({ content }) => (content === 'x' ? empty : pagesOf('i'));
		const { warnings } = await jsonOf<{ warnings?: string[] }>(
			await h.parse({ files: [sent('y'), sent('x')], pages: '9' }),
		);
		expect(warnings).toEqual(['pages: results[1] has none of these pages. Its number of pages is 3.']);
	});

	it.each<[string, DocumentText, object]>([
		['the text was cut off', { ...empty, truncated: true }, { pages: '9' }],
		['no pages were requested', empty, {}],
		['the format has no pages', textOf('a'), { pages: '9' }],
	])('cause no warning when %s', async (_, read, fields) => {
		const h = await harness();
		h.read = async () => read;
		expect(await jsonOf(await h.parse({ files: [sent('x')], ...fields }))).not.toHaveProperty('warnings');
	});
});

describe('unknown members', () => {
	it.each([
		['a short answer', 'short'],
		['an answer in pieces', 'x'.repeat(300_000)],
	])('cause warnings in %s', async (_, content) => {
		const { parse } = await harness();
		const answer = await parse({ files: [sent(content)], formatt: 'markdown' });
		const { results, warnings } = await jsonOf<{ results: object[]; warnings?: string[] }>(answer);
		expect([results.length, warnings]).toEqual([1, [expect.stringContaining('formatt')]]);
	});

	it('are absent from the response when there are none', async () => {
		const { parse } = await harness();
		expect(await jsonOf(await parse({ files: [sent('short')] }))).not.toHaveProperty('warnings');
	});
});
