import type { ImageFormat } from '@plinth/toolkit';
import { Refusal as TaskRefusal } from '@plinth/toolkit/processes/child';

/** Most pixels of an image, the limit of `ImageCodec`. */
export const maxPixels = 50_000_000;

/** Most bytes of an image file, the limit of `ImageCodec`. */
export const maxBytes = 52_428_800;

/** How long decoding may take, in seconds. */
export const maxSeconds = 10;

/** Codes of the kernel's error table that a picture can earn. */
export type RefusalCode = 'E_IMAGE_UNREADABLE' | 'E_IMAGE_TOO_LARGE';

/** A picture is refused. Not a coded error yet: the worker process, which refuses too, has no kernel to make one with. */
export class Refusal extends TaskRefusal<RefusalCode> {}

/** What is said of a picture whose decoding does not come to an end. */
export function tooSlow(cause?: unknown): Refusal {
	const message = `The image takes more than ${maxSeconds} seconds to decode. Send a smaller one.`;
	return new Refusal('E_IMAGE_TOO_LARGE', message, { cause });
}

/** What is said of a picture that would have to be held whole while it is decoded, and is too large for that. */
export function tooMuchMemory(): Refusal {
	return new Refusal(
		'E_IMAGE_TOO_LARGE',
		'The image takes too much memory to work on. Send a smaller one, or one that is neither interlaced nor progressive.',
	);
}

/** Does what libvips may fail at over an untrusted file; it then rejects with a {@link Refusal}. */
export async function decode<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw tooLargeFor(error) ?? decodingError(error);
	}
}

/** Stores pixels, which may be more than the format takes: that rejects with a {@link Refusal}. */
export async function encode<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw tooLargeFor(error) ?? error;
	}
}

/** libvips has no codes, only sentences. */
function decodingError(cause: unknown): Refusal {
	const message = messageOf(cause);
	if (/pixel limit|exceeds? .*limit|dimensions? too large/i.test(message)) {
		return new Refusal('E_IMAGE_TOO_LARGE', undefined, { cause });
	}
	return /timeout/i.test(message)
		? tooSlow(cause)
		: new Refusal('E_IMAGE_UNREADABLE', undefined, { cause });
}

/** Longest sides in pixels that a format has room for. */
const maxSide: Readonly<Partial<Record<ImageFormat, number>>> = { jpeg: 65_535, webp: 16_383 };

function tooLargeFor(cause: unknown): Refusal | undefined {
	const name = /too large for the (\w+) format/.exec(messageOf(cause))?.[1];
	if (!name) return undefined;
	const side = maxSide[name.toLowerCase() as ImageFormat]?.toLocaleString('en');
	const message = `The image is too large for ${name}, which takes ${side} pixels on each side. Choose another format or size.`;
	return new Refusal('E_IMAGE_TOO_LARGE', message, { cause });
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
