import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../../../contract/ports/logger.ts';
import { ownerMark, ownerState } from './process-mark.ts';

const name = /^plinth-([0-9a-f]+-\d+-\d+)-[A-Za-z0-9]{6}$/;

/**
 * No request lives as long: a folder whose process cannot be looked for is left over when nothing was made in it
 * since.
 */
const foreignMs = 24 * 60 * 60 * 1000;

/** Where a new upload folder goes, without the six characters that make it unique. */
export function uploadFolder(): string {
	return join(tmpdir(), `plinth-${ownerMark()}-`);
}

/**
 * Deletes the upload folders of processes that were killed. Those of living processes stay, whoever's they are, and
 * so does whatever belongs to another user. Never rejects.
 */
export async function removeLeftUploads(log: Logger): Promise<void> {
	const root = tmpdir();
	const found = await readdir(root).catch(() => []);
	let removed = 0;
	for (const entry of found) {
		const owner = name.exec(entry)?.[1];
		if (owner === undefined || ownerState(owner) === 'alive') continue;
		const path = join(root, entry);
		try {
			// Not stat: a link with such a name must not lead anywhere.
			const folder = await lstat(path);
			const isOurs = process.getuid === undefined || folder.uid === process.getuid();
			const isLeft = ownerState(owner) === 'gone' || Date.now() - folder.mtimeMs > foreignMs;
			if (!folder.isDirectory() || !isOurs || !isLeft) continue;
			await rm(path, { recursive: true, force: true });
			removed += 1;
		} catch (err) {
			// Processes that start together clean up together.
			if ((err as { code?: string }).code === 'ENOENT') continue;
			log.warn({ err, path }, 'a folder that a killed process has left could not be removed');
		}
	}
	if (removed > 0) log.info({ removed }, 'removed the uploads of processes that were killed');
}
