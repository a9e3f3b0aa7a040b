import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { type PutBlobOptions, plinthError, untilAborted } from '@plinth/core';
import { storage } from './failures.ts';
import { type BlobFacts, footerOf } from './footer.ts';

/** Writes a blob's file, durably, under a name that nobody reads. What fails or is aborted leaves the file to the caller. */
export async function writeBlob(
	path: string,
	body: Uint8Array | AsyncIterable<Uint8Array>,
	{ contentType, maxBytes = Number.POSITIVE_INFINITY, signal }: PutBlobOptions,
): Promise<BlobFacts> {
	const handle = await storage(open(path, 'wx', 0o600));
	try {
		const hash = createHash('sha256');
		let size = 0;
		for await (const chunk of untilAborted(body, signal)) {
			size += chunk.length;
			if (size > maxBytes) throw plinthError('E_BODY_TOO_LARGE');
			hash.update(chunk);
			await storage(handle.writeFile(chunk));
		}
		const facts = { size, contentType, sha256: hash.digest('hex') };
		await storage(handle.writeFile(footerOf(facts)));
		await storage(handle.sync());
		return facts;
	} finally {
		await handle.close();
	}
}
