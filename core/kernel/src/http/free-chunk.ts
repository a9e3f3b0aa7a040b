/**
 * Frees a chunk that owns its memory and that nobody reads any more. The collector would free it much later, and each
 * new chunk would take fresh memory until then: a WAV of 500 KB costs twice the CPU (`npm run bench -- gateway`).
 */
export function freeChunk({ length, buffer }: Uint8Array): void {
	if (length >= 16_384 && length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
