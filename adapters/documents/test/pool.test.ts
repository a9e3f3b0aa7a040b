import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '@plinth/testing';
import type { DocumentRun, DocumentText } from '@plinth/toolkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PooledReader, type PooledReaderOptions } from '../src/pool/reader.ts';

let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'documents-pool-'));
	await writeFile(join(folder, 'process.mjs'), source(folder));
});

afterAll(() => rm(folder, { recursive: true }));

/**
 * A reader process that parses nothing: the file name of a document selects its behaviour. It is JavaScript without
 * imports, to start fast.
 */
const source = (folder: string) => `
import { existsSync, writeFileSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
const send = (header) => {
	const json = Buffer.from(JSON.stringify({ rss: 1, ...header }));
	const lengths = Buffer.alloc(8);
	lengths.writeUInt32BE(json.length);
	writeSync(3, Buffer.concat([lengths, json]));
};
const tell = (value) => send({ kind: 'update', value });
const end = { mediaType: 'application/pdf', pageCount: 2, truncated: false, metadata: {} };
const done = () => send({ kind: 'done', value: end });
const page = (page, text) => tell({ kind: 'text', page: { page }, text });
const deeds = {
	pid: () => send({ kind: 'done', value: { mediaType: String(process.pid) } }),
	pages: () => { page(1, 'one'); page(2, 'two, '); tell({ kind: 'text', text: 'in pieces' }); done(); },
	none: () => done(),
	text: () => { tell({ kind: 'text', text: 'piece ' }); tell({ kind: 'text', text: 'by piece' }); send({ kind: 'done', value: { ...end, pageCount: undefined } }); },
	progress: () => { tell({ kind: 'progress', done: 1, of: 2 }); done(); },
	stumble: () => {
		page(1, 'one');
		const mark = ${JSON.stringify(folder)} + '/mark';
		if (existsSync(mark)) return done();
		writeFileSync(mark, '');
		process.exit(1);
	},
	crash: () => process.exit(1),
	starve: () => { writeSync(2, 'FATAL ERROR: JavaScript heap out of memory'); process.abort(); },
	eat: () => { writeSync(2, 'plinth: too much memory'); process.kill(process.pid, 'SIGKILL'); },
	spin: () => { tell({ kind: 'progress', done: 0, of: 1 }); for (;;); },
	look: () => { tell({ kind: 'ocr' }); setTimeout(done, 400); },
	advance: () => { tell({ kind: 'progress', done: 50, of: 50 }); setTimeout(done, 400); },
	'look and look': () => { for (;;) tell({ kind: 'ocr' }); },
	babble: () => writeSync(3, 'What a lovely document!'),
	nonsense: () => { tell({ kind: 'text', page: {} }); done(); },
	'other nonsense': () => { tell(null); done(); },
	'pages for ever': () => { for (;;) page(1, ''); },
	'text for ever': () => { for (;;) tell({ kind: 'text', text: 'x'.repeat(200_000) }); },
	refuse: () => send({ kind: 'refused', code: 'E_DOCUMENT_ENCRYPTED' }),
	explain: () => send({ kind: 'refused', code: 'E_DOCUMENT_TOO_LARGE', sentence: 'It has 9 parts.' }),
	lie: () => send({ kind: 'refused', code: 'E_KEY_MISSING' }),
	fail: () => send({ kind: 'failed', message: 'EACCES' }),
	share: ({ options, shareAbove }) => {
		if (!options.pages) page(1, String(process.pid));
		if (shareAbove !== undefined) tell({ kind: 'rest', pages: [{ first: 2, last: 2 }] });
		else page(2, String(process.pid));
		done();
	},
	'fail in the second half': ({ options }) => {
		if (options.pages) return send({ kind: 'refused', code: 'E_DOCUMENT_UNREADABLE' });
		tell({ kind: 'rest', pages: [{ first: 2, last: 2 }] });
		for (;;);
	},
	'spin in both halves': ({ options }) => {
		tell(options.pages ? { kind: 'progress', done: 1, of: 1 } : { kind: 'rest', pages: [{ first: 2, last: 2 }] });
		for (;;);
	},
	'leave nonsense': () => tell({ kind: 'rest', pages: null }),
};
send({ kind: 'ready' });
process.stdin.on('data', (bytes) => {
	const { task } = JSON.parse(bytes.toString('utf8', 8, 8 + bytes.readUInt32BE()));
	begin();
	deeds[basename(task.path)](task);
});
const begin = () => tell({ kind: 'begin' });
`;

