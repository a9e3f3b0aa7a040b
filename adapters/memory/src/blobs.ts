import { createHash } from 'node:crypto';
import {
	type BlobContent,
	type BlobInfo,
	type BlobStore,
	type ByteRange,
	defineBackend,
	type PutBlobOptions,
	plinthError,
	type StoredBlob,
	services,
	untilAborted,
} from '@plinth/core';
import { checkBlobKey } from '@plinth/toolkit';
import { z } from 'zod';

/** Blobs in memory, kept until the process exits. */
export const memoryBlobs = defineBackend({
	name: 'memoryBlobs',
	provides: services.blobs,
	config: z.strictObject({}),
	create: () => new MemoryBlobStore(),
});

interface Entry {
	readonly info: BlobInfo;
	readonly bytes: Uint8Array;
}

class MemoryBlobStore implements BlobStore {
	readonly #blobs = new Map<string, Entry>();

	async put(key: string, body: Uint8Array | AsyncIterable<Uint8Array>, options: PutBlobOptions): Promise<StoredBlob> {
		checkBlobKey(key);
		const bytes = await collect(body, options);
		const sha256 = createHash('sha256').update(bytes).digest('hex');
		const description = { key, size: bytes.length, contentType: options.contentType };
		this.#blobs.set(key, { info: { ...description, etag: sha256 }, bytes });
		return { ...description, sha256 };
	}

	async get(key: string, options: { readonly range?: ByteRange } = {}): Promise<BlobContent | null> {
		checkBlobKey(key);
		const blob = this.#blobs.get(key);
		if (!blob) return null;
		const { start, end } = options.range ?? { start: 0, end: blob.bytes.length - 1 };
		if (options.range && !(start >= 0 && start <= end && end < blob.bytes.length)) {
			throw plinthError('E_RANGE_NOT_SATISFIABLE');
		}
		return { ...blob.info, body: bodyOf(blob.bytes.subarray(start, end + 1)) };
	}

	async head(key: string): Promise<BlobInfo | null> {
		checkBlobKey(key);
		return this.#blobs.get(key)?.info ?? null;
	}

	async delete(keys: readonly string[]): Promise<void> {
		keys.forEach(checkBlobKey);
		for (const key of keys) this.#blobs.delete(key);
	}

	async *list(prefix: string): AsyncIterable<Pick<BlobInfo, 'key' | 'size'>> {
		const childPrefix = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
		for (const [key, { bytes }] of this.#blobs) {
			if (key === prefix || key.startsWith(childPrefix)) yield { key, size: bytes.length };
		}
	}
}

/** Copies a body into memory, within the limits of the put. */
async function collect(
	body: Uint8Array | AsyncIterable<Uint8Array>,
	{ maxBytes = Number.POSITIVE_INFINITY, size: expected, signal }: PutBlobOptions,
): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of untilAborted(body, signal)) {
		size += chunk.length;
		if (size > maxBytes) throw plinthError('E_BODY_TOO_LARGE');
		chunks.push(Uint8Array.from(chunk));
	}
	if (expected !== undefined && size !== expected) throw new Error(`The body has ${size} bytes, not ${expected}.`);
	return Buffer.concat(chunks);
}

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	if (bytes.length > 0) yield Uint8Array.from(bytes);
}
