import type { JobStore } from '../contract/jobs/job-store.ts';
import type { BlobStore } from '../contract/ports/blob-store.ts';

/** The blob that holds the identity of the job store to which the blobs belong. */
export const ownerKey = 'store-identity';

/** Whose blobs are in a blob store, as a job store sees it. */
export type BlobOwner = 'us' | 'nobody' | 'another';

/** What an operator does about blobs of another job store. */
export const ownerRemedy =
	`Give this server a bucket, prefix or folder of its own. If its jobs do own these bytes, as after a lost database, ` +
	`delete the blob "${ownerKey}".`;

/** Compares the identity of the job store with the one that is kept beside the blobs. */
export async function ownerOfBlobs(jobs: JobStore, blobs: BlobStore): Promise<BlobOwner> {
	const noted = await blobs.get(ownerKey);
	if (!noted) return 'nobody';
	const chunks: Uint8Array[] = [];
	for await (const chunk of noted.body) chunks.push(Uint8Array.from(chunk));
	return Buffer.concat(chunks).toString() === (await jobs.identity()) ? 'us' : 'another';
}

/** Notes beside the blobs that they belong to this job store. */
export async function claimBlobs(jobs: JobStore, blobs: BlobStore): Promise<void> {
	const body = Buffer.from(await jobs.identity());
	await blobs.put(ownerKey, body, { contentType: 'text/plain', size: body.length });
}
