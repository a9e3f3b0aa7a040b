import type { Metadata } from 'sharp';

/**
 * Upper bound of the bytes that libvips needs to decode a picture, beyond a few rows. Most files are
 * decoded row by row and need none. Interlaced PNG, progressive JPEG, and lossless or transparent WebP are
 * held in full. `head` has the first 16 bytes of the file.
 */
export function decodingBytes(head: Uint8Array, { width, height, ...metadata }: Metadata): number {
	return width * height * bytesPerPixel(head, metadata);
}

/** The same including EXIF rotation, which needs all pixels at once. */
export function rotatedDecodingBytes(head: Uint8Array, metadata: Metadata): number {
	const { width, height, channels, orientation = 1 } = metadata;
	return decodingBytes(head, metadata) + (orientation > 1 ? width * height * channels : 0);
}

function bytesPerPixel(head: Uint8Array, metadata: Omit<Metadata, 'width' | 'height'>): number {
	const { format, isProgressive, channels, depth } = metadata;
	switch (format) {
		case 'png':
			return isProgressive ? channels * (depth === 'ushort' ? 2 : 1) : 0;
		case 'jpeg':
			// The coefficients of all scans, 16 bits each.
			return isProgressive ? channels * 2 : 0;
		default:
			return webpBytesPerPixel(head, metadata.pages !== undefined);
	}
}

/** By the first chunk (RFC 9649 §2.5 to §2.7): simple lossy, simple lossless, or extended. */
function webpBytesPerPixel(head: Uint8Array, hasCanvas: boolean): number {
	const chunk = String.fromCharCode(...head.subarray(12, 16));
	if (chunk === 'VP8 ') return 0;
	if (chunk === 'VP8L') return 4;
	// Pixels and an alpha plane; for a possible animation, a frame and the canvas.
	return hasCanvas ? 8 : 5;
}
