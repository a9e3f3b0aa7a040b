import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { EncodedDocument } from '@plinth/toolkit';

/** Bytes that are hashed in one turn of the event loop: some milliseconds. */
const sliceBytes = 2_097_152;

/** Lower-case hex SHA-256 of a document; that of a file is believed where it is known. Rejects with what the file system throws. */
export async function contentHash(document: EncodedDocument, signal?: AbortSignal): Promise<string> {
	if ('path' in document) return document.sha256 ?? (await hashOfFile(document.path, signal));
	const hash = createHash('sha256');
	for (let at = 0; at < document.byteLength; at += sliceBytes) {
		if (at > 0) await turn();
		signal?.throwIfAborted();
		hash.update(document.subarray(at, at + sliceBytes));
	}
	return hash.digest('hex');
}

async function hashOfFile(path: string, signal: AbortSignal | undefined): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of createReadStream(path, { highWaterMark: 262_144 })) {
		signal?.throwIfAborted();
		hash.update(chunk);
	}
	return hash.digest('hex');
}
