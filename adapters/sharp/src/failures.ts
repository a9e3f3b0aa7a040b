import { type PlinthError, plinthError } from '@plinth/core';

/** Most pixels of an image, the limit of `ImageCodec`. */
export const maxPixels = 50_000_000;

/** Most bytes of an image file, the limit of `ImageCodec`. */
export const maxBytes = 52_428_800;

/** How long decoding may take, in seconds. */
export const maxSeconds = 10;

/** Turns what libvips throws over an untrusted file into an error for its sender. libvips has no codes, only sentences. */
export function decodingError(cause: unknown): PlinthError {
	const message = cause instanceof Error ? cause.message : String(cause);
	if (/pixel limit|exceeds? .*limit|dimensions? too large/i.test(message)) {
		return plinthError('E_IMAGE_TOO_LARGE', { cause });
	}
	if (/timeout/i.test(message)) {
		return plinthError('E_IMAGE_TOO_LARGE', {
			message: `The image takes more than ${maxSeconds} seconds to decode. Send a smaller one.`,
			cause,
		});
	}
	return plinthError('E_IMAGE_UNREADABLE', { cause });
}
