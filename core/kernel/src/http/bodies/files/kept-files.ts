import { untilAborted } from '../../../contract/abort.ts';
import { plinthError } from '../../../contract/errors/coded-error.ts';
import type { Call } from '../../../contract/http/route.ts';
import type { UploadedFile } from '../../../contract/http/upload.ts';
import { shownFilename } from '../../answers/filename.ts';
import type { Exchange } from '../../exchange.ts';
import { Spool } from './spool.ts';

/** The files that a handler adds to its request from other sources. */
export function keptFiles(exchange: Exchange) {
	const ended = new AbortController();
	const spool = new Spool();
	const pending = new Set<Promise<unknown>>();
	return {
		/**
		 * Writes a file. Rejects with `E_OVERLOADED`, `E_BODY_TOO_LARGE` or `E_STORE_FULL`, with what the source throws, or
		 * with the reason of the request's end, also while the source is silent. Then the file is deleted.
		 */
		async keep(...[body, { filename, maxBytes }]: Parameters<Call['keep']>): Promise<UploadedFile> {
			const signal = AbortSignal.any([exchange.signal, ended.signal]);
			// Bytes that are reserved after the end of the request would never be released.
			signal.throwIfAborted();
			// Like an uploaded file, it uses disk space until the request has ended.
			exchange.slot?.reserve(maxBytes);
			const saving = spool.save(atMost(maxBytes, untilAborted(body, signal)), shownFilename(filename));
			pending.add(saving);
			return saving.finally(() => pending.delete(saving));
		},
		/** Aborts pending writes and deletes all files. Later calls of `keep` reject. */
		async remove(): Promise<void> {
			ended.abort(new Error('The request has ended, so no file can be kept for it.'));
			await Promise.allSettled(pending);
			await spool.remove();
		},
	};
}

async function* atMost(maxBytes: number, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let size = 0;
	for await (const chunk of body) {
		size += chunk.byteLength;
		if (size > maxBytes) {
			throw plinthError('E_BODY_TOO_LARGE', { message: `The file has more than ${maxBytes} bytes.` });
		}
		yield chunk;
	}
}
