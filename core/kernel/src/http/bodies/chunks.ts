import { on } from 'node:events';
import type { Readable } from 'node:stream';
import { isPlinthError, type PlinthError, plinthError } from '../../contract/errors/coded-error.ts';

/**
 * The chunks of a body or file. Throws `E_BODY_TOO_LARGE` beyond `limit` bytes, `E_BODY_MALFORMED` when it ends early,
 * and the reason of the signal, also while the client is silent. The source stays open, so that its rest can be read.
 */
export async function* chunksOf(source: Readable, limit: number, signal: AbortSignal): AsyncGenerator<Buffer> {
	let received = 0;
	try {
		// Not with the stream's own iterator, which destroys the stream, or copies buffered chunks into new memory.
		const options = { signal, close: ['end', 'close'], highWaterMark: 1, lowWaterMark: 1 };
		for await (const [chunk] of source.destroyed ? [] : on(source, 'data', options)) {
			received += chunk.length;
			if (received > limit) throw bodyTooLarge(limit);
			yield chunk;
		}
		if (!source.readableEnded) throw malformed(cutOff);
	} catch (error) {
		signal.throwIfAborted();
		throw isPlinthError(error) ? error : malformed(cutOff, error);
	} finally {
		source.pause();
	}
}

export const cutOff = 'the body ended early or cannot be decoded';

export function malformed(reason: string, cause?: unknown): PlinthError {
	return plinthError('E_BODY_MALFORMED', { message: `The request body cannot be read: ${reason}.`, cause });
}

export function bodyTooLarge(bytes: number): PlinthError {
	const message = `The request body has more than the ${bytes} bytes that this route allows.`;
	return plinthError('E_BODY_TOO_LARGE', { message });
}

export function tooLarge(param: string | undefined, what: string, bytes: number): PlinthError {
	const rest = `${what} has more than ${bytes} bytes.`;
	const details = param === undefined ? { message: `The ${rest}` } : { param, message: `${param}: the ${rest}` };
	return plinthError('E_BODY_TOO_LARGE', details);
}

export function tooMany(what: string, limit: number): PlinthError {
	return plinthError('E_BODY_TOO_LARGE', { message: `The request body has more than ${limit} ${what}.` });
}
