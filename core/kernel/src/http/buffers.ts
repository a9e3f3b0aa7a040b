/** Bytes of one buffer: enough that a trip to the disk pays, little enough to stay near the processor. */
export const bufferBytes = 524_288;

const mostSpare = 16;
const spare: Buffer[] = [];

/** Memory to move bytes with, for uploads and downloads. It holds whatever was there before. */
export function takeBuffer(): Buffer {
	return spare.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
}

/**
 * Frees a chunk that has memory of its own and that nobody looks at any more. Left to the collector, a large body
 * would make it search everything many times over.
 */
export function freeChunk({ length, buffer }: Buffer): void {
	if (length >= 16_384 && length === buffer.byteLength && buffer instanceof ArrayBuffer) {
		buffer.transfer(0);
	}
}

/**
 * Keeps a buffer for the next one. Only when neither the disk nor a socket has it in hand; otherwise it is left to
 * the collector.
 */
export function giveBuffer(buffer: Buffer): void {
	if (spare.length < mostSpare) spare.push(buffer);
}
