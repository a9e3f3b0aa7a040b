import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	type DocumentOptions,
	type DocumentReader,
	type DocumentRun,
	type DocumentText,
	type EncodedDocument,
	mediaError,
} from '@plinth/toolkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CachedReader } from '../../src/cache/cached-reader.ts';

const abc = Buffer.from('abc');
const plain: DocumentText = {
	mediaType: 'text/plain',
	text: 'abc',
	truncated: false,
	metadata: {},
};
/** Five pages, some of which may be scans without text. */
const paged = (pictures: readonly number[] = [], truncated = false): DocumentText => ({
	mediaType: 'application/pdf',
	pages: [1, 2, 3, 4, 5].map((page) => ({
		page,
		text: pictures.includes(page) ? '' : `page ${page}`,
		...(pictures.includes(page) ? { needsOcr: true } : {}),
	})),
	pageCount: 5,
	truncated,
	metadata: {},
});

interface Call {
	readonly document: EncodedDocument;
	readonly options: DocumentOptions | undefined;
	readonly run: DocumentRun;
}

/** A reader behind the cache, which returns what `answer` returns. */
function createReader(answer: (call: Call) => DocumentText | Promise<DocumentText>) {
	const calls: Call[] = [];
	const inner = {
		version: '1',
		async read(document, options, run = {}) {
			const call = { document, options, run };
			calls.push(call);
			return await answer(call);
		},
	} satisfies DocumentReader & { version: string };
	return { calls, inner, reader: new CachedReader(inner) };
}

/** Resolves when all pending callbacks have run. */
const nextTurns = () => new Promise((resolve) => setImmediate(resolve));

async function fileOf(bytes: Uint8Array): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'cached-reader-'));
	onTestFinished(() => rm(folder, { recursive: true }));
	const path = join(folder, 'document');
	await writeFile(path, bytes);
	return path;
}

describe('a text that was read', () => {
	it('is cached for the same bytes, whatever their source', async () => {
		const { calls, reader } = createReader(() => plain);
		const path = await fileOf(abc);
		const sha256 = createHash('sha256').update(abc).digest('hex');
		const documents = [abc, Buffer.from('abc'), { path }, { path: '/gone', sha256 }];
		for (const document of documents) expect(await reader.read(document)).toEqual(plain);
		expect(calls).toHaveLength(1);
	});

	it('is looked up by the hash of all its bytes', async () => {
		const { calls, reader } = createReader(() => plain);
		const bytes = Buffer.alloc(9_000_000);
		await reader.read(bytes);
		bytes[8_999_999] = 1;
		await reader.read(bytes);
		await reader.read({ path: await fileOf(bytes) });
		expect(calls).toHaveLength(2);
	});

	it('is read again with other options and by another version', async () => {
		const { calls, inner, reader } = createReader(() => paged());
		await reader.read(abc, { pages: [{ first: 1, last: 2 }] });
		await reader.read(abc, { pages: [{ first: 1, last: 3 }] });
		await reader.read(abc, { ocr: 'off' });
		await reader.read(abc, { ocr: 'auto' });
		await reader.read(abc, { format: 'markdown' });
		expect(calls).toHaveLength(5);
		inner.version = '2';
		await reader.read(abc);
		expect(calls).toHaveLength(6);
		expect(reader.version).toBe('2');
	});

	it('is cached for options with the same meaning', async () => {
		const { calls, reader } = createReader(() => paged());
		await reader.read(abc, {
			pages: [
				{ first: 4, last: 5 },
				{ first: 1, last: 1 },
				{ first: 2, last: 3 },
			],
		});
		const request = { ocr: 'auto', format: 'text', pages: [{ first: 1, last: 5 }] } as const;
		await reader.read(abc, request);
		expect(calls.map(({ options }) => options)).toEqual([request]);
	});

	it('serves requests for some of its pages when it is complete', async () => {
		const { calls, reader } = createReader(() => paged());
		await reader.read(abc);
		const some = await reader.read(abc, {
			pages: [
				{ first: 2, last: 2 },
				{ first: 4, last: 99 },
			],
		});
		expect(some.pages?.map(({ page }) => page)).toEqual([2, 4, 5]);
		expect(some.pageCount).toBe(5);
		expect(calls).toHaveLength(1);
	});

	it('does not serve requests for pages that may have more text when read alone', async () => {
		const pages = (first: number, last: number) => ({ pages: [{ first, last }] });
		const pictures = createReader(() => paged([2]));
		await pictures.reader.read(abc);
		await pictures.reader.read(abc, pages(3, 4));
		expect(pictures.calls).toHaveLength(1);
		await pictures.reader.read(abc, pages(1, 2));
		expect(pictures.calls).toHaveLength(2);
		const cut = createReader(() => paged([], true));
		await cut.reader.read(abc);
		await cut.reader.read(abc, pages(3, 4));
		expect(cut.calls).toHaveLength(2);
	});

	it('is complete when it has no pages, whichever were requested', async () => {
		const { calls, reader } = createReader(() => plain);
		await reader.read(abc, { pages: [{ first: 1, last: 1 }] });
		await reader.read(abc, { pages: [{ first: 7, last: 9 }] });
		await reader.read(abc);
		expect(calls).toHaveLength(1);
	});

	it('is not cached when the read failed', async () => {
		const { calls, reader } = createReader(() => {
			throw mediaError('E_DOCUMENT_UNREADABLE');
		});
		for (let i = 0; i < 2; i++) {
			await expect(reader.read(abc)).rejects.toMatchObject({ code: 'E_DOCUMENT_UNREADABLE' });
		}
		expect(calls).toHaveLength(2);
	});
});

