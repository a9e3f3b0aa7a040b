import { mediaTypeOf, modelError } from '@plinth/core';
import type { VideoPoster, VideoPreview, VideoSpritesheet } from './model.ts';

const boxHeader = 8;

/**
 * Yields the model's video unchanged, or throws a `modelError` when the bytes are not MP4: every MP4 starts with an
 * `ftyp` box (ISO/IEC 14496-12 §4.3). Without this check an upstream's error page would be served as a video.
 */
export async function* checkedMp4(body: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let head: Uint8Array | undefined = new Uint8Array();
	for await (const chunk of body instanceof Uint8Array ? [body] : body) {
		if (!head) {
			yield chunk;
			continue;
		}
		head = Buffer.concat([head, chunk]);
		if (head.length < boxHeader) continue;
		if (ascii(head, 4, 8) !== 'ftyp') throw await notMp4(head);
		yield head;
		head = undefined;
	}
	if (head) throw modelError('The model returned no video.');
}

async function notMp4(head: Uint8Array): Promise<Error> {
	return modelError(`The model returned bytes that are ${await mediaTypeOf(head)}, not video/mp4.`);
}

/** Whether the bytes of a picture match its media type. */
export function matchesMediaType({ body, mediaType }: VideoPoster | VideoPreview | VideoSpritesheet): boolean {
	if (mediaType === 'image/jpeg') return ascii(body, 0, 3) === '\xff\xd8\xff';
	if (mediaType === 'image/png') return ascii(body, 0, 8) === '\x89PNG\r\n\x1a\n';
	if (mediaType !== 'image/webp') return false;
	return ascii(body, 0, 4) === 'RIFF' && ascii(body, 8, 12) === 'WEBP';
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
	return Buffer.from(bytes.subarray(start, end)).toString('latin1');
}
