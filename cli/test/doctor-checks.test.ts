import { chmod, mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fsBlobs } from '@plinth/fs';
import type { KeyInfo } from '@plinth/keys';
import { memoryRecords } from '@plinth/memory';
import { sqliteJobs } from '@plinth/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';
import { evaluateKeys } from '../src/doctor/composition.ts';
import { checkFolder, checkTemp, evaluateFreeSpace, isOpenToOthers, networkName } from '../src/doctor/disks.ts';
import { checkVariables, trackReads } from '../src/doctor/environment.ts';
import { checkPort, checkPublicUrl } from '../src/doctor/network.ts';
import { foldersOf, redirectPaths } from '../src/doctor/paths.ts';
import { checkFiles } from '../src/doctor/permissions.ts';
import { checkPrograms } from '../src/doctor/programs.ts';
import { clock, node, openFiles } from '../src/doctor/runtime.ts';
import { formatBytes } from '../src/format-bytes.ts';

let dir: string;

beforeAll(async () => {
	dir = await temporaryDir('checks');
});

afterAll(() => removeDir(dir));

const statusOf = ({ status }: { readonly status: string }) => status;

describe('the runtime', () => {
	test.each([
		['22.18.9', 'problem'],
		['22.19.0', 'ok'],
		['24.0.0', 'ok'],
		['20.20.2', 'problem'],
	])('with Node %s is: %s', (version, status) => {
		expect(node(version).status).toBe(status);
	});

	test.each([
		[256, 'warning'],
		[4_096, 'ok'],
		[Number.POSITIVE_INFINITY, 'ok'],
		[undefined, 'ok'],
	])('with an open file limit of %s is: %s', (limit, status) => {
		expect(openFiles(limit).status).toBe(status);
	});

	test('reports a clock that was never set', () => {
		expect([clock(0), clock(Date.UTC(2026, 10))].map(statusOf)).toEqual(['problem', 'ok']);
	});
});

describe('disk space', () => {
	test('is judged by the free space', () => {
		const mb = 1024 ** 2;
		const found = [50 * mb, 500 * mb, 5_000 * mb].map((free) => evaluateFreeSpace('data', 'x', free));
		expect(found.map((finding) => finding?.status)).toEqual(['problem', 'warning', undefined]);
	});

	test('is printed in readable units', () => {
		expect([0, 1_023, 1_536, 2 ** 40].map(formatBytes)).toEqual(['0 bytes', '1023 bytes', '1.5 KB', '1 TB']);
	});

	test('is not reported for a network file system', () => {
		const [nfs, ext4] = [networkName(0x6969), networkName(0xef53)];
		expect([nfs, ext4]).toEqual([process.platform === 'linux' ? 'NFS' : undefined, undefined]);
	});
});

describe('folders', () => {
	test('with access for others are a warning with a remedy', async () => {
		const open = join(dir, 'open');
		await mkdir(open);
		await chmod(open, 0o755);
		expect(await checkFolder(open)).toMatchObject({
			status: 'warning',
			remedy: `chmod 700 ${open}`,
		});
		await chmod(open, 0o700);
		expect(statusOf(await checkFolder(open))).toBe('ok');
	});

	test('that do not exist are checked by their parents', async () => {
		const { status, text } = await checkFolder(join(dir, 'not/yet'));
		expect([status, text]).toEqual(['ok', expect.stringContaining('created by the first start')]);
	});

	test('with a readable file, or a file from the future, are reported', async () => {
		const folder = join(dir, 'files');
		await mkdir(join(folder, 'below'), { recursive: true, mode: 0o700 });
		const file = join(folder, 'below/data');
		await writeFile(file, 'x', { mode: 0o600 });
		expect((await checkFiles([folder])).map(statusOf)).toEqual(['ok']);
		await chmod(file, 0o644);
		const later = new Date(Date.now() + 86_400_000);
		await utimes(file, later, later);
		expect(await checkFiles([folder])).toMatchObject([
			{ check: 'permissions', status: 'warning', text: `other users may reach ${file}` },
			{ check: 'clock', status: 'warning' },
		]);
	});

	test('for uploads are tested and left unchanged', async () => {
		const before = process.env.TMPDIR;
		process.env.TMPDIR = join(dir, 'temp');
		try {
			expect(statusOf(await checkTemp([dir]))).toBe('problem');
			await mkdir(process.env.TMPDIR);
			expect(statusOf(await checkTemp([dir]))).not.toBe('problem');
			expect(await readdir(process.env.TMPDIR)).toEqual([]);
		} finally {
			if (before === undefined) delete process.env.TMPDIR;
			else process.env.TMPDIR = before;
		}
	});

	test.runIf(process.platform !== 'win32')('are printed with their access mode', () => {
		expect([0o700, 0o600, 0o640, 0o701].map(isOpenToOthers)).toEqual([false, false, true, true]);
	});
});

