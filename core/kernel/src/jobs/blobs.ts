import type { BlobStore } from '../contract/ports/blob-store.ts';

/** Where everything that belongs to a job is stored. */
export function jobPrefix(id: string): string {
	return `jobs/${id}/`;
}

/** Where one attempt, and no other, writes. */
export function attemptPrefix(id: string, fence: number): string {
	return `${jobPrefix(id)}${fence}/`;
}

/** Deletes every blob under a prefix. */
export async function deletePrefix(blobs: BlobStore, prefix: string): Promise<void> {
	for await (const { key } of blobs.list(prefix)) await blobs.delete(key);
}

/** The id of the job that a blob belongs to; undefined for blobs of other kinds. */
export function jobOfKey(key: string): string | undefined {
	return /^jobs\/([^/]+)\//.exec(key)?.[1];
}

/** Deletes what attempts before this one have written: they were lost, and nobody reads it. */
export async function deleteEarlierAttempts(blobs: BlobStore, id: string, fence: number): Promise<void> {
	if (fence === 1) return;
	for await (const { key } of blobs.list(jobPrefix(id))) {
		const [attempt = ''] = key.slice(jobPrefix(id).length).split('/');
		if (/^\d+$/.test(attempt) && Number(attempt) < fence) await blobs.delete(key);
	}
}
