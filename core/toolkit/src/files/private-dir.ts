import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory with mode 0700, and its missing parents. An existing directory is not changed. Throws
 * errors of the file system.
 *
 * Not Node's `recursive` option: it loops forever where a directory exists and nothing can be created in
 * it, as in `/proc`.
 */
export function makePrivateDir(path: string): void {
	if (tryMkdir(path)) return;
	makePrivateDir(dirname(path));
	mkdirOnce(path);
}

/** Returns false when the parent is missing. */
function tryMkdir(path: string): boolean {
	try {
		mkdirOnce(path);
		return true;
	} catch (error) {
		const isParentMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
		if (!isParentMissing || dirname(path) === path) throw error;
		return false;
	}
}

function mkdirOnce(path: string): void {
	try {
		mkdirSync(path, { mode: 0o700 });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
	}
}
