import type { BlobStore, Clock } from '@plinth/core';
import { type ImageFormat, type SigningKey, signName } from '@plinth/toolkit';
import { makeName, storedPrefix } from './url-names.ts';

/** Dependencies of a URL store. */
export interface UrlStoreOptions {
	readonly blobs: BlobStore;
	readonly key: SigningKey;
	readonly clock: Clock;
	/** Lifetime of a URL, in milliseconds. */
	readonly ttlMs: number;
}

/** Stores the pictures of one response and returns their URLs. */
export interface UrlStore {
	/** Stores a picture and returns its URL, which needs no key. */
	put(data: Uint8Array, format: ImageFormat, signal: AbortSignal): Promise<string>;
	/** Deletes the stored pictures of a failed response. The sweep deletes the rest. */
	clear(): Promise<void>;
}

/** Creates the store of one response. URLs start with `publicUrl`, or are those of a blob store that presigns. */
export function createUrlStore(options: UrlStoreOptions, publicUrl: string): UrlStore {
	const { blobs, key, clock, ttlMs } = options;
	const stored: string[] = [];
	return {
		async put(data, format, signal) {
			const name = makeName(clock.now() + ttlMs, format);
			const blob = `${storedPrefix}${name}`;
			await blobs.put(blob, data, { contentType: `image/${format}`, signal });
			stored.push(blob);
			if (blobs.presign) return blobs.presign(blob, ttlMs, { contentType: `image/${format}` });
			return `${publicUrl}/v1/images/results/${name}?signature=${signName(await key(), name)}`;
		},
		async clear() {
			await Promise.allSettled([blobs.delete(stored)]);
		},
	};
}
