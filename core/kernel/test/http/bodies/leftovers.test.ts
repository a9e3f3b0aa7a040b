import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { ownerMark } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { removeLeftUploads, uploadFolder } from '../../../src/http/bodies/files/leftovers.ts';
import { Spool } from '../../../src/http/bodies/files/spool.ts';

let root: string;

beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), 'test-leftovers-'));
	vi.stubEnv('TMPDIR', root);
});

afterEach(async () => {
	vi.unstubAllEnvs();
	await rm(root, { recursive: true, force: true });
});

const [machine = '', pid, start] = ownerMark().split('-');
/** A process that has ended, of this machine. */
const endedProcess = `${machine}-${spawnSync(process.execPath, ['-e', '']).pid}-1`;
const otherMachine = `${'0'.repeat(12)}-${pid}-${start}`;

async function folder(owner: string): Promise<string> {
	const name = `plinth-${owner}-aB3xYz`;
	await mkdir(join(root, name), { mode: 0o700 });
	await writeFile(join(root, name, '0'), 'half an upl');
	return name;
}

async function remaining(): Promise<string[]> {
	await removeLeftUploads(silentLogger());
	return readdir(root);
}

describe('upload folders', () => {
	test('of a process that was killed are removed', async () => {
		await folder(endedProcess);
		expect(await remaining()).toEqual([]);
	});

	test('of a running process stay', async () => {
		const mine = await folder(ownerMark());
		expect(await remaining()).toEqual([mine]);
	});

	test('of a running process stay at any age', async () => {
		const mine = await folder(ownerMark());
		await utimes(join(root, mine), 0, 0);
		expect(await remaining()).toEqual([mine]);
	});

	test('of another machine or container stay for a day', async () => {
		const other = await folder(otherMachine);
		expect(await remaining()).toEqual([other]);
	});

	test('of another machine or container are removed after a day', async () => {
		const other = await folder(otherMachine);
		const before = Date.now() / 1000 - 24 * 3600 - 60;
		await utimes(join(root, other), before, before);
		expect(await remaining()).toEqual([]);
	});

	test('are distinguished from folders with similar names', async () => {
		const names = ['plinth-', 'plinth-test-data-x1', `plinth-${endedProcess}`, `x-plinth-${endedProcess}-aB3xYz`];
		for (const name of names) await mkdir(join(root, name));
		expect(await remaining()).toEqual([...names].sort());
	});

	test('must be folders: links with such a name are not followed, and files stay', async () => {
		await mkdir(join(root, 'precious'));
		await writeFile(join(root, 'precious', 'file'), 'x');
		await symlink(join(root, 'precious'), join(root, `plinth-${endedProcess}-aB3xYz`));
		await writeFile(join(root, `plinth-${endedProcess}-Zy3xBa`), 'x');
		expect(await remaining()).toHaveLength(3);
		expect(await readdir(join(root, 'precious'))).toEqual(['file']);
	});

	test('that cannot be listed cause no failure', async () => {
		vi.stubEnv('TMPDIR', join(root, 'none'));
		await removeLeftUploads(silentLogger());
	});

	test('have the mark of their process in their name', async () => {
		const spool = new Spool();
		await spool.save(Readable.from([Buffer.from('x')]), 'name');
		const [name = ''] = await readdir(root);
		expect(name.startsWith(basename(uploadFolder()))).toBe(true);
		expect(await remaining()).toEqual([name]);
		await spool.remove();
		expect(await readdir(root)).toEqual([]);
	});
});
