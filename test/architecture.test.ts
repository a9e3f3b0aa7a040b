import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const maxLines = 300;

interface Source {
	/** Relative to the root: `core/kernel/src/app.ts`. */
	readonly path: string;
	readonly text: string;
	readonly imports: readonly string[];
}

const importPattern =
	/^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]\s*\)|^\s*import\s*['"]([^'"]+)['"]/gm;

function sources(...patterns: string[]): Source[] {
	return globSync(patterns, { cwd: root, exclude: (name) => name.includes('node_modules') })
		.sort()
		.map((path) => {
			const text = readFileSync(join(root, path), 'utf8');
			const imports = [...text.matchAll(importPattern)].map(([, a, b, c]) => a ?? b ?? c ?? '');
			return { path, text, imports };
		});
}

/** `@scope/name` or `name` of a bare import; undefined for relative imports and for modules of Node. */
function packageOf(specifier: string): string | undefined {
	if (specifier.startsWith('.') || specifier.startsWith('node:') || builtinModules.includes(specifier))
		return undefined;
	return specifier
		.split('/')
		.slice(0, specifier.startsWith('@') ? 2 : 1)
		.join('/');
}

function manifest(folder: string): {
	name: string;
	dependencies?: object;
	peerDependencies?: object;
} {
	return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

function declared(folder: string): Set<string> {
	const { name, dependencies = {}, peerDependencies = {} } = manifest(folder);
	return new Set([name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
}

const kernel = sources('core/kernel/src/**/*.ts');
const toolkit = sources('core/toolkit/src/**/*.ts');
const testing = sources('core/testing/src/**/*.ts');
const plugins = sources('plugins/*/src/**/*.ts');
const adapters = sources('adapters/*/src/**/*.ts');
const cli = sources('cli/src/**/*.ts', 'cli/create-plinth/src/**/*.ts');
const all = [...kernel, ...toolkit, ...testing, ...plugins, ...adapters, ...cli];

/** The packages that plugins and adapters may import. */
function isCommon(specifier: string): boolean {
	return ['@plinth/core', '@plinth/toolkit', '@plinth/testing'].includes(packageOf(specifier) ?? '');
}

const folderOf = ({ path }: Source) => path.slice(0, path.indexOf('/src/'));

function violations(files: readonly Source[], allowed: (specifier: string, file: Source) => boolean): string[] {
	return files.flatMap((file) =>
		file.imports
			.filter((specifier) => !allowed(specifier, file))
			.map((specifier) => `${file.path} imports ${specifier}`),
	);
}

describe('the dependency rule', () => {
	test('the import scanner finds every import', () => {
		expect(all.length).toBeGreaterThan(80);
		expect(kernel.find(({ path }) => path === 'core/kernel/src/engine/containers/container.ts')?.imports).toEqual([
			'reflect-metadata',
			'tsyringe',
		]);
	});

	test('contracts import contracts only, and the folders of the kernel do not import each other', () => {
		const room = (path: string) => /^core\/kernel\/src\/(\w+)\//.exec(path)?.[1];
		expect(
			violations(kernel, (specifier, file) => {
				const from = room(file.path);
				if (!specifier.startsWith('.') || from === undefined || from === 'engine') return true;
				const to = room(relative(root, resolve(root, dirname(file.path), specifier)));
				return to === from || to === 'contract';
			}),
		).toEqual([]);
	});

	test('the kernel names no capability', () => {
		const named = /\b(?:images?(?!\/png)|videos?|speech|audio|chat)\b/i;
		const files = kernel.filter(({ text }) => named.test(text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, '')));
		expect(files.map(({ path }) => path)).toEqual([]);
	});

	test('no folder holds more than a dozen files', () => {
		const counts = new Map<string, number>();
		for (const { path } of kernel) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
		expect([...counts].filter(([, count]) => count > 12)).toEqual([]);
	});

	test('a package imports only what its manifest declares', () => {
		expect(
			violations(all, (specifier, file) => {
				const name = packageOf(specifier);
				return name === undefined || declared(folderOf(file)).has(name);
			}),
		).toEqual([]);
	});

	test('a relative import stays inside its package', () => {
		expect(
			violations(all, (specifier, file) => {
				if (!specifier.startsWith('.')) return true;
				const target = relative(join(root, folderOf(file)), resolve(root, dirname(file.path), specifier));
				return !target.startsWith('..');
			}),
		).toEqual([]);
	});

	test('the kernel imports nothing of ours, the toolkit the kernel, and the suites both', () => {
		const ours = (specifier: string) => specifier.startsWith('@plinth/');
		expect(violations(kernel, (specifier) => !ours(specifier))).toEqual([]);
		expect(violations(toolkit, (specifier) => !ours(specifier) || specifier === '@plinth/core')).toEqual([]);
		expect(violations(testing, (specifier) => !ours(specifier) || isCommon(specifier))).toEqual([]);
	});

	test('a plugin imports nothing of ours but core, the toolkit and the suites', () => {
		expect(violations(plugins, (specifier) => !/^(@plinth\/|plinth)/.test(specifier) || isCommon(specifier))).toEqual(
			[],
		);
	});

	test('an adapter imports core, the toolkit, and of plugins only their model entry', () => {
		expect(
			violations(
				adapters,
				(specifier) =>
					!/^(@plinth\/|plinth)/.test(specifier) ||
					isCommon(specifier) ||
					/^@plinth\/plugin-[a-z]+\/model$/.test(specifier),
			),
		).toEqual([]);
	});

	test("a plugin's model entry imports core and the toolkit only", () => {
		const entries = plugins.filter(({ path }) => path.endsWith('/src/model.ts'));
		expect(entries.length).toBeGreaterThan(0);
		expect(violations(entries, (specifier) => isCommon(specifier))).toEqual([]);
	});

	test('tsyringe stays in the kernel, awilix in the registry, Koa in HTTP', () => {
		const homes: Readonly<Record<string, RegExp>> = {
			tsyringe: /^core\/kernel\/src\/engine\/containers\/container\.ts$/,
			'reflect-metadata': /^core\/kernel\/src\/engine\/containers\/container\.ts$/,
			awilix: /^core\/kernel\/src\/engine\/containers\/registry\.ts$/,
			koa: /^(core\/kernel\/src\/http\/|adapters\/hosts\/)/,
			'@koa/router': /^core\/kernel\/src\/http\//,
			'koa-body': /^core\/kernel\/src\/http\//,
		};
		expect(violations(all, (specifier, { path }) => homes[packageOf(specifier) ?? '']?.test(path) ?? true)).toEqual([]);
	});

	test('no file imports itself through others', () => {
		expect(importCycles(all)).toEqual([]);
	});
});

describe('the house style', () => {
	/** Sources that Vite compiles, and their styles. */
	const page = sources('plugins/console/client/**/*.{ts,tsx,css}');

	test('no file is longer than 300 lines', () => {
		const long = [...all, ...page].filter(({ text }) => text.split('\n').length > maxLines).map(({ path }) => path);
		expect(long).toEqual([]);
	});

	test('no line is wider than 120 columns', () => {
		const isWide = (line: string) => line.length > 120;
		const wide = [...all, ...page]
			.filter(({ path }) => !/^adapters\/(builtin|documents)\//.test(path))
			.filter(({ text }) => text.split('\n').some(isWide))
			.map(({ path }) => path);
		expect(wide).toEqual([]);
	});

	test('nothing escapes the type checker', () => {
		const escapes = [...all, ...page]
			.filter(({ text }) =>
				/\bas any\b|: any\b|<any>|@ts-ignore|@ts-nocheck/.test(text.replace(/^\s*(\/?\*|\/\/).*$/gm, '')),
			)
			.map(({ path }) => path);
		expect(escapes).toEqual([]);
	});

	test('no source uses a statement that Node 22 cannot run', () => {
		const tooNew = all.filter(({ text }) => /^\s*(?:await )?using\s+\w+\s*=/m.test(text)).map(({ path }) => path);
		expect(tooNew).toEqual([]);
	});

	test('every package has a README and one version', () => {
		const folders = globSync(['core/*', 'plugins/*', 'adapters/*', 'cli', 'cli/create-plinth'], { cwd: root }).filter(
			(folder) => existsSync(join(root, folder, 'package.json')),
		);
		const versions = new Set(folders.map((folder) => (manifest(folder) as unknown as { version: string }).version));
		expect(folders.filter((folder) => !existsSync(join(root, folder, 'README.md')))).toEqual([]);
		expect([...versions]).toHaveLength(1);
	});

	test('every dependency has its line in ARCHITECTURE.md', () => {
		const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
		const names = globSync(['core/*', 'plugins/*', 'adapters/*', 'cli'], { cwd: root })
			.filter((folder) => existsSync(join(root, folder, 'package.json')))
			.flatMap((folder) => Object.keys(manifest(folder).dependencies ?? {}))
			.filter((name) => !/^(@plinth\/|plinth$)/.test(name));
		expect([...new Set(names)].filter((name) => !text.includes(name))).toEqual([]);
	});
});

/** Import cycles, including those of types: a contract must not import its implementations. */
function importCycles(files: readonly Source[]): string[] {
	const targets = new Map(
		files.map(({ path, imports }) => [
			path,
			imports
				.filter((specifier) => specifier.startsWith('.'))
				.map((specifier) => relative(root, resolve(root, dirname(path), specifier))),
		]),
	);
	const found = new Set<string>();
	const done = new Set<string>();
	const visit = (path: string, trail: readonly string[]): void => {
		const at = trail.indexOf(path);
		if (at >= 0) found.add([...trail.slice(at), path].join(' -> '));
		if (at >= 0 || done.has(path)) return;
		for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
		done.add(path);
	};
	for (const { path } of files) visit(path, []);
	return [...found];
}