function createReader(options: Partial<PooledReaderOptions> = {}) {
	const file = pathToFileURL(join(folder, 'process.mjs'));
	const reader = new PooledReader({ workers: 1, file, ...options });
	onTestFinished(() => reader.pool.close());
	const read = async (deed: string, run?: DocumentRun) => {
		await writeFile(join(folder, deed), '');
		return await reader.read({ path: join(folder, deed) }, {}, run ?? {});
	};
	/** The process id of the reader. */
	const pid = async () => (await read('pid')).mediaType;
	return { reader, read, pid };
}

describe('a text that arrives in pieces', () => {
	it('is joined', async () => {
		const { read } = createReader();
		expect((await read('pages')).pages).toEqual([
			{ page: 1, text: 'one' },
			{ page: 2, text: 'two, in pieces' },
		]);
		expect(await read('none')).toMatchObject({ pages: [], pageCount: 2 });
		const { text, pages } = await read('text');
		expect([text, pages]).toEqual(['piece by piece', undefined]);
	});

	it('is not duplicated when a process crashes halfway', async () => {
		const { read } = createReader();
		expect((await read('stumble')).pages).toEqual([{ page: 1, text: 'one' }]);
	});

	it('reports its progress', async () => {
		const { read } = createReader();
		const reported: unknown[] = [];
		await read('progress', { progress: (...call) => reported.push(call) });
		expect(reported).toEqual([[1, 2]]);
	});
});

describe('a document whose process', { timeout: 20_000 }, () => {
	const short = { readMs: 250, maxReadMs: 250 };

	it.each([
		['crashes', 'crash', 'E_DOCUMENT_UNREADABLE'],
		['fills its heap', 'starve', 'E_DOCUMENT_TOO_LARGE'],
		['takes too much memory', 'eat', 'E_DOCUMENT_TOO_LARGE'],
		['writes something else than messages', 'babble', 'E_DOCUMENT_UNREADABLE'],
		['sends an invalid page', 'nonsense', 'E_DOCUMENT_UNREADABLE'],
		['sends an empty update', 'other nonsense', 'E_DOCUMENT_UNREADABLE'],
		['leaves an invalid rest', 'leave nonsense', 'E_DOCUMENT_UNREADABLE'],
		['sends endless pages', 'pages for ever', 'E_DOCUMENT_UNREADABLE'],
		['sends endless text', 'text for ever', 'E_DOCUMENT_UNREADABLE'],
	])('%s is rejected, and the next document is read', async (_, deed, code) => {
		const { read } = createReader();
		await expect(read(deed)).rejects.toMatchObject({ code, spec: { status: 400 } });
		expect(await read('none')).toBeDefined();
	});

	it('never ends is rejected after the time limit, and the next document is read', async () => {
		const { read } = createReader({ limits: short });
		await expect(read('spin')).rejects.toMatchObject({ code: 'E_DOCUMENT_TIMEOUT' });
		expect(await read('none')).toBeDefined();
	});

	it('reads pages by OCR has more time for each, up to a maximum', async () => {
		const { read } = createReader({ limits: { ...short, ocrPageMs: 5_000, maxOcrMs: 5_000 } });
		expect(await read('look')).toMatchObject({ pageCount: 2 });
		const late = createReader({ limits: { ...short, ocrPageMs: 50, maxOcrMs: 100 } });
		await expect(late.read('look and look')).rejects.toMatchObject({ code: 'E_DOCUMENT_TIMEOUT' });
	});

	it('reads many pages has more time for each, up to a maximum', async () => {
		const { read } = createReader({ limits: { ...short, pageMs: 100, maxPagesMs: 5_000 } });
		expect(await read('advance')).toMatchObject({ pageCount: 2 });
		const late = createReader({ limits: { ...short, pageMs: 100, maxPagesMs: 50 } });
		await expect(late.read('advance')).rejects.toMatchObject({ code: 'E_DOCUMENT_TIMEOUT' });
	});

	it('reads a large file has more time by its size', async () => {
		const { reader } = createReader({ limits: { ...short, mebibyteMs: 5_000, maxReadMs: 5_000 } });
		const path = join(folder, 'look');
		await writeFile(path, Buffer.alloc(1_048_576));
		expect(await reader.read({ path }, {}, {})).toMatchObject({ pageCount: 2 });
	});
});

