import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { runtimePackages } from './runtimes.ts';
import { published, root, thirdParty } from './workspace.ts';

/** A packed package, from the output of `npm pack --json`. */
export interface Tarball {
	readonly name: string;
	readonly filename: string;
	readonly files: readonly { readonly path: string }[];
}

/** The folders that all tests of packages share. */
export interface Prepared {
	/** A folder outside the workspace in which every tarball is installed. */
	readonly app: string;
	/** The folder of the installed runtimes. */
	readonly runtimes: string;
	readonly tarballs: readonly Tarball[];
}

declare module 'vitest' {
	interface ProvidedContext {
		prepared: Prepared;
	}
}

const execute = promisify(execFile);

/** Packs everything once and installs it as a user would. The packages must have been built. */
export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
	for (const { folder } of published) {
		if (existsSync(join(root, folder, 'dist/index.js'))) continue;
		throw new Error(`${folder} has not been built. Run npm run build before these tests.`);
	}
	const dir = await mkdtemp(join(tmpdir(), 'plinth-packages-'));
	const app = join(dir, 'app');
	const runtimes = join(dir, 'runtimes');
	try {
		const [tarballs] = await Promise.all([
			packAndInstall(join(dir, 'packed'), app),
			install(runtimes, runtimePackages()),
		]);
		project.provide('prepared', { app, runtimes, tarballs });
	} catch (error) {
		await rm(dir, { recursive: true, force: true });
		throw error;
	}
	return () => rm(dir, { recursive: true, force: true, maxRetries: 3 });
}

async function packAndInstall(packed: string, app: string): Promise<readonly Tarball[]> {
	await mkdir(packed);
	const tsc = join(root, 'node_modules/typescript/bin/tsc');
	for (const { folder } of thirdParty) await execute(process.execPath, [tsc, '-p', join(root, folder)]);
	const folders = [...published, ...thirdParty].map(({ folder }) => `./${folder}`);
	const { stdout } = await execute(
		'npm',
		['pack', ...folders, '--json', '--ignore-scripts', '--pack-destination', packed],
		{ cwd: root, maxBuffer: 64_000_000 },
	);
	const tarballs = JSON.parse(stdout) as readonly Tarball[];
	await install(
		app,
		tarballs.map(({ filename }) => join(packed, filename)),
	);
	return tarballs;
}

/** Without install scripts: neither our packages nor their dependencies may need one. */
async function install(dir: string, packages: readonly string[]): Promise<void> {
	await mkdir(dir);
	await writeFile(join(dir, 'package.json'), '{ "private": true, "type": "module" }');
	const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
	await execute('npm', ['install', ...flags, ...packages], { cwd: dir });
}
