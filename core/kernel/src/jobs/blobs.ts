import type { JobStore } from '../contract/jobs/job-store.ts';
import type { BlobStore } from '../contract/ports/blob-store.ts';
import type { Logger } from '../contract/ports/logger.ts';

type BlobTools = { readonly blobs: BlobStore; readonly log: Logger };

export function jobPrefix(id: string): string {
	return `jobs/${id}/`;
}

/** The key prefix under which one attempt, and no other, writes. */
export function attemptPrefix(id: string, fence: number): string {
	return `${jobPrefix(id)}${fence}/`;
}

/** Deletes the blobs of earlier attempts. Logs a warning when the store failed. */
export async function deleteEarlierAttempts(tools: BlobTools, id: string, fence: number): Promise<void> {
	if (fence === 1) return;
	await deletePrefix(tools, jobPrefix(id), (key) => {
		const [attempt = ''] = key.slice(jobPrefix(id).length).split('/');
		return /^\d+$/.test(attempt) && Number(attempt) < fence;
	});
}

/**
 * Deletes the due blobs under a prefix, with one list and one delete, because each is a request to the store. Returns
 * false and warns when that fails; the next sweep tries again.
 */
export async function deletePrefix(
	{ blobs, log }: BlobTools,
	prefix: string,
	isDue = (_key: string) => true,
): Promise<boolean> {
	try {
		const keys: string[] = [];
		for await (const { key } of blobs.list(prefix)) if (isDue(key)) keys.push(key);
		if (keys.length > 0) await blobs.delete(keys);
		return true;
	} catch (err) {
		log.warn({ err, prefix }, 'bytes of a job could not be deleted; the next sweep tries again');
		return false;
	}
}

/** The blob that holds the identity of the job store to which the blobs belong. */
export const ownerKey = 'store-identity';

/** Who owns the blobs in a blob store, from the view of a job store. */
export type BlobOwner = 'this store' | 'no store' | 'another store';

/** What an operator does if the blobs belong to another job store. */
export const ownerRemedy =
	`Give this server a bucket, prefix or folder of its own. If its jobs do own these bytes, as after a lost database, ` +
	`delete the blob "${ownerKey}".`;

/** Compares the identity of the job store with the one that is stored with the blobs. */
export async function ownerOfBlobs(jobs: JobStore, blobs: BlobStore): Promise<BlobOwner> {
	const owner = await blobs.get(ownerKey);
	if (!owner) return 'no store';
	const chunks: Uint8Array[] = [];
	for await (const chunk of owner.body) chunks.push(Uint8Array.from(chunk));
	return Buffer.concat(chunks).toString() === (await jobs.identity()) ? 'this store' : 'another store';
}

/** Stores with the blobs that they belong to this job store. */
export async function claimBlobs(jobs: JobStore, blobs: BlobStore): Promise<void> {
	const body = Buffer.from(await jobs.identity());
	await blobs.put(ownerKey, body, { contentType: 'text/plain', size: body.length });
}
