import type { Metadata } from 'sharp';

/**
 * How many bytes of a picture libvips keeps at a time while it decodes, beyond a few rows; an upper bound. Most files are decoded row
 * by row and weigh nothing; interlaced PNG, progressive JPEG, and WebP that is lossless or transparent are held whole. `head` are the
 * first 16 bytes of the file.
 */
export function decodingBytes(head: Uint8Array, { width, height, ...metadata }: Metadata): number {
	return width * height * bytesPerPixel(head, metadata);
}

/** The same when the picture is also turned upright by EXIF, for which all of its pixels are needed at once. */
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
	// Pixels and a plane of alpha; or, in what could have been an animation, a frame and the canvas below.
	return hasCanvas ? 8 : 5;
}
