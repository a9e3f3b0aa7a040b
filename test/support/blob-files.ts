import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Paths of the files below the blob directory of a data directory, relative to it and sorted. The file with the store's
 * identity is omitted. Unfinished files begin with `@tmp/`.
 */
export function blobFiles(dataDir: string): readonly string[] {
	const folder = join(dataDir, 'blobs');
	return listed(folder)
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
		.filter((path) => path !== 'store-identity@')
		.sort();
}

/** Paths of the blob files of one job. */
export function blobFilesOf(dataDir: string, jobId: string): readonly string[] {
	return blobFiles(dataDir).filter((path) => path.startsWith(`jobs/${jobId}/`));
}

/** Lists a folder, and starts over when the server deletes a subfolder meanwhile. */
function listed(folder: string, triesLeft = 100): readonly Dirent[] {
	try {
		return readdirSync(folder, { recursive: true, withFileTypes: true });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || triesLeft === 0) throw error;
		return listed(folder, triesLeft - 1);
	}
}
