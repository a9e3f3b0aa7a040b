import type { ImageFormat } from '@plinth/toolkit';
import { Refusal as TaskRefusal } from '@plinth/toolkit/processes/child';

/** Maximum pixels of an image, as in `ImageCodec`. */
export const maxPixels = 50_000_000;

/** Maximum bytes of an image file, as in `ImageCodec`. */
export const maxBytes = 52_428_800;

/** Timeout of decoding, in seconds. */
export const maxSeconds = 10;

/** Error codes of refused pictures. */
export type RefusalCode = 'E_IMAGE_UNREADABLE' | 'E_IMAGE_TOO_LARGE';

/** A picture was refused. Not a coded error, because the worker process does not load the kernel. */
export class Refusal extends TaskRefusal<RefusalCode> {}

/** The refusal of a picture whose decoding takes too long. */
export function tooSlow(cause?: unknown): Refusal {
	const message = `The image takes more than ${maxSeconds} seconds to decode. Send a smaller one.`;
	return new Refusal('E_IMAGE_TOO_LARGE', message, { cause });
}

/** The refusal of a picture that needs too much memory to decode. */
export function tooMuchMemory(): Refusal {
	return new Refusal(
		'E_IMAGE_TOO_LARGE',
		'The image takes too much memory to work on. Send a smaller one, or one that is neither interlaced nor progressive.',
	);
}

/** Runs a decoding of untrusted input. Converts its failures to a {@link Refusal}. */
export async function decode<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw tooLargeFor(error) ?? decodingError(error);
	}
}

/** Runs an encoding. Throws a {@link Refusal} when the picture is too large for the format. */
export async function encode<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw tooLargeFor(error) ?? error;
	}
}

/** libvips has no error codes, only messages. */
function decodingError(cause: unknown): Refusal {
	const message = messageOf(cause);
	if (/pixel limit|exceeds? .*limit|dimensions? too large/i.test(message)) {
		return new Refusal('E_IMAGE_TOO_LARGE', undefined, { cause });
	}
	return /timeout/i.test(message) ? tooSlow(cause) : new Refusal('E_IMAGE_UNREADABLE', undefined, { cause });
}

/** Maximum side of a format, in pixels. */
const maxSide: Readonly<Partial<Record<ImageFormat, number>>> = { jpeg: 65_535, webp: 16_383 };

function tooLargeFor(cause: unknown): Refusal | undefined {
	const name = /too large for the (\w+) format/.exec(messageOf(cause))?.[1];
	if (!name) return undefined;
	const side = maxSide[name.toLowerCase() as ImageFormat]?.toLocaleString('en');
	const limit = `${name}, which allows ${side} pixels on each side`;
	const message = `The image is too large for ${limit}. Choose another format or size.`;
	return new Refusal('E_IMAGE_TOO_LARGE', message, { cause });
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
