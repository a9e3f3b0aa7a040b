import type { JobStore } from '../contract/jobs/job-store.ts';
import type { BlobStore } from '../contract/ports/blob-store.ts';
import { deletePrefix, jobOfKey, jobPrefix } from './blobs.ts';
import { timeOfId } from './ids.ts';

/** How many ids are looked up at once; the most that `known` takes is 1,000. */
const batch = 500;

/**
 * Deletes the bytes of jobs that have no record: a process was killed between a job's attachments and its record,
 * or wrote after the record had gone. Only ids made at or before `before` are looked at, so that no create under
 * way is disturbed; keys of another form are left alone. Answers how many jobs it deleted bytes of; what cannot be
 * deleted goes to `onFailure` and holds up nothing else. Holds one batch of ids at a time.
 */
export async function deleteOrphans(
	blobs: BlobStore,
	store: JobStore,
	before: number,
	isStopped: () => boolean,
	onFailure: (id: string, err: unknown) => void,
): Promise<number> {
	let removed = 0;
	for await (const ids of batches(blobs, before)) {
		if (isStopped()) break;
		const known = new Set(await store.known(ids));
		for (const id of ids) {
			if (known.has(id) || isStopped()) continue;
			try {
				await deletePrefix(blobs, jobPrefix(id));
				removed += 1;
			} catch (err) {
				onFailure(id, err);
			}
		}
	}
	return removed;
}

/** The ids of the jobs that own blobs. An id may come again in a later batch. */
async function* batches(blobs: BlobStore, before: number): AsyncGenerator<string[]> {
	let ids = new Set<string>();
	for await (const { key } of blobs.list('jobs/')) {
		const id = jobOfKey(key);
		const time = id === undefined ? undefined : timeOfId(id);
		if (id === undefined || time === undefined || time > before) continue;
		ids.add(id);
		if (ids.size < batch) continue;
		yield [...ids];
		ids = new Set();
	}
	if (ids.size > 0) yield [...ids];
}
