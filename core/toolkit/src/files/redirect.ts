import { type BlobStore, type PresignOptions, Reply } from '@plinth/core';

/** How long the URL of a redirect is valid, in milliseconds. A download that has started may take longer. */
const redirectMs = 300_000;

/**
 * A redirect to the blob store, or undefined when its operator has not enabled downloads from the store. Rejects with
 * `missing()` when there is no such blob, because the store's own error response would have another format.
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