describe('folders of backends', () => {
	const backends = (data: string) => ({
		jobs: sqliteJobs({ file: join(data, 'x.db') }),
		blobs: fsBlobs({ dir: join(data, 'blobs') }),
		records: memoryRecords(),
	});

	test('are taken from their options, and a parent replaces its subfolders', () => {
		expect(foldersOf(backends('/data'))).toEqual(['/data']);
	});

	test('that are empty are tested elsewhere, shared ones together', async () => {
		const data = join(dir, 'places');
		await mkdir(join(data, 'blobs'), { recursive: true });
		const optionsOf = (tried: ReturnType<typeof redirectPaths>, id: string) =>
			Object.values(tried.backends[id]?.options as Record<string, string>)[0] ?? '';
		const fresh = redirectPaths(backends(data), join(dir, 'scratch'));
		expect([...fresh.redirected]).toEqual(['jobs', 'blobs']);
		expect(optionsOf(fresh, 'jobs')).toMatch(join(dir, 'scratch'));
		await writeFile(join(data, 'x.db'), 'something');
		const used = redirectPaths(backends(data), join(dir, 'scratch'));
		expect([...used.redirected]).toEqual(['blobs']);
		expect(optionsOf(used, 'jobs')).toBe(join(data, 'x.db'));
	});
});

describe('the network', () => {
	const server = (host: string, port = 0, publicUrl = '') => ({ host, port, publicUrl });

	test.each([
		['127.0.0.1', '', 'ok'],
		['localhost', '', 'ok'],
		['0.0.0.0', '', 'warning'],
		['0.0.0.0', 'https://media.test', 'ok'],
	])('with host %s and public URL "%s" is: %s', (host, url, status) => {
		expect(checkPublicUrl(server(host, 0, url)).status).toBe(status);
	});

	test('has no foreign address', async () => {
		const found = await checkPort(server('203.0.113.1', 18_080));
		expect(found).toMatchObject({
			status: 'problem',
			text: expect.stringContaining('EADDRNOTAVAIL'),
		});
	});
});

describe('keys', () => {
	const now = Date.UTC(2026, 10, 21);
	const key = (days: number | null): KeyInfo => ({
		id: `key_${days}`,
		tenant: 't',
		scopes: ['*'],
		name: null,
		hint: 'abcd',
		createdAt: 0,
		expiresAt: days === null ? null : now + days * 86_400_000,
		lastUsedAt: null,
		state: days !== null && days <= 0 ? 'expired' : 'active',
	});

	test.each([
		['none at all', false, [], 'ok', /first start creates one/],
		['configured ones', true, [], 'ok', /^from the config, issued 0$/],
		['one that stays', false, [key(null)], 'ok', /issued 1$/],
		['one that ends soon', false, [key(null), key(3)], 'warning', /within a week expires key_3$/],
		['none that is still good', false, [key(-1)], 'problem', /issued 0, expired 1$/],
		['configured ones beside expired ones', true, [key(-1)], 'ok', /expired 1$/],
	] as const)('%s', (_sentence, isConfigured, issued, status, text) => {
		const found = evaluateKeys({ isConfigured, createCommand: 'create a key' }, issued, now);
		expect([found.status, found.text]).toEqual([status, expect.stringMatching(text)]);
		expect(found.remedy).toBe(status === 'ok' ? undefined : 'Create a new one: create a key');
	});
});

describe('environment variables', () => {
	test('that the config reads, or its file names, are accepted', () => {
		const { env, read } = trackReads({ PLINTH_A: '1', PLINTH_B: '2' });
		expect(env.PLINTH_A).toBe('1');
		expect(checkVariables(env, read, 'process.env.PLINTH_B').map(statusOf)).toEqual(['ok']);
		expect(checkVariables(env, read, '').map(({ text }) => text)).toEqual(['PLINTH_B is not read']);
	});

	test('that this config does not use are reported as unused', () => {
		const [found] = checkVariables({ PLINTH_API_KEYS: 'x' }, new Set(), '');
		expect(found?.text).toMatch(/PLINTH_API_KEYS is not read: this config/);
	});
});

test('programs are searched on the PATH', async () => {
	const folder = join(dir, 'bin');
	await mkdir(folder);
	await writeFile(join(folder, 'ffmpeg'), '', { mode: 0o755 });
	await writeFile(join(folder, 'tesseract'), '', { mode: 0o644 });
	expect((await checkPrograms(folder)).text).toMatch(/^found: ffmpeg; not found: tesseract, /);
});
