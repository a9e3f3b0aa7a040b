import { createHook } from 'node:async_hooks';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BlobStore, isReusableBody, ownerMark } from '@plinth/core';
import { blobStoreSuite, createBackend, manualClock } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fsBlobs } from '../src/index.ts';

let dir: string;

beforeEach(async () => {
	dir = join(await mkdtemp(join(tmpdir(), 'plinth-fs-')), 'blobs');
});

afterEach(() => rm(join(dir, '..'), { recursive: true, force: true }));

const open = async (clock = manualClock()) => (await createBackend<BlobStore>(fsBlobs({ dir }), { clock })).provided;
const hello = new TextEncoder().encode('hello, blob');
const text = { contentType: 'text/plain' };
const keysOf = async (store: BlobStore, prefix: string): Promise<string[]> => {
	const keys: string[] = [];
	for await (const { key } of store.list(prefix)) keys.push(key);
	return keys.sort();
};

describe('fsBlobs', () => {
	const suite = blobStoreSuite({
		supports: { reopen: true },
		create: async () => ({ store: await open(), reopen: () => open(), close: async () => {} }),
	});
	for (const { name, run } of suite) test(name, run);
});

describe('the files of fsBlobs', () => {
	test('directories and files are accessible only to the owner', async () => {
		const store = await open();
		await store.put('a/b', hello, text);
		const modes = await Promise.all(
			[dir, join(dir, 'a'), join(dir, 'a/b@')].map(async (path) => (await stat(path)).mode & 0o777),
		);
		expect(modes).toEqual([0o700, 0o700, 0o600]);
	});

	test('a file begins with the bytes of the blob', async () => {
		const store = await open();
		await store.put('a/b', hello, text);
		expect((await readFile(join(dir, 'a/b@'))).subarray(0, hello.length)).toEqual(Buffer.from(hello));
	});

	test('a failed put leaves no file', async () => {
		const store = await open();
		await store.put('a/b', hello, { ...text, maxBytes: 2 }).catch(() => {});
		expect(await readdir(dir, { recursive: true })).toEqual(['@tmp']);
	});

	test('a delete removes parent directories that become empty', async () => {
		const store = await open();
		await store.put('a/b/c', hello, text);
		await store.delete(['a/b/c']);
		expect(await readdir(dir)).toEqual(['@tmp']);
	});

	test('concurrent puts and deletes do not fail on missing directories', async () => {
		const store = await open();
		for (let round = 0; round < 20; round += 1) {
			await store.put('job/old', hello, text);
			await Promise.all([store.delete(['job/old']), store.put('job/new', hello, text)]);
			await store.delete(['job/new']);
		}
		expect(await readdir(dir)).toEqual(['@tmp']);
	});

	test('two hundred puts of a key succeed while it is deleted in a loop', async () => {
		const store = await open();
		let putting = 4;
		const puts = async (): Promise<void> => {
			try {
				for (let n = 0; n < 50; n += 1) await store.put('job/a/out', hello, text);
			} finally {
				putting -= 1;
			}
		};
		const deletes = async (): Promise<void> => {
			while (putting > 0) await store.delete(['job/a/out']);
		};
		const racers = [puts, deletes, puts, deletes, puts, deletes, puts, deletes];
		const answers = await Promise.allSettled(racers.map((race) => race()));
		expect(answers.filter(({ status }) => status === 'rejected')).toEqual([]);
		await store.delete(['job/a/out']);
		expect(await readdir(dir)).toEqual(['@tmp']);
	});

	test('old temporary files of crashed writers are removed at the next start', async () => {
		await mkdir(join(dir, '@tmp'), { recursive: true });
		const clock = manualClock();
		await writeFile(join(dir, '@tmp/stale'), 'half a bl');
		await writeFile(join(dir, '@tmp/fresh'), 'another process writes this');
		const at = (ms: number) => new Date(clock.now() - ms);
		await utimes(join(dir, '@tmp/stale'), at(3_700_000), at(3_700_000));
		await utimes(join(dir, '@tmp/fresh'), at(60_000), at(60_000));
		await open(clock);
		expect(await readdir(join(dir, '@tmp'))).toEqual(['fresh']);
	});

	test.each([
		['the next start', () => open(manualClock(Date.now()))],
		['a sweep', (store: BlobStore) => store.sweep?.()],
	])('temporary files of dead processes are removed at %s, even if they are new', async (_when, act) => {
		const store = await open(manualClock(Date.now()));
		const [machine] = ownerMark().split('-');
		const dead = `${machine}-${spawnSync(process.execPath, ['-e', '']).pid}-1.half`;
		const living = `${ownerMark()}.half`;
		for (const name of [dead, living]) await writeFile(join(dir, '@tmp', name), 'half a bl');
		const old = new Date(Date.now() - 3_700_000);
		await utimes(join(dir, '@tmp', living), old, old);
		await act(store);
		expect(await readdir(join(dir, '@tmp'))).toEqual([living]);
	});

	test('the name of a temporary file contains the id of its process', async () => {
		const store = await open();
		let names: string[] = [];
		async function* body() {
			yield hello;
			names = await readdir(join(dir, '@tmp'));
		}
		await store.put('a', body(), text);
		expect(names).toEqual([expect.stringContaining(`${ownerMark()}.`)]);
	});

	test('a symbolic link at the path of a blob is not followed', async () => {
		const store = await open();
		const secret = join(dir, '..', 'secret');
		await store.put('real', hello, text);
		await writeFile(secret, await readFile(join(dir, 'real@')));
		await symlink(secret, join(dir, 'link@'));
		await expect(store.get('link')).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
	});

	test('a truncated file is rejected, not served', async () => {
		const store = await open();
		await store.put('a', hello, text);
		await writeFile(join(dir, 'a@'), 'hello');
		await expect(store.get('a')).rejects.toThrow('damaged');
	});

	test.each([
		['empty', () => Buffer.alloc(0)],
		['truncated', (whole: Buffer) => whole.subarray(0, -20)],
		['cut at its start', (whole: Buffer) => whole.subarray(40)],
		['filled with zeros', (whole: Buffer) => Buffer.alloc(whole.length)],
		['without its magic number', (whole: Buffer) => whole.fill('?', whole.length - 8)],
		['invalid inside its footer', (whole: Buffer) => whole.fill('?', 11, 60)],
	])('a file that is %s is unavailable, listed, and can be deleted', async (_name, tear) => {
		const store = await open();
		await store.put('job/torn', hello, text);
		await store.put('job/whole', hello, text);
		const path = join(dir, 'job/torn@');
		await writeFile(path, tear(await readFile(path)));
		for (const read of [() => store.head('job/torn'), () => store.get('job/torn')]) {
			await expect(read()).rejects.toMatchObject({
				code: 'E_STORE_UNAVAILABLE',
				cause: expect.any(Error),
			});
		}
		expect(await keysOf(store, 'job')).toEqual(['job/torn', 'job/whole']);
		expect(await keysOf(store, 'job/torn')).toEqual(['job/torn']);
		await store.delete(['job/torn']);
		expect(await keysOf(store, '')).toEqual(['job/whole']);
	});

	test('list opens no files', async () => {
		const store = await open();
		await store.put('a', hello, text);
		let opened = 0;
		const hook = createHook({
			init(_id, type) {
				if (type === 'FILEHANDLE') opened += 1;
			},
		}).enable();
		expect(await keysOf(store, '')).toEqual(['a']);
		const byList = opened;
		await store.head('a');
		hook.disable();
		expect([byList, opened]).toEqual([0, 1]);
	});

	test('a range is read into the buffer of the reader, and the file is closed at its end', async () => {
		const store = await open();
		await store.put('a', Buffer.from('0123456789'), text);
		const blob = await store.get('a', { range: { start: 2, end: 8 } });
		if (!blob || !isReusableBody(blob.body)) throw new Error('The body is not reusable.');
		let closed = 0;
		const hook = createHook({
			init(_id, type) {
				if (type === 'FILEHANDLECLOSEREQ') closed += 1;
			},
		}).enable();
		const memory = Buffer.alloc(4);
		const read: string[] = [];
		for (let length = -1; length !== 0; ) {
			length = await blob.body.readInto(memory);
			read.push(memory.toString('latin1', 0, length));
		}
		hook.disable();
		expect([read, closed]).toEqual([['2345', '678', ''], 1]);
	});

	test('a file that is truncated during a read is unavailable', async () => {
		const store = await open();
		await store.put('a', hello, text);
		const content = await store.get('a');
		await truncate(join(dir, 'a@'), 0);
		const reading = content?.body[Symbol.asyncIterator]().next();
		await expect(reading).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
	});

	test('a content type that is too long for the footer is rejected', async () => {
		const store = await open();
		await expect(store.put('a', hello, { contentType: 'x'.repeat(1_000) })).rejects.toThrow(TypeError);
		expect(await readdir(dir, { recursive: true })).toEqual(['@tmp']);
	});

	test('a disk that does not respond is reported as unavailable', async () => {
		const store = await open();
		await rm(dir, { recursive: true });
		await expect(store.put('a', hello, text)).rejects.toMatchObject({
			code: 'E_STORE_UNAVAILABLE',
		});
	});

	test.runIf(process.platform === 'linux')('a full disk is reported as full', async () => {
		// A write to /dev/full fails with ENOSPC. The temporary directory cannot be /dev/full, so the path of the blob is
		// a link to it.
		const { withStoreErrors } = await import('../src/failures.ts');
		await expect(withStoreErrors(writeFile('/dev/full', 'x'))).rejects.toMatchObject({
			code: 'E_STORE_FULL',
		});
	});

	test.runIf(process.platform === 'linux')('readers that stop early leave no file open', async () => {
		const store = await open();
		await store.put('a', new Uint8Array(2_000_000), text);
		for await (const _chunk of (await store.get('a'))?.body ?? []) break;
		await (await store.get('a'))?.body[Symbol.asyncIterator]().return?.();
		await store.get('a', { range: { start: 9e9, end: 9e9 } }).catch(() => {});
		await store.head('a');
		const { readlink } = await import('node:fs/promises');
		const open_ = await Promise.all(
			(await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
		);
		expect(open_.filter((path) => path.startsWith(dir))).toEqual([]);
	});
});
