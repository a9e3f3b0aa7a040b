/** Bytes of one buffer: enough that a trip to the disk pays, little enough to stay near the processor. */
export const bufferBytes = 524_288;

const mostSpare = 16;
const spare: Buffer[] = [];

/** Memory to move bytes with, for uploads and downloads. It holds whatever was there before. */
export function takeBuffer(): Buffer {
	return spare.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
}

/**
 * Frees a chunk that owns its memory and that nobody reads any more. The collector would free it much later, and each
 * new chunk would take fresh memory until then: a WAV of 500 KB costs twice the CPU (`npm run bench -- gateway`).
 */
export function freeChunk({ length, buffer }: Uint8Array): void {
	if (length >= 16_384 && length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/**
 * Keeps a buffer for the next one. Only when neither the disk nor a socket has it in hand; otherwise it is left to
 * the collector.
 */
export function giveBuffer(buffer: Buffer): void {
	if (spare.length < mostSpare) spare.push(buffer);
}
