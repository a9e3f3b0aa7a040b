import { errorOf, eventually } from '@plinth/testing';
import { type DocumentText, mediaError } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { jsonChunks } from '../src/response/json-chunks.ts';
import { unitsOfFirst } from '../src/work/cut.ts';
import { resultsOf, sent, textsOf } from './documents.ts';
import { harness, pagesOf, textOf } from './harness.ts';

const contents = (...names: string[]) => ({ files: names.map((name) => sent(name)) });

/** The number of turns of the event loop during some work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
	let turns = 0;
	let next = setImmediate(function count() {
		turns += 1;
		next = setImmediate(count);
	});
	await work();
	clearImmediate(next);
	return turns;
}

describe('a result', () => {
	it('has all data of the reader, in the format of the API', async () => {
		const h = await harness();
		h.read = async () => ({
			mediaType: 'application/pdf',
			pages: [
				{ page: 2, text: 'two', width: 612, height: 792 },
				{ page: 3, text: '', needsOcr: true },
				{ page: 4, text: 'four', needsOcr: false },
			],
			pageCount: 9,
			truncated: true,
			metadata: { title: 'T', created: '2026-01-01T00:00:00Z' },
		});
		const labels = { filename: 'a.txt', media_type: 'text/plain' };
		expect(await resultsOf(await h.parse({ files: [sent('x', labels)] }))).toEqual([
			{
				filename: 'a.txt',
				media_type: 'application/pdf',
				page_count: 9,
				truncated: true,
				metadata: { title: 'T', created: '2026-01-01T00:00:00Z' },
				content: {
					pages: [
						{ page: 2, text: 'two', width: 612, height: 792 },
						{ page: 3, text: '', needs_ocr: true },
						{ page: 4, text: 'four' },
					],
				},
			},
		]);
	});

	it('has the whole text when the format has no pages', async () => {
		const h = await harness();
		h.read = async () => textOf('all of it');
		expect(await resultsOf(await h.parse(contents('x')))).toEqual([
			{ media_type: 'text/plain', truncated: false, content: { text: 'all of it' } },
		]);
	});

	it('has the position of its document, whichever is read first', async () => {
		const h = await harness({ concurrency: 8 });
		const names = ['d', 'a', 'c', 'b', 'e', 'f'];
		h.read = async ({ content }) => {
			await eventually('those with a later letter are read', () => h.calls.length === 6);
			for (let turn = content.charCodeAt(0); turn < 110; turn++) await Promise.resolve();
			return pagesOf(content);
		};
		expect(await textsOf(await h.parse(contents(...names)))).toEqual(names);
	});
});

describe('a document that cannot be read', () => {
	it('has an error in its result, and the other documents are read', async () => {
		const h = await harness();
		h.read = async ({ content }) => {
			if (content === 'locked') throw mediaError('E_DOCUMENT_ENCRYPTED');
			if (content === 'slow') throw mediaError('E_DOCUMENT_TIMEOUT');
			if (content === 'bug') throw new Error('the password is hunter2');
			return pagesOf(content);
		};
		const broken = { url: 'data:application/pdf;base64,????', filename: 'broken.pdf' };
		const long = { url: `data:application/pdf;base64,${'A'.repeat(70_000)}?` };
		const empty = { url: 'data:application/pdf;base64,' };
		const names = ['one', 'locked', 'bug', 'slow', 'two'].map((name) => sent(name));
		const results = await resultsOf(await h.parse({ files: [...names, broken, long, empty, sent('three')] }));
		expect(results.map(({ content, error }) => error?.code ?? content.pages?.[0]?.text)).toEqual([
			'one',
			'document_encrypted',
			'server_error',
			'document_timeout',
			'two',
			'document_unreadable',
			'document_unreadable',
			'document_unreadable',
			'three',
		]);
		for (const { content, error } of results) if (error) expect(content).toEqual({});
		expect(results[1]?.error?.message).toMatch(/needs a password.*Save it without/);
		expect(results[2]?.error?.message).not.toContain('hunter2');
		expect(results[5]).toMatchObject({
			filename: 'broken.pdf',
			error: { message: expect.stringContaining('files[5].url') },
		});
	});
});

describe('the concurrency of requests', () => {
	it('is two documents per tenant, and separate for each tenant', async () => {
		const h = await harness({ concurrency: 2 });
		const started = new Map<string, () => void>();
		h.read = ({ content }) =>
			new Promise<DocumentText>((resolve) => started.set(content, () => resolve(pagesOf(content))));
		const end = (name: string) => {
			started.get(name)?.();
			started.delete(name);
		};
		const waitFor = (...names: string[]) =>
			eventually(`${names} are read`, () => String([...started.keys()].sort()) === String(names));
		const many = h.parse(contents('a1', 'a2', 'a3', 'a4'));
		await waitFor('a1', 'a2');
		const few = h.parse(contents('b1'));
		const other = h.parse(contents('o1', 'o2'), { key: 'bob.documents' });
		await waitFor('a1', 'a2', 'o1', 'o2');
		end('a1');
		// The second request of the tenant was queued before the next document of the first one.
		await waitFor('a2', 'b1', 'o1', 'o2');
		end('a2');
		await waitFor('a3', 'b1', 'o1', 'o2');
		for (const name of ['b1', 'o1', 'o2', 'a3']) end(name);
		await waitFor('a4');
		end('a4');
		expect(await Promise.all([many, few, other].map(async (answer) => textsOf(await answer)))).toEqual([
			['a1', 'a2', 'a3', 'a4'],
			['b1'],
			['o1', 'o2'],
		]);
	});

	it('is freed when the client disconnects', async () => {
		const h = await harness();
		h.read = ({ run }) =>
			new Promise((_, reject) => {
				run?.signal?.addEventListener('abort', () => reject(run.signal?.reason));
			});
		const controller = new AbortController();
		const answer = h.parse(contents('a', 'b', 'c'), { signal: controller.signal });
		await eventually('two are read', () => h.calls.length === 2);
		controller.abort();
		await expect(answer).rejects.toThrow();
		await eventually('the reader is aborted', () => h.calls.every(({ run }) => run?.signal?.aborted === true));
		h.read = async ({ content }) => pagesOf(content);
		expect(await textsOf(await h.parse(contents('d')))).toEqual(['d']);
		expect(h.calls.map(({ content }) => content)).toEqual(['a', 'b', 'd']);
	});
});

describe('max_chars', () => {
	it.each<readonly [string, number, DocumentText, readonly string[], boolean]>([
		['more than there is', 10, pagesOf('abc', 'def'), ['abc', 'def'], false],
		['as many as there are', 6, pagesOf('abc', 'def'), ['abc', 'def'], false],
		['less: the page is cut', 4, pagesOf('abc', 'def', 'ghi'), ['abc', 'd'], true],
		['less: the next page is left out', 3, pagesOf('abc', 'def'), ['abc'], true],
		['less: an empty page before the cut is kept', 3, pagesOf('', 'abc', '', 'def'), ['', 'abc', ''], true],
		['characters of two units each', 2, pagesOf('😀😀', ''), ['😀😀', ''], false],
		['a cut between such characters', 3, pagesOf('😀😀', '😀😀'), ['😀😀', '😀'], true],
	])('counts the characters of each document: %s', async (_, most, read, texts, truncated) => {
		const h = await harness();
		h.read = async () => read;
		const results = await resultsOf(await h.parse({ ...contents('x', 'y'), max_chars: most }));
		for (const result of results) {
			expect(result.content.pages?.map(({ text }) => text)).toEqual(texts);
			expect(result).toMatchObject({ truncated, page_count: read.pageCount });
		}
	});

	it('truncates a text without pages, and keeps a truncation by the reader', async () => {
		const h = await harness();
		h.read = async ({ content }) => ({ ...textOf('a😀c'), truncated: content === 'cut' });
		const cut = async (name: string, most: number) => {
			const [result] = await resultsOf(await h.parse({ ...contents(name), max_chars: most }));
			return [result?.content.text, result?.truncated];
		};
		expect(await cut('x', 3)).toEqual(['a😀c', false]);
		expect(await cut('x', 2)).toEqual(['a😀', true]);
		expect(await cut('cut', 3)).toEqual(['a😀c', true]);
	});
});

describe('a long response', () => {
	const long = (unit: string) => unit.repeat(Math.ceil(300_000 / unit.length));

	it('is the same JSON, written in pieces', async () => {
		const h = await harness();
		const texts = [long('plain text, "quoted"\n'), long('ab😀'), long('\u0001\\é'), 'short'];
		h.read = async ({ content }) =>
			content === 'pages' ? pagesOf(...texts) : { ...textOf(long('abc😀')), metadata: { title: '"T"' } };
		const answer = await h.parse({
			files: [sent('pages', { filename: 'ä"' }), sent('text'), { url: 'data:;base64,*' }],
		});
		expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
		expect(answer.headers.get('cache-control')).toBe('no-store');
		const [pages, text, failed] = await resultsOf(answer);
		expect(pages?.content.pages?.map((page) => page.text)).toEqual(texts);
		expect(pages?.filename).toBe('ä"');
		expect(text).toMatchObject({ content: { text: long('abc😀') }, metadata: { title: '"T"' } });
		expect(failed).toMatchObject({ content: {}, error: { code: 'document_unreadable' } });
	});

	it('is generated piece by piece, however long its texts are', async () => {
		const texts = ['a\u0001😀'.repeat(500_000), 'short', '"'.repeat(300_000)];
		const pieces: Uint8Array[] = [];
		for await (const piece of jsonChunks({ texts, none: undefined, empty: [{}, []] })) {
			pieces.push(piece);
		}
		const text = Buffer.concat(pieces).toString();
		expect(JSON.parse(text)).toEqual({ texts, empty: [{}, []] });
		expect(pieces.length).toBeGreaterThan(20);
		// A character may take six bytes in JSON.
		expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(800_000);
	});

	it('does not block the event loop while it is generated', async () => {
		const text = 'a😀'.repeat(1_000_000);
		const turns = turnsDuring(async () => {
			for await (const piece of jsonChunks({ text })) expect(piece.length).toBeGreaterThan(0);
		});
		expect(await turns).toBeGreaterThan(20);
		expect(await turnsDuring(() => unitsOfFirst(2_500_000, textOf(text)))).toBeGreaterThan(0);
	});

	it('may be long without text, because of empty pages or names', async () => {
		const h = await harness({ heldChars: 600_000 });
		const empty = Array.from({ length: 5_000 }, () => '');
		h.read = async () => pagesOf(...empty);
		const isWhole = (answer: Response) => answer.headers.has('content-length');
		const pages = await h.parse(contents('x'));
		expect(isWhole(pages)).toBe(false);
		expect(await errorOf(await h.parse(contents('y')))).toMatchObject({ status: 503 });
		expect(await textsOf(pages)).toEqual([empty.join('|')]);

		h.read = async () => textOf('short');
		const filename = 'n'.repeat(300_000);
		const names = await h.parse({ files: [sent('z', { filename })] });
		expect(isWhole(names)).toBe(false);
		expect((await resultsOf(names))[0]?.filename === filename).toBe(true);
		expect(isWhole(await h.parse(contents('z')))).toBe(true);
	});

	it('has a limit: results beyond it are errors', async () => {
		const h = await harness({ answerChars: 10, concurrency: 1 });
		h.read = async ({ content }) => textOf(content);
		const results = await resultsOf(await h.parse(contents('1234567', 'abcdef', 'xyz')));
		expect(results.map(({ content, truncated }) => [content.text, truncated])).toEqual([
			['1234567', false],
			['abc', true],
			['', true],
		]);
	});

	it('counts towards the limit until it is sent', async () => {
		const h = await harness({ heldChars: 600_000 });
		h.read = async ({ content }) => textOf(long(content));
		const first = await h.parse(contents('a'));
		const second = await h.parse(contents('b'));
		expect(await errorOf(await h.parse(contents('c')))).toMatchObject({
			status: 503,
			code: 'server_overloaded',
		});
		await second.body?.cancel();
		await eventually('there is room again', async () => (await h.parse(contents('d'))).status === 200);
		expect(await textsOf(first)).toEqual([long('a')]);
	});
});
