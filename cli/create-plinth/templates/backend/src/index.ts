import { createHash } from 'node:crypto';
import { type BlobInfo, type BlobStore, defineBackend, plinthError, services, untilAborted } from '@plinth/core';
import { checkBlobKey } from '@plinth/toolkit';
import { z } from 'zod';

/** A backend that stores blobs. This one is a Map; replace its methods. */
export const mapBlobs = defineBackend({
	name: 'mapBlobs',
	provides: services.blobs,
	// The options of the backend. A wrong option keeps the server from starting.
	config: z.strictObject({ maxBytes: z.number().int().min(1).default(1_000_000_000) }),
	create: ({ config, onStop }) => {
		const blobs = new Map<string, Blob>();
		onStop(() => blobs.clear());
		return store(blobs, config.maxBytes);
	},
});

interface Blob extends BlobInfo {
	readonly bytes: Uint8Array;
}

function store(blobs: Map<string, Blob>, limit: number): BlobStore {
	const find = (key: string) => {
		checkBlobKey(key);
		return blobs.get(key);
	};
	return {
		async put(key, body, { contentType, maxBytes = limit, size, signal }) {
			checkBlobKey(key);
			const bytes = await collect(untilAborted(body, signal), Math.min(maxBytes, limit));
			if (size !== undefined && size !== bytes.length)
				throw new Error(`The body has ${bytes.length} bytes, not ${size}.`);
			const sha256 = createHash('sha256').update(bytes).digest('hex');
			const info = { key, size: bytes.length, contentType };
			blobs.set(key, { ...info, etag: sha256, bytes });
			return { ...info, sha256 };
		},
		async get(key, { range } = {}) {
			const blob = find(key);
			if (!blob) return null;
			const { bytes, ...info } = blob;
			const { start, end } = range ?? { start: 0, end: info.size - 1 };
			if (range && !(start >= 0 && start <= end && end < info.size)) throw plinthError('E_RANGE_NOT_SATISFIABLE');
			return { ...info, body: pieces(bytes.subarray(start, end + 1)) };
		},
		async head(key) {
			const blob = find(key);
			if (!blob) return null;
			const { bytes, ...info } = blob;
			return info;
		},
		async delete(keys) {
			keys.forEach(checkBlobKey);
			for (const key of keys) blobs.delete(key);
		},
		async *list(prefix) {
			const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
			for (const { key, size } of blobs.values()) {
				if (key === prefix || key.startsWith(folder)) yield { key, size };
			}
		},
	};
}

/** Copies a body into memory, because the sender may reuse the memory of a chunk. */
async function collect(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		if (size > maxBytes) throw plinthError('E_BODY_TOO_LARGE');
		chunks.push(Uint8Array.from(chunk));
	}
	return Buffer.concat(chunks);
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	if (bytes.length > 0) yield Uint8Array.from(bytes);
}
