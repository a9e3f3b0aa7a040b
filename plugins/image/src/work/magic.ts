import type { ImageFormat } from '@plinth/toolkit';

/** The format of a file by its first bytes; undefined unless it is PNG, JPEG or WebP. */
export function formatOf(bytes: Uint8Array): ImageFormat | undefined {
	if (text(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
	if (text(bytes, 0, 3) === '\xff\xd8\xff') return 'jpeg';
	if (text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 12) === 'WEBP') return 'webp';
	return undefined;
}

function text(bytes: Uint8Array, start: number, end: number): string {
	return Buffer.from(bytes.subarray(start, end)).toString('latin1');
}
