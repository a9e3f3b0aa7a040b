import type { ImageFormat } from '@plinth/toolkit';

/** Bytes needed to detect the format, and the coding of a WebP. */
export const headBytes = 16;

/**
 * The format by the first bytes (PNG, 3rd edition §5.2; JPEG's SOI and first marker; RFC 9649 §2.4 for
 * WebP), or undefined. File names and media types are ignored.
 */
export function sniffFormat(image: Uint8Array): ImageFormat | undefined {
	if (startsWith(image, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'png';
	if (startsWith(image, 0, [0xff, 0xd8, 0xff])) return 'jpeg';
	const isRiff = startsWith(image, 0, [0x52, 0x49, 0x46, 0x46]);
	return isRiff && startsWith(image, 8, [0x57, 0x45, 0x42, 0x50]) ? 'webp' : undefined;
}

function startsWith(image: Uint8Array, offset: number, magic: readonly number[]): boolean {
	return magic.every((byte, index) => image[offset + index] === byte);
}
