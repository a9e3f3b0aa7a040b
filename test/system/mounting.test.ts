import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hosts } from '../../adapters/hosts/test/hosts.ts';
import { root } from '../support/cli.ts';
import { rawClient } from '../support/client.ts';
import { codeBlocks } from '../support/pages.ts';
import { bootEmbedded, keyA, removeDir, temporaryDir } from '../support/serve.ts';

let booted: Awaited<ReturnType<typeof bootEmbedded>>;

beforeAll(async () => {
	booted = await bootEmbedded();
});

afterAll(() => booted?.stop());

test.each(Object.entries(hosts))('%s accepts and returns bodies of 50 MB', async (_, start) => {
	const host = await start(booted.app);
	const client = rawClient(host.url, keyA, host.fetch);
	const bytes = randomBytes(50_000_000);
	const body = new FormData();
	body.set('purpose', 'user_data');
	body.set('file', new Blob([bytes]), 'noise.bin');
	const response = await client.send('/v1/files', { method: 'POST', body });
	const { id } = (await response.json()) as { id: string };
	const content = `/v1/files/${id}/content`;
	const digest = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
	expect(digest(await client.bytes(content))).toBe(digest(bytes));
	await client.send(`/v1/files/${id}`, { method: 'DELETE' });
	await host.close?.();
});

test('the programs of the guide compile', async () => {
	const dir = await temporaryDir('embedding');
	await symlink(join(root, 'node_modules'), join(dir, 'node_modules'));
	await writeFile(join(dir, 'package.json'), '{"type":"module"}');
	const guide = readFileSync(join(root, 'docs/guides/embedding.md'), 'utf8');
	for (const code of codeBlocks(guide, 'ts')) {
		await writeFile(join(dir, /^\/\/ (\S+\.ts)$/m.exec(code)?.[1] ?? ''), code);
	}
	const compilerOptions = {
		allowImportingTsExtensions: true,
		composite: false,
		noEmit: true,
		rewriteRelativeImportExtensions: false,
	};
	const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['*.ts'] };
	await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(config));
	const tsc = join(root, 'node_modules/typescript/bin/tsc');
	const run = promisify(execFile)(process.execPath, [tsc, '-p', dir]);
	const { stdout } = await run.catch((error: { stdout: string }) => error);
	expect(stdout).toBe('');
	await removeDir(dir);
});
