import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/**
 * The absolute path of a program: without a slash, the first executable on `path`; relative paths start at
 * the working directory. Throws when there is none, so that the server does not start.
 */
export function findProgram(name: string, path: string = ''): string {
	if (process.platform === 'win32') {
		throw new Error('Programs as models need process groups: Linux or macOS.');
	}
	const candidates = name.includes('/')
		? [resolve(name)]
		: path
				.split(delimiter)
				.filter(Boolean)
				.map((folder) => resolve(folder, name));
	const found = candidates.find(canBeRun);
	if (found !== undefined) return found;
	const where = name.includes('/') ? `at ${join(...candidates)}` : `on the PATH ${path}`;
	throw new Error(`There is no program ${name} ${where}. Install it, or write its whole path.`);
}

function canBeRun(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
}
