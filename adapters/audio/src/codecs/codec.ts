/** One encoding under way, in the worker thread. Calls do not overlap, except that `close` may come at any time. */
export interface Codec {
	/** Takes mono samples and gives the bytes that are ready, maybe none, in memory that holds nothing else: it is handed over. */
	push(samples: Int16Array): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;
	/** Gives the rest of the bytes in the same way. */
	end(): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;
	/** Frees what the encoding holds. */
	close(): void;
}

/** One piece of memory with the bytes of all. */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
	let offset = 0;
	for (const part of parts) {
		bytes.set(part, offset);
		offset += part.byteLength;
	}
	return bytes;
}
