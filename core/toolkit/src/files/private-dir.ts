import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory that only its owner can enter, and the missing ones above it. One that is there stays as it is. Throws what
 * the file system says.
 *
 * Not Node's own `recursive`: where a directory exists and nothing can be made in it, as in `/proc`, that tries for ever.
 */
export function makePrivateDir(path: string): void {
	if (tryMkdir(path)) return;
	makePrivateDir(dirname(path));
	mkdirOnce(path);
}

/** False when the directory above is missing. */
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
