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
	await deleteListed(blobs, prefix, () => true);
}

/** Deletes what attempts before this one have written. */
export async function deleteEarlierAttempts(blobs: BlobStore, id: string, fence: number): Promise<void> {
	if (fence === 1) return;
	await deleteListed(blobs, jobPrefix(id), (key) => {
		const [attempt = ''] = key.slice(jobPrefix(id).length).split('/');
		return /^\d+$/.test(attempt) && Number(attempt) < fence;
	});
}

/** One list and one delete: for a store on the network, each is a request. */
async function deleteListed(blobs: BlobStore, prefix: string, isDue: (key: string) => boolean): Promise<void> {
	const keys: string[] = [];
	for await (const { key } of blobs.list(prefix)) if (isDue(key)) keys.push(key);
	if (keys.length > 0) await blobs.delete(keys);
}
