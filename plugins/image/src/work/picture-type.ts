import type { ImageInput } from '../model.ts';

/** The media type of an encoded picture by its first bytes; undefined unless it is PNG, JPEG or WebP. */
export function pictureTypeOf(bytes: Uint8Array): ImageInput['mediaType'] | undefined {
	const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
	if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
	if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
	return /^RIFF.{4}WEBP/s.test(head) ? 'image/webp' : undefined;
}
