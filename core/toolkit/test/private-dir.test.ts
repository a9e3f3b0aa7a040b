import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makePrivateDir } from '../src/index.ts';

let root: string;

beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), 'test-private-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const mode = async (path: string) => (await stat(path)).mode & 0o777;

describe('makePrivateDir', () => {
	test('makes every missing directory for its owner alone', async () => {
		makePrivateDir(join(root, 'a/b/c'));
		expect(await Promise.all(['a', 'a/b', 'a/b/c'].map((path) => mode(join(root, path))))).toEqual([
			0o700, 0o700, 0o700,
		]);
	});

	test('leaves what is there as it is', async () => {
		makePrivateDir(join(root, 'a'));
		await writeFile(join(root, 'a/file'), 'x');
		makePrivateDir(join(root, 'a'));
		expect((await stat(join(root, 'a/file'))).size).toBe(1);
	});

	test('takes a path that is not absolute', () => {
		makePrivateDir('.');
	});

	test('says so when a file is in the way', async () => {
		await writeFile(join(root, 'file'), 'x');
		expect(() => makePrivateDir(join(root, 'file/a'))).toThrow(/ENOTDIR/);
	});

	test.runIf(process.platform === 'linux')('fails at once where nothing can be made', () => {
		expect(() => makePrivateDir('/proc/plinth/data')).toThrow(/ENOENT/);
	});
});
