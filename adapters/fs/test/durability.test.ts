import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { BlobContent, BlobStore } from '@plinth/core';
import { createBackend } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fsBlobs } from '../src/index.ts';

// A killed process loses no data that the kernel has accepted. Only the order of system calls shows what survives a
// power cut.

const key = 'jobs/a/out';
const hello = new TextEncoder().encode('hello, blob');
const text = { contentType: 'text/plain' };

/** A finished `fsync`: the inode, its size, and whether the blob was already published under its name. */
interface Sync {
	readonly inode: number;
	readonly size: number;
	readonly isPublished: boolean;
}

let dir: string;
let store: BlobStore;
let syncs: Sync[];
/** Runs before each `fsync`. */
let beforeSync: () => void;

beforeEach(async () => {
	dir = join(await mkdtemp(join(tmpdir(), 'plinth-fs-sync-')), 'blobs');
	store = (await createBackend<BlobStore>(fsBlobs({ dir }))).provided;
	syncs = [];
	beforeSync = () => {};
	const handle = await open(dir);
	const handles = Object.getPrototypeOf(handle) as FileHandle;
	await handle.close();
	const { sync } = handles;
	vi.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
		beforeSync();
		const isPublished = existsSync(pathOf(key));
		const { ino: inode, size } = await this.stat();
		await sync.call(this);
		syncs.push({ inode, size, isPublished });
	});
});

afterEach(async () => {
	vi.restoreAllMocks();
	await rm(join(dir, '..'), { recursive: true, force: true });
});

const pathOf = (name: string) => join(dir, `${name}@`);
const syncsOf = async (path: string) => {
	const { ino } = await stat(path);
	return syncs.filter(({ inode }) => inode === ino);
};

describe('a put', () => {
	test('syncs the whole file before the blob gets its name', async () => {
		await store.put(key, hello, text);
		const { size } = await stat(pathOf(key));
		expect(size).toBeGreaterThan(hello.length);
		expect(await syncsOf(pathOf(key))).toMatchObject([{ size, isPublished: false }]);
	});

	test.each(['jobs/a', 'jobs', ''])('syncs the directory "%s" afterwards', async (parent) => {
		await store.put(key, hello, text);
		expect(await syncsOf(join(dir, parent))).toMatchObject([{ isPublished: true }]);
	});

	test('syncs directories that already existed', async () => {
		await store.put('jobs/a/other', hello, text);
		syncs = [];
		await store.put(key, hello, text);
		for (const parent of ['jobs/a', 'jobs', '']) {
			expect(await syncsOf(join(dir, parent))).toHaveLength(1);
		}
	});

	test('fails when its file cannot be synced, and stores nothing', async () => {
		beforeSync = () => {
			throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
		};
		await expect(store.put(key, hello, text)).rejects.toMatchObject({
			code: 'E_STORE_UNAVAILABLE',
		});
		expect(await readdir(dir, { recursive: true })).toEqual(['@tmp']);
	});
});

describe('a put that moves a file of the caller', () => {
	const put = async (content: Uint8Array) => {
		const path = join(dir, '..', 'upload');
		await writeFile(path, content);
		const sha256 = createHash('sha256').update(content).digest('hex');
		const unread = { [Symbol.asyncIterator]: () => Promise.reject(new Error('The body was read.')) } as never;
		return store.put(key, unread, { ...text, file: { path, size: content.length, sha256 } });
	};

	test('moves the file, and syncs it before the blob gets its name', async () => {
		const { sha256, ...described } = await put(hello);
		expect(await store.head(key)).toEqual({ ...described, etag: sha256 });
		expect(existsSync(join(dir, '..', 'upload'))).toBe(false);
		const { size, mode } = await stat(pathOf(key));
		expect(mode & 0o777).toBe(0o600);
		expect(await syncsOf(pathOf(key))).toMatchObject([{ size, isPublished: false }]);
		const blob = (await store.get(key)) as BlobContent;
		expect(await buffer(blob.body)).toEqual(Buffer.from(hello));
	});

	test('stores nothing when the file cannot be synced', async () => {
		beforeSync = () => {
			throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
		};
		await expect(put(hello)).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
		expect(await readdir(dir, { recursive: true })).toEqual(['@tmp']);
	});
});

describe('a delete', () => {
	test('syncs the remaining parent directory', async () => {
		await store.put('jobs/b/out', hello, text);
		await store.put(key, hello, text);
		syncs = [];
		await store.delete([key]);
		expect(await syncsOf(join(dir, 'jobs'))).toMatchObject([{ isPublished: false }]);
	});
});

describe('a put that is aborted', () => {
	const expectNothing = async (put: Promise<unknown>) => {
		await expect(put).rejects.toThrow('The client disconnected.');
		expect(await readdir(dir, { recursive: true })).toEqual(['@tmp']);
	};
	const reason = new Error('The client disconnected.');

	test('while its file is synced stores nothing', async () => {
		const abort = new AbortController();
		beforeSync = () => abort.abort(reason);
		await expectNothing(store.put(key, hello, { ...text, signal: abort.signal }));
	});

	test('after its last byte stores nothing', async () => {
		const abort = new AbortController();
		async function* body() {
			yield hello;
			abort.abort(reason);
		}
		await expectNothing(store.put(key, body(), { ...text, signal: abort.signal }));
	});

	test('keeps the existing blob', async () => {
		await store.put(key, hello, text);
		const abort = new AbortController();
		beforeSync = () => abort.abort(reason);
		const put = store.put(key, new Uint8Array(99), { ...text, signal: abort.signal });
		await expect(put).rejects.toThrow('The client disconnected.');
		expect(await store.head(key)).toMatchObject({ size: hello.length });
	});
});
