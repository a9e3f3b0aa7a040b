import type { BlobStore, Clock } from '@plinth/core';
import type { ImageFormat } from '@plinth/toolkit';
import type { SigningKey } from './signing-key.ts';
import { makeName, sign, storedPrefix } from './url-names.ts';

/** What storing pictures behind URLs needs. */
export interface UrlTools {
	readonly blobs: BlobStore;
	readonly key: SigningKey;
	readonly clock: Clock;
	/** How long a URL works, in milliseconds. */
	readonly ttlMs: number;
}

/** The pictures of one answer that are kept behind URLs. */
export interface Shelf {
	/** Stores a picture and returns its address, which needs no key. */
	put(data: Uint8Array, format: ImageFormat, signal: AbortSignal): Promise<string>;
	/** Deletes what was stored, for an answer that nobody gets. What cannot be deleted goes with the sweep. */
	clear(): Promise<void>;
}

/** Keeps the pictures of one answer. `publicUrl` is what the addresses begin with, unless the store makes addresses itself. */
export function createShelf(tools: UrlTools, publicUrl: string): Shelf {
	const { blobs, key, clock, ttlMs } = tools;
	const stored: string[] = [];
	return {
		async put(data, format, signal) {
			const name = makeName(clock.now() + ttlMs, format);
			const blob = `${storedPrefix}${name}`;
			await blobs.put(blob, data, { contentType: `image/${format}`, signal });
			stored.push(blob);
			if (blobs.presign) return blobs.presign(blob, ttlMs);
			return `${publicUrl}/v1/images/results/${name}?signature=${sign(await key(), name)}`;
		},
		async clear() {
			await Promise.allSettled(stored.map((blob) => blobs.delete(blob)));
		},
	};
}