describe('concurrent requests for the same text', () => {
	it('share one read and all receive its progress', async () => {
		const { calls, reader } = createReader(async ({ run }) => {
			await nextTurns();
			run.progress?.(1, 5);
			return paged();
		});
		const received: string[] = [];
		const texts = await Promise.all(
			['a', 'b', 'c'].map((name) =>
				reader.read(abc, {}, { progress: (done, of) => received.push(`${name} ${done}/${of}`) }),
			),
		);
		expect(texts).toEqual([paged(), paged(), paged()]);
		expect(received).toEqual(['a 1/5', 'b 1/5', 'c 1/5']);
		expect(calls).toHaveLength(1);
	});

	it('share an error that the document causes', async () => {
		const { calls, reader } = createReader(async () => {
			await nextTurns();
			throw mediaError('E_DOCUMENT_ENCRYPTED');
		});
		const ends = await Promise.allSettled([reader.read(abc), reader.read(abc)]);
		expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual([
			'E_DOCUMENT_ENCRYPTED',
			'E_DOCUMENT_ENCRYPTED',
		]);
		expect(calls).toHaveLength(1);
	});

	it('read separately when the file of another request is missing', async () => {
		const { calls, reader } = createReader(async ({ document }) => {
			await nextTurns();
			if ('path' in document) throw new Error('ENOENT');
			return plain;
		});
		const sha256 = createHash('sha256').update(abc).digest('hex');
		const gone = reader.read({ path: '/gone', sha256 });
		const others = [reader.read(abc), reader.read(abc)];
		await expect(gone).rejects.toThrow('ENOENT');
		expect(await Promise.all(others)).toEqual([plain, plain]);
		expect(calls).toHaveLength(2);
	});

	it('continue when one of them is aborted', async () => {
		const { calls, reader } = createReader(async ({ run }) => {
			await nextTurns();
			run.signal?.throwIfAborted();
			return plain;
		});
		const [controller, reason] = [new AbortController(), new Error('The client disconnected.')];
		const ends = Promise.allSettled([reader.read(abc, {}, { signal: controller.signal }), reader.read(abc)]);
		await new Promise((resolve) => setImmediate(resolve));
		controller.abort(reason);
		expect(await ends).toEqual([
			{ status: 'rejected', reason },
			{ status: 'fulfilled', value: plain },
		]);
		expect(calls).toHaveLength(1);
	});

	it('abort the read when all of them are aborted; a later request starts a new one', async () => {
		const { calls, reader } = createReader(async ({ run: { signal } }) => {
			if (calls.length > 1) return plain;
			return await new Promise((_, reject) => {
				signal?.addEventListener('abort', () => setImmediate(() => reject(signal.reason)));
			});
		});
		const [controller, reason] = [new AbortController(), new Error('The client disconnected.')];
		const { signal } = controller;
		const ends = Promise.allSettled([reader.read(abc, {}, { signal }), reader.read(abc, {}, { signal })]);
		await nextTurns();
		controller.abort(reason);
		expect(await ends).toEqual([
			{ status: 'rejected', reason },
			{ status: 'rejected', reason },
		]);
		expect(calls[0]?.run.signal?.aborted).toBe(true);
		expect(await reader.read(abc)).toEqual(plain);
		expect(calls).toHaveLength(2);
	});

	it('reject with the reason of a signal that is already aborted', async () => {
		const { calls, reader } = createReader(() => plain);
		const reason = new Error('The client disconnected.');
		await reader.read(abc);
		const signal = AbortSignal.abort(reason);
		await expect(reader.read(abc, {}, { signal })).rejects.toBe(reason);
		expect(calls).toHaveLength(1);
	});
});
