import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Template, type TemplateName, templates } from './templates.ts';

/** The version of this package, and of all packages of Plinth. */
export const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
	readonly version: string;
};

/** Versions of packages that are not part of Plinth. */
const versions: Readonly<Record<string, string>> = {
	'@types/node': '^24.0.0',
	typescript: '^7.0.2',
	vitest: '^5.1.0',
	zod: '^4.6.7',
};

/** The `package.json` of a project. */
export function manifestOf(name: string, template: TemplateName): object {
	const { isLibrary, dependencies, devDependencies }: Template = templates[template];
	const scripts = {
		start: 'plinth serve',
		dev: 'plinth dev',
		check: 'plinth check',
		test: 'vitest run',
		typecheck: 'tsc --noEmit',
	};
	const needed = rangesOf(dependencies);
	return {
		name,
		version: '0.1.0',
		...(isLibrary ? {} : { private: true }),
		type: 'module',
		...(isLibrary
			? {
					exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
					files: ['dist'],
				}
			: {}),
		engines: { node: '>=22.19' },
		scripts: isLibrary ? { ...scripts, build: 'tsc -p tsconfig.build.json', prepack: 'npm run build' } : scripts,
		// Peer dependencies, so that a server has one copy of the packages that its models, backends and plugins share.
		...(isLibrary ? { peerDependencies: needed } : { dependencies: needed }),
		devDependencies: rangesOf(devDependencies),
	};
}

/** The settings of TypeScript, by file. */
export function tsconfigsOf(template: TemplateName): Readonly<Record<string, object>> {
	const compilerOptions = {
		target: 'es2024',
		module: 'nodenext',
		strict: true,
		noUncheckedIndexedAccess: true,
		verbatimModuleSyntax: true,
		// Node runs the sources directly and only erases types.
		erasableSyntaxOnly: true,
		rewriteRelativeImportExtensions: true,
		skipLibCheck: true,
		types: ['node'],
	};
	if (!templates[template].isLibrary) {
		return { 'tsconfig.json': { compilerOptions, include: ['*.ts', 'test'] } };
	}
	const build = { rootDir: 'src', outDir: 'dist', declaration: true, sourceMap: true };
	return {
		'tsconfig.json': { compilerOptions, include: ['src', 'test'] },
		'tsconfig.build.json': { extends: './tsconfig.json', compilerOptions: build, include: ['src'] },
	};
}

function rangesOf(names: readonly string[]): Readonly<Record<string, string>> {
	return Object.fromEntries(names.toSorted().map((name) => [name, versions[name] ?? `^${version}`]));
}
