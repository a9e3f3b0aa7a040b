/** How many bytes of a file are looked at. */
export const openingBytes = 4100;

/** The media type of a file by its first bytes; `application/octet-stream` when they do not tell, as for text. */
export async function mediaTypeOf(bytes: Uint8Array): Promise<string> {
	const unknown = 'application/octet-stream';
	if (bytes.byteLength === 0) return unknown;
	// Loaded by the first file: a server that never sees one starts faster.
	const { fileTypeFromBuffer } = await import('file-type');
	// It reads on behind the end of a cut archive and throws.
	const found = await fileTypeFromBuffer(bytes.subarray(0, openingBytes)).catch(() => undefined);
	return found?.mime ?? unknown;
}
