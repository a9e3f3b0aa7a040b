/** One encoding in the worker thread. Calls do not overlap, except that `close` may come at any time. */
export interface Codec {
	/**
	 * Encodes mono samples and returns the finished bytes, if any. Their buffer holds nothing else, because it
	 * is transferred.
	 */
	push(samples: Int16Array): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;
	/** Returns the remaining bytes in the same way. */
	end(): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;
	/** Frees the resources of the encoding. */
	close(): void;
}

/** Concatenates byte arrays. */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
	let offset = 0;
	for (const part of parts) {
		bytes.set(part, offset);
		offset += part.byteLength;
	}
	return bytes;
}
