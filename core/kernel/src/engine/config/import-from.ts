import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

/** A name that resolves to nothing, as opposed to a package that fails while it loads. */
export class NotFound extends Error {
	readonly remedy: string | undefined;

	constructor(message: string, remedy?: string) {
		super(message);
		this.remedy = remedy;
	}
}

/** Where the names of packages resolve. */
export interface PackageFolders {
	/** The folder of the config. */
	readonly folder: string;
	/** The folder of the program that reads the config: for packages that are not installed beside the config. */
	readonly installation?: string | undefined;
}

/**
 * Imports a package as the config file would: bare names from the config's own folder, `./` and `/` as files. Node
 * would resolve a bare name from this file, so the package is found and its `exports` are read here.
 */
export async function importFrom(specifier: string, from: PackageFolders): Promise<Record<string, unknown>> {
	const { folder, installation = folder } = from;
	if (specifier.startsWith('file:')) return importFile(fileURLToPath(specifier));
	if (/^\.{1,2}\//.test(specifier) || isAbsolute(specifier)) {
		return importFile(resolve(folder, specifier));
	}
	const { name, subpath } = splitSpecifier(specifier);
	const manifest = findManifest(name, folder) ?? findManifest(name, installation);
	const places = [...new Set([folder, installation])].join(' or ');
	if (!manifest) throw new NotFound(`the package ${name} is not installed beside ${places}`);
	const { exports, main } = JSON.parse(await readFile(manifest, 'utf8')) as {
		exports?: unknown;
		main?: string;
	};
	const target = exports === undefined && subpath === '.' ? (main ?? 'index.js') : resolveExport(exports, subpath);
	if (target === undefined) throw new NotFound(`the package ${name} has no export ${subpath}`);
	return import(pathToFileURL(join(dirname(manifest), target)).href);
}

async function importFile(path: string): Promise<Record<string, unknown>> {
	if (!existsSync(path)) throw new NotFound(`there is no file ${path}`);
	return import(pathToFileURL(path).href);
}

function splitSpecifier(specifier: string): { name: string; subpath: string } {
	const parts = specifier.split('/');
	const length = specifier.startsWith('@') ? 2 : 1;
	const rest = parts.slice(length).join('/');
	return { name: parts.slice(0, length).join('/'), subpath: rest === '' ? '.' : `./${rest}` };
}

function findManifest(name: string, folder: string): string | undefined {
	try {
		return findPackageJSON(name, pathToFileURL(join(folder, 'plinth.config.js')));
	} catch {
		return undefined;
	}
}

/** Conditions that this process was started with, so that a source checkout resolves to sources. */
function conditions(): ReadonlySet<string> {
	const args = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(' ')];
	const options = { conditions: { type: 'string', short: 'C', multiple: true } } as const;
	const given = parseArgs({ args, options, strict: false }).values.conditions ?? [];
	return new Set([...given.map(String), 'node', 'import', 'module-sync', 'default']);
}

function resolveExport(exports: unknown, subpath: string): string | undefined {
	if (typeof exports === 'string') return subpath === '.' ? exports : undefined;
	if (typeof exports !== 'object' || exports === null) return undefined;
	const table = exports as Record<string, unknown>;
	const subpaths = Object.keys(table).some((key) => key.startsWith('.'));
	return resolveTarget(subpaths ? table[subpath] : subpath === '.' ? table : undefined, conditions());
}

function resolveTarget(target: unknown, active: ReadonlySet<string>): string | undefined {
	if (typeof target === 'string') return target;
	if (typeof target !== 'object' || target === null) return undefined;
	for (const [condition, value] of Object.entries(target)) {
		if (!active.has(condition)) continue;
		const found = resolveTarget(value, active);
		if (found !== undefined) return found;
	}
	return undefined;
}