describe('a document that is shared between processes', { timeout: 20_000 }, () => {
	/** The process id that read each page. */
	const pidsOf = ({ pages = [] }: DocumentText) => pages.map(({ page, text }) => [page, text]);

	it('is read by two processes when there are two', async () => {
		const { read } = createReader({ workers: 2, limits: { waitMs: 0 } });
		const [first, second] = pidsOf(await read('share'));
		expect([first?.[0], second?.[0]]).toEqual([1, 2]);
		expect(first?.[1]).not.toBe(second?.[1]);
	});

	it('is read by one process, one half after the other, while the second process is busy', async () => {
		const { read } = createReader({ workers: 2 });
		const controller = new AbortController();
		const started = Promise.withResolvers<void>();
		const busy = read('spin', { signal: controller.signal, progress: () => started.resolve() });
		await started.promise;
		const [first, second] = pidsOf(await read('share'));
		expect(second).toEqual([2, first?.[1]]);
		controller.abort(new Error('Enough.'));
		await expect(busy).rejects.toThrow('Enough.');
	});

	it('is not shared when there is one process', async () => {
		const { read, pid } = createReader();
		const only = await pid();
		expect(pidsOf(await read('share'))).toEqual([
			[1, only],
			[2, only],
		]);
	});

	it('is rejected as soon as one half fails, and the next document is read', async () => {
		const { read } = createReader({ workers: 2 });
		await expect(read('fail in the second half')).rejects.toMatchObject({
			code: 'E_DOCUMENT_UNREADABLE',
		});
		expect(await read('none')).toBeDefined();
	});

	it('stops in both processes on an abort', async () => {
		const { reader, read } = createReader({ workers: 2 });
		const [controller, reason] = [new AbortController(), new Error('The client disconnected.')];
		let spinning: readonly number[] = [];
		const reading = read('spin in both halves', {
			signal: controller.signal,
			progress: () => {
				spinning = reader.pool.pids;
				controller.abort(reason);
			},
		});
		await expect(reading).rejects.toBe(reason);
		expect(spinning).toHaveLength(2);
		await eventually('both processes ended', () => !reader.pool.pids.some((pid) => spinning.includes(pid)));
	});

	it('is rejected after the time limit when both halves never end', async () => {
		const { read } = createReader({ workers: 2, limits: { readMs: 250, maxReadMs: 250 } });
		await expect(read('spin in both halves')).rejects.toMatchObject({
			code: 'E_DOCUMENT_TIMEOUT',
		});
	});
});

describe('an error that a process reports', () => {
	it('becomes the error with that code, with its own sentence when it has one', async () => {
		const { read } = createReader();
		await expect(read('refuse')).rejects.toMatchObject({
			code: 'E_DOCUMENT_ENCRYPTED',
			message: /needs a password/,
		});
		await expect(read('explain')).rejects.toMatchObject({
			code: 'E_DOCUMENT_TOO_LARGE',
			message: /^It has 9 parts\. /,
		});
	});

	it('is replaced when its code is not a document error', async () => {
		const { read } = createReader();
		await expect(read('lie')).rejects.toMatchObject({ code: 'E_DOCUMENT_UNREADABLE' });
	});

	it('is passed on unchanged when it is not the fault of the document', async () => {
		const { read } = createReader();
		const error = await read('fail').catch((reason) => reason);
		expect(error).toMatchObject({ message: 'EACCES' });
		expect(error.code).toBeUndefined();
	});
});

describe('a reader', () => {
	it('rejects a file that is too long before it reaches a process', async () => {
		const { reader } = createReader({ limits: { fileBytes: 9 } });
		const long = Buffer.alloc(10);
		const path = join(folder, 'long');
		await writeFile(path, long);
		for (const document of [long, { path }]) {
			await expect(reader.read(document, {}, {})).rejects.toMatchObject({ code: 'E_DOCUMENT_TOO_LARGE' });
		}
		expect(reader.pool.pids).toEqual([]);
	});

	it('stops a read on an abort, and reads the next document', async () => {
		const { read, pid } = createReader();
		const before = await pid();
		const [controller, reason] = [new AbortController(), new Error('The client disconnected.')];
		const spinning = read('spin', {
			signal: controller.signal,
			progress: () => controller.abort(reason),
		});
		await expect(spinning).rejects.toBe(reason);
		expect(await pid()).not.toBe(before);
	});
});
