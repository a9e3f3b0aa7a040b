/** Bytes of one buffer: enough that a trip to the disk pays, little enough to stay near the processor. */
export const bufferBytes = 524_288;

const mostSpare = 16;
const spare: Buffer[] = [];

/** Memory to move bytes with, for uploads and downloads. It holds whatever was there before. */
export function takeBuffer(): Buffer {
	return spare.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
}

/** Keeps a buffer for the next one. Only when neither the disk nor a socket has it in hand; otherwise it is left to the collector. */
export function giveBuffer(buffer: Buffer): void {
	if (spare.length < mostSpare) spare.push(buffer);
}
