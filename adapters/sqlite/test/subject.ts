import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file path in a directory of its own, and its removal. */
export async function temporaryFile(): Promise<{ file: string; remove(): Promise<void> }> {
	const directory = await mkdtemp(join(tmpdir(), 'plinth-sqlite-'));
	return {
		file: join(directory, 'plinth.db'),
		remove: () => rm(directory, { recursive: true, force: true }),
	};
}
