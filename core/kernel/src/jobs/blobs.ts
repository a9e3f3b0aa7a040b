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

/** Deletes what attempts before this one have written. */
export async function deleteEarlierAttempts(blobs: BlobStore, id: string, fence: number): Promise<void> {
	if (fence === 1) return;
	for await (const { key } of blobs.list(jobPrefix(id))) {
		const [attempt = ''] = key.slice(jobPrefix(id).length).split('/');
		if (/^\d+$/.test(attempt) && Number(attempt) < fence) await blobs.delete(key);
	}
}
