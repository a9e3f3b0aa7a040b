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
/** Five pages, of which some may be pictures. */
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

/** A reader that answers as it is told, behind the cache. */
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

/** Lets everything that is ready happen. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function fileOf(bytes: Uint8Array): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'cached-reader-'));
	onTestFinished(() => rm(folder, { recursive: true }));
	const path = join(folder, 'document');
	await writeFile(path, bytes);
	return path;
}

describe('what was read', () => {
	it('is not read again for the same bytes, wherever they are', async () => {
		const { calls, reader } = createReader(() => plain);
		const path = await fileOf(abc);
		const sha256 = createHash('sha256').update(abc).digest('hex');
		const documents = [abc, Buffer.from('abc'), { path }, { path: '/gone', sha256 }];
		for (const document of documents) expect(await reader.read(document)).toEqual(plain);
		expect(calls).toHaveLength(1);
	});

	it('is known by all of its bytes', async () => {
		const { calls, reader } = createReader(() => plain);
		const bytes = Buffer.alloc(9_000_000);
		await reader.read(bytes);
		bytes[8_999_999] = 1;
		await reader.read(bytes);
		await reader.read({ path: await fileOf(bytes) });
		expect(calls).toHaveLength(2);
	});

	it('is read again with other options, and by another version', async () => {
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

	it('is known by options that mean the same', async () => {
		const { calls, reader } = createReader(() => paged());
		await reader.read(abc, {
			pages: [
				{ first: 4, last: 5 },
				{ first: 1, last: 1 },
				{ first: 2, last: 3 },
			],
		});
		const asked = { ocr: 'auto', format: 'text', pages: [{ first: 1, last: 5 }] } as const;
		await reader.read(abc, asked);
		expect(calls.map(({ options }) => options)).toEqual([asked]);
	});

	it('answers for some of its pages when it is whole', async () => {
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

	it('does not answer for pages of which reading them alone may bring more', async () => {
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

	it('is whole when it has no pages, whichever were asked for', async () => {
		const { calls, reader } = createReader(() => plain);
		await reader.read(abc, { pages: [{ first: 1, last: 1 }] });
		await reader.read(abc, { pages: [{ first: 7, last: 9 }] });
		await reader.read(abc);
		expect(calls).toHaveLength(1);
	});

	it('is not kept when it failed', async () => {
		const { calls, reader } = createReader(() => {
			throw mediaError('E_DOCUMENT_UNREADABLE');
		});
		for (let i = 0; i < 2; i++) {
			await expect(reader.read(abc)).rejects.toMatchObject({ code: 'E_DOCUMENT_UNREADABLE' });
		}
		expect(calls).toHaveLength(2);
	});
});

describe('requests for the same at the same time', () => {
	it('share one read, and all hear of its progress', async () => {
		const { calls, reader } = createReader(async ({ run }) => {
			await settled();
			run.progress?.(1, 5);
			return paged();
		});
		const heard: string[] = [];
		const texts = await Promise.all(
			['a', 'b', 'c'].map((name) =>
				reader.read(abc, {}, { progress: (done, of) => heard.push(`${name} ${done}/${of}`) }),
			),
		);
		expect(texts).toEqual([paged(), paged(), paged()]);
		expect(heard).toEqual(['a 1/5', 'b 1/5', 'c 1/5']);
		expect(calls).toHaveLength(1);
	});

	it('share its failure, when it is the fault of the document', async () => {
		const { calls, reader } = createReader(async () => {
			await settled();
			throw mediaError('E_DOCUMENT_ENCRYPTED');
		});
		const ends = await Promise.allSettled([reader.read(abc), reader.read(abc)]);
		expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual([
			'E_DOCUMENT_ENCRYPTED',
			'E_DOCUMENT_ENCRYPTED',
		]);
		expect(calls).toHaveLength(1);
	});

	it('read for themselves when the file of another one has gone', async () => {
		const { calls, reader } = createReader(async ({ document }) => {
			await settled();
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

	it('do not disturb each other when one leaves', async () => {
		const { calls, reader } = createReader(async ({ run }) => {
			await settled();
			run.signal?.throwIfAborted();
			return plain;
		});
		const [leaving, reason] = [new AbortController(), new Error('The client left.')];
		const ends = Promise.allSettled([reader.read(abc, {}, { signal: leaving.signal }), reader.read(abc)]);
		await new Promise((resolve) => setImmediate(resolve));
		leaving.abort(reason);
		expect(await ends).toEqual([
			{ status: 'rejected', reason },
			{ status: 'fulfilled', value: plain },
		]);
		expect(calls).toHaveLength(1);
	});

	it('end the read when all have left, and whoever comes then gets a new one', async () => {
		const { calls, reader } = createReader(async ({ run: { signal } }) => {
			if (calls.length > 1) return plain;
			return await new Promise((_, reject) => {
				signal?.addEventListener('abort', () => setImmediate(() => reject(signal.reason)));
			});
		});
		const [leaving, reason] = [new AbortController(), new Error('The client left.')];
		const { signal } = leaving;
		const ends = Promise.allSettled([reader.read(abc, {}, { signal }), reader.read(abc, {}, { signal })]);
		await settled();
		leaving.abort(reason);
		expect(await ends).toEqual([
			{ status: 'rejected', reason },
			{ status: 'rejected', reason },
		]);
		expect(calls[0]?.run.signal?.aborted).toBe(true);
		expect(await reader.read(abc)).toEqual(plain);
		expect(calls).toHaveLength(2);
	});

	it('reject with the reason of a signal that has aborted before', async () => {
		const { calls, reader } = createReader(() => plain);
		const reason = new Error('The client left.');
		await reader.read(abc);
		const signal = AbortSignal.abort(reason);
		await expect(reader.read(abc, {}, { signal })).rejects.toBe(reason);
		expect(calls).toHaveLength(1);
	});
});
