import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startNode } from '../../test/support/cli.ts';

// Boots the built-in composition and prints every file that was loaded for it.
const script = `
	import { registerHooks } from 'node:module';
	const loaded = [];
	registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
	const { compose } = await import('${import.meta.dirname}/../src/compose.ts');
	const { app } = await compose({});
	await app.start();
	console.log(JSON.stringify(loaded));
	process.exit(0);
`;

test('a start loads no library that only some requests or some configs need', async () => {
	const dir = await mkdtemp(join(tmpdir(), 'plinth-start-'));
	onTestFinished(() => rm(dir, { recursive: true, force: true }));
	await writeFile(join(dir, 'boot.mjs'), script);
	const child = startNode([join(dir, 'boot.mjs')], {
		cwd: dir,
		env: { PLINTH_DATA_DIR: join(dir, 'data'), PLINTH_LOG_LEVEL: 'silent' },
	});
	const { code, stdout, stderr } = await child.exit;
	expect([code, stderr]).toEqual([0, '']);
	const loaded = JSON.parse(stdout) as string[];
	const packages = new Set(loaded.map((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? 'none'));
	expect([...packages]).toContain('koa');
	const later = [
		'yaml',
		'koa-body',
		'sharp',
		'file-type',
		'fetch-to-node',
		'fast-glob',
		'mediabunny',
		'@mediabunny/aac-encoder',
		'@mediabunny/flac-encoder',
		'wasm-media-encoders',
		'libopus-wasm',
		'pdfjs-dist',
		'@llamaindex/liteparse',
		'htmlparser2',
		'yauzl',
		'iconv-lite',
		'undici',
	];
	expect(later.filter((name) => packages.has(name))).toEqual([]);
});
