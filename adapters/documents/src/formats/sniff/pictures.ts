/** The media type of a picture by its first bytes. */
export function pictureType(bytes: Uint8Array): string | undefined {
	const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 64));
	const begins = (text: string, at = 0) => head.toString('latin1', at, at + text.length) === text;
	if (begins('\x89PNG\r\n\x1a\n')) return 'image/png';
	if (begins('\xff\xd8\xff')) return 'image/jpeg';
	if (begins('GIF87a') || begins('GIF89a')) return 'image/gif';
	if (begins('RIFF') && begins('WEBP', 8)) return 'image/webp';
	if (tiffHeads.some((mark) => begins(mark))) return 'image/tiff';
	return begins('BM') && isBitmapHeader(head) ? 'image/bmp' : undefined;
}

const tiffHeads = ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'];

/** `BM` alone begins words too: the size of the header behind it is one of a few numbers. */
function isBitmapHeader(head: Buffer): boolean {
	return head.length >= 18 && [12, 40, 52, 56, 64, 108, 124].includes(head.readUInt32LE(14));
}
