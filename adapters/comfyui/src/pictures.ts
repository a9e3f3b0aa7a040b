import { modelError } from '@plinth/core';
import { pictureTypeOf } from '@plinth/plugin-image/model';

/** Maximum bytes of a picture. */
const pictureBytes = 268_435_456;

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
