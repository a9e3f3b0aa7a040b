import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

/** The error for a name that does not resolve, as opposed to a package that fails while it loads. */
export class NotFound extends Error {
	readonly remedy: string | undefined;

	constructor(message: string, remedy?: string) {
		super(message);
		this.remedy = remedy;
	}
}

/** The folders from which the names of packages resolve: first that of the config. */
export interface PackageFolders {
	readonly folder: string;
	/** The folder of the program that reads the config, for packages that are not installed with the config. */
	readonly installation?: string | undefined;
}

/** Imports a package, or a file for `./` and `/`, from the config's folder. A plain `import` starts at this file. */
export async function importFrom(specifier: string, from: PackageFolders): Promise<Record<string, unknown>> {
	const { folder, installation = folder } = from;
	if (specifier.startsWith('file:')) return importFile(fileURLToPath(specifier));
	if (/^\.{1,2}\//.test(specifier) || isAbsolute(specifier)) return importFile(resolve(folder, specifier));
	const url = (await resolveFrom(folder, specifier)) ?? (await resolveFrom(installation, specifier));
	const folders = [...new Set([folder, installation])].join(' or ');
	if (!url) throw new NotFound(`the package ${specifier} is not installed beside ${folders}`);
	return import(url.href);
}

async function importFile(path: string): Promise<Record<string, unknown>> {
	if (!existsSync(path)) throw new NotFound(`there is no file ${path}`, 'Correct the path, or create the file.');
	return import(pathToFileURL(path).href);
}

/** The URL of a package from a folder; undefined if it is not installed there. */
async function resolveFrom(folder: string, specifier: string): Promise<URL | undefined> {
	// Loaded only for names: a config of factory calls does not need it.
	const { moduleResolve } = await import('import-meta-resolve');
	try {
		return moduleResolve(specifier, pathToFileURL(join(folder, 'plinth.config.js')), conditions());
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === 'ERR_MODULE_NOT_FOUND' && message.startsWith('Cannot find package')) return undefined;
		throw code === 'ERR_MODULE_NOT_FOUND' ? error : new NotFound(message);
	}
}

/** The export conditions that this process was started with, so that a source checkout resolves to sources. */
function conditions(): Set<string> {
	const args = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(' ')];
	const options = { conditions: { type: 'string', short: 'C', multiple: true } } as const;
	const names = parseArgs({ args, options, strict: false }).values.conditions ?? [];
	return new Set([...names.map(String), 'node', 'import', 'module-sync', 'default']);
}
