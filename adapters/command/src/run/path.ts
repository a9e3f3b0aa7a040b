import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/**
 * The absolute path of a program: without a slash, the first executable on `path`; relative paths start at
 * the working directory. Throws when there is none, so that the server does not start.
 */
export function findProgram(name: string, path: string = ''): string {
	if (process.platform === 'win32') throw new Error('Programs as models need process groups: Linux or macOS.');
	const isPath = name.includes('/');
	const folders = isPath ? ['.'] : path.split(delimiter).filter(Boolean);
	const program = folders.map((folder) => resolve(folder, name)).find(isExecutable);
	if (program !== undefined) return program;
	const location = isPath ? `at ${resolve(name)}` : `on the PATH ${path}`;
	throw new Error(`There is no program ${name} ${location}. Install it, or write its whole path.`);
}

function isExecutable(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
}
