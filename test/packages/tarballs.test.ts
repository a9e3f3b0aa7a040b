import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { published, root } from './support/workspace.ts';

const { tarballs } = inject('prepared');

/** Every string in a value of `package.json` that names a file: exports and commands. */
function pathsIn(value: unknown): readonly string[] {
	if (typeof value === 'string') return [value.replace(/^\.\//, '')];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}

/** Files other than sources that a package needs at run time. */
function assetsOf(folder: string): readonly string[] {
	const patterns = folder === 'cli' ? ['schema.json'] : ['templates/**/*.*', 'static/**/*.*'];
	return globSync(patterns, { cwd: join(root, folder) });
}

describe.each(published)('the tarball of $manifest.name', ({ folder, manifest }) => {
	const packed = tarballs.find(({ name }) => name === manifest.name)?.files ?? [];
	const files = new Set(packed.map(({ path }) => path));
	const sources = globSync('src/**/*', { cwd: join(root, folder), withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => posix.relative(join(root, folder), join(entry.parentPath, entry.name)));

	test('contains the sources, their build output, the assets, and three documents', () => {
		// A file in dist without a source is from an earlier build: delete dist, and build.
		const built = sources.flatMap((path) => {
			const stem = path.replace(/^src\/(.*)\.ts$/, 'dist/$1');
			return ['js', 'js.map', 'd.ts', 'd.ts.map'].map((ending) => `${stem}.${ending}`);
		});
		const about = ['LICENSE', 'README.md', 'package.json'];
		expect([...files].sort()).toEqual([...about, ...built, ...sources, ...assetsOf(folder)].sort());
	});

	test('has the licence of the project', async () => {
		const [own, ours] = await Promise.all([folder, '.'].map((place) => readFile(join(root, place, 'LICENSE'), 'utf8')));
		expect(own).toBe(ours);
	});

	test('contains the files of its exports and commands', () => {
		const { exports, bin } = manifest;
		const named = [...pathsIn(exports), ...pathsIn(bin)];
		expect(named).toContain('dist/index.js');
		expect(named.filter((path) => !files.has(path))).toEqual([]);
	});

	test('has no source map of an absent file', async () => {
		const maps = [...files].filter((path) => path.endsWith('.map'));
		const lost = await Promise.all(
			maps.map(async (path) => {
				const map = JSON.parse(await readFile(join(root, folder, path), 'utf8'));
				const mapped: readonly string[] = map.sources;
				return mapped.filter((source) => !files.has(posix.join(posix.dirname(path), source)));
			}),
		);
		expect(maps.length).toBeGreaterThan(0);
		expect(lost.flat()).toEqual([]);
	});
});

test('plugins, adapters, toolkit and suites have the kernel and zod as peer dependencies', () => {
	const parts = published.filter(({ folder }) => /^(core|plugins|adapters)\//.test(folder) && folder !== 'core/kernel');
	const wrong = parts.flatMap(({ manifest: { name, dependencies = {}, peerDependencies = {} } }) => [
		...['@plinth/core', 'zod'].filter((peer) => !peerDependencies[peer]).map((peer) => `${name} has no peer ${peer}`),
		...Object.keys(dependencies)
			.filter((own) => own === 'zod' || own.startsWith('@plinth/'))
			.map((own) => `${name} brings its own ${own}`),
	]);
	expect(parts.length).toBeGreaterThan(15);
	expect(wrong).toEqual([]);
});
