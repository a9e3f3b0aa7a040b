import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EncodedDocument } from '@plinth/toolkit';

/** Bytes that are hashed in one turn of the event loop, which takes some milliseconds. */
const sliceBytes = 2_097_152;

/** The lower-case hex SHA-256 of a document. A hash that comes with a file is not checked. */
export async function contentHash(document: EncodedDocument, signal?: AbortSignal): Promise<string> {
	const isFile = 'path' in document;
	if (isFile && document.sha256 !== undefined) return document.sha256;
	const hash = createHash('sha256');
	const chunks = isFile ? createReadStream(document.path, { highWaterMark: 262_144 }) : slices(document);
	for await (const chunk of chunks) {
		signal?.throwIfAborted();
		hash.update(chunk);
	}
	return hash.digest('hex');
}

async function* slices(bytes: Uint8Array) {
	for (let at = 0; at < bytes.byteLength; at += sliceBytes) {
		if (at > 0) await nextTurn();
		yield bytes.subarray(at, at + sliceBytes);
	}
}
