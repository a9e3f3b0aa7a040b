import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { type PutBlobOptions, plinthError, untilAborted } from '@plinth/core';
import { withStoreErrors } from './failures.ts';
import { type BlobMetadata, footerOf } from './footer.ts';

/** Writes a blob's file durably under a temporary name. On failure or abort, the caller removes the file. */
export async function writeBlob(
	path: string,
	body: Uint8Array | AsyncIterable<Uint8Array>,
	{ contentType, maxBytes = Number.POSITIVE_INFINITY, signal }: PutBlobOptions,
): Promise<BlobMetadata> {
	const handle = await withStoreErrors(open(path, 'wx', 0o600));
	try {
		const hash = createHash('sha256');
		let size = 0;
		for await (const chunk of untilAborted(body, signal)) {
			size += chunk.length;
			if (size > maxBytes) throw plinthError('E_BODY_TOO_LARGE');
			hash.update(chunk);
			await withStoreErrors(handle.writeFile(chunk));
		}
		const metadata = { size, contentType, sha256: hash.digest('hex') };
		await withStoreErrors(handle.writeFile(footerOf(metadata)));
		await withStoreErrors(handle.sync());
		return metadata;
	} finally {
		await handle.close();
	}
}
