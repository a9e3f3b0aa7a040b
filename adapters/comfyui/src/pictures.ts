import { modelError } from '@plinth/core';
import type { ImageInput } from '@plinth/plugin-image/model';

/** Maximum bytes of a picture. */
const pictureBytes = 268_435_456;

/** The media type of a picture by its first bytes; undefined for other files. */
export function pictureTypeOf(file: Buffer): ImageInput['mediaType'] | undefined {
	const head = file.toString('latin1', 0, 12);
	if (head.startsWith('\x89PNG')) return 'image/png';
	if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
	return /^RIFF.{4}WEBP/s.test(head) ? 'image/webp' : undefined;
}

/** The picture in a saved file. Rejects for a file that is no PNG, JPEG or WebP. */
export async function pictureOf(file: AsyncIterable<Buffer>) {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of file) {
		chunks.push(chunk);
		length += chunk.length;
		if (length > pictureBytes) throw modelError(`The workflow has saved more than ${pictureBytes} bytes.`);
	}
	const body = Buffer.concat(chunks, length);
	for (const { buffer, length } of chunks) {
		// Frees the memory at once. As garbage, it would cause a full garbage collection with every third picture.
		if (length === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
	}
	const mediaType = pictureTypeOf(body);
	if (!mediaType) throw modelError('The workflow has saved a file that is no PNG, JPEG or WebP.');
	return { body, mediaType };
}
