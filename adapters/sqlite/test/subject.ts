import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewJob } from '@plinth/core';
import { Connection } from '../src/engine/connection.ts';

// Thousands of commits: a disk in memory, where there is one, spares them as many turns of the real one.
const disk = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A file path in a directory of its own, and its removal. */
export async function temporaryFile(): Promise<{ file: string; remove(): Promise<void> }> {
	const directory = await mkdtemp(join(disk, 'plinth-sqlite-'));
	return {
		file: join(directory, 'plinth.db'),
		remove: () => rm(directory, { recursive: true, force: true }),
	};
}

/** Forgets everything in a file, as if it were new. */
export function empty(file: string): void {
	const connection = new Connection(file);
	connection.exec(`BEGIN IMMEDIATE;
		DELETE FROM jobs; DELETE FROM events; DELETE FROM messages; DELETE FROM records; DELETE FROM sqlite_sequence;
		COMMIT`);
	connection.close();
}

/** A job with the id `video_` and `id`. */
export const newJob = (id: string): NewJob => ({
	id: `video_${id}`,
	kind: 'video',
	tenant: 'acme',
	principal: 'key_1',
	model: 'sora-2',
	input: {},
	maxAttempts: 5,
});
