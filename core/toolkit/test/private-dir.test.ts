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
	test('creates every missing directory with access only for its owner', async () => {
		makePrivateDir(join(root, 'a/b/c'));
		expect(await Promise.all(['a', 'a/b', 'a/b/c'].map((path) => mode(join(root, path))))).toEqual([
			0o700, 0o700, 0o700,
		]);
	});

	test('does not change existing directories', async () => {
		makePrivateDir(join(root, 'a'));
		await writeFile(join(root, 'a/file'), 'x');
		makePrivateDir(join(root, 'a'));
		expect((await stat(join(root, 'a/file'))).size).toBe(1);
	});

	test('accepts a relative path', () => {
		makePrivateDir('.');
	});

	test('reports a file in place of a directory', async () => {
		await writeFile(join(root, 'file'), 'x');
		expect(() => makePrivateDir(join(root, 'file/a'))).toThrow(/ENOTDIR/);
	});

	test.runIf(process.platform === 'linux')('fails at once when no directory can be created', () => {
		expect(() => makePrivateDir('/proc/plinth/data')).toThrow(/ENOENT/);
	});
});
