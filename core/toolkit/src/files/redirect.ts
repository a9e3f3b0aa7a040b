import { type BlobStore, type PresignOptions, Reply } from '@plinth/core';

/** How long the address of a redirect works, in milliseconds. A download that has begun may take longer. */
const redirectMs = 300_000;

/**
 * A redirect to the blob store, where its operator wants clients to download from it; undefined where not. Rejects with
 * `missing` where there is no such blob: the answer of the store itself would be in another form.
 */
export async function redirectToBlob(
	blobs: BlobStore,
	key: string,
	options: PresignOptions,
	missing: () => Error,
): Promise<Reply | undefined> {
	if (!blobs.presign) return undefined;
	if (!(await blobs.head(key))) throw missing();
	return Reply.redirect(await blobs.presign(key, redirectMs, options));
}
