/** A stream of the given chunks. */
export async function* from(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	yield* chunks;
}

/** Splits bytes into chunks whose sizes repeat; a size of 0 gives an empty chunk. */
export function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
	const chunks: Uint8Array[] = [];
	let start = 0;
	for (let index = 0; start < bytes.byteLength; index++) {
		// Each round must advance, even if all sizes are 0.
		const size = sizes[index % sizes.length] || (index % sizes.length === 0 ? 1 : 0);
		chunks.push(bytes.subarray(start, start + size));
		start += size;
	}
	return chunks;
}

/** All bytes of a stream. */
export async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of body) chunks.push(chunk.slice());
	return Buffer.concat(chunks);
}
