/**
 * Frees a chunk that owns its memory and is not read any more. The garbage collector would free it much later, and each
 * new chunk would allocate memory until then: a WAV of 500 KB costs twice the CPU (`npm run bench -- gateway`).
 */
export function freeChunk({ length, buffer }: Uint8Array): void {
	if (length >= 16_384 && length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
