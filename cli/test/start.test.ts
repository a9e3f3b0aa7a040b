import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startNode } from '../../test/support/cli.ts';

// Boots the built-in composition and prints all loaded files.
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

test('a start loads no library that only some requests or configs need', async () => {
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
		'@fastify/busboy',
		'sharp',
		'file-type',
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

// Loads the built-in composition, and prints what each import resolved to.
const resolving = (prepare: string) => `
	import { registerHooks } from 'node:module';
	import { resolveOwnModules } from '${import.meta.dirname}/../src/own-modules.ts';
	const entry = import.meta.resolve('${import.meta.dirname}/../src/find-config.ts');
	${prepare}
	const imports = [];
	registerHooks({
		resolve(specifier, context, nextResolve) {
			const { url, format } = nextResolve(specifier, context);
			imports.push([specifier, context.parentURL, url, format]);
			return { url, format, shortCircuit: true };
		},
	});
	await import(entry);
	console.log(JSON.stringify(imports));
`;

test('the faster resolution of a start finds what Node would find', async () => {
	const dir = await mkdtemp(join(tmpdir(), 'plinth-start-'));
	onTestFinished(() => rm(dir, { recursive: true, force: true }));
	const importsOf = async (prepare: string) => {
		const file = join(dir, 'load.mjs');
		await writeFile(file, resolving(prepare));
		const { code, stdout, stderr } = await startNode([file], { cwd: dir }).exit;
		expect([code, stderr]).toEqual([0, '']);
		return JSON.parse(stdout) as readonly unknown[];
	};
	const found = await importsOf('resolveOwnModules(entry);');
	expect(found.length).toBeGreaterThan(1_000);
	expect(found).toEqual(await importsOf(''));
});

// A config that creates garbage in a small worker thread, and prints the maximum size of its new space.
const config = `
	import { once } from 'node:events';
	import { Worker } from 'node:worker_threads';
	const work = \`
		const { getHeapSpaceStatistics } = require('node:v8');
		const newSpace = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
		const kept = [];
		let most = 0;
		for (let at = 0; at < 300_000; at++) {
			kept[at % 100_000] = { at };
			if (at % 1_000 === 0) most = Math.max(most, newSpace());
		}
		require('node:worker_threads').parentPort.postMessage(most);
	\`;
	const worker = new Worker(work, { eval: true, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 4 } });
	console.log('new space:', ...(await once(worker, 'message')));
	export default {};
`;

test('the V8 flags that main.ts sets do not override the limits of worker threads', async () => {
	const dir = await mkdtemp(join(tmpdir(), 'plinth-start-'));
	onTestFinished(() => rm(dir, { recursive: true, force: true }));
	await writeFile(join(dir, 'plinth.config.mjs'), config);
	const start = join(import.meta.dirname, '../src/start.ts');
	const flags = ['--max-semi-space-size=16', '--min-semi-space-size=8'];
	const child = startNode([...flags, start, 'check', '--config', 'plinth.config.mjs'], { cwd: dir });
	const [, bytes] = await child.printed(/new space: (\d+)/);
	await child.exit;
	// 16 MiB without the reset.
	expect(Number(bytes)).toBeLessThanOrEqual(4 * 1_048_576);
});
