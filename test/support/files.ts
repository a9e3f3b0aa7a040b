import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The paths of all files below a folder. A file that is deleted meanwhile is left out. */
export async function filesBelow(dir: string): Promise<string[]> {
	const entries = await readdir(dir, { withFileTypes: true }).catch((error) => {
		if (error.code === 'ENOENT') return [];
		throw error;
	});
	const found = await Promise.all(
		entries.map(async (entry) => {
			const path = join(dir, entry.name);
			return entry.isDirectory() ? filesBelow(path) : [path];
		}),
	);
	return found.flat();
}
