import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import {
	isReusableBody,
	orAbort,
	type PutBlobOptions,
	plinthError,
	untilAborted,
} from '@plinth/core';
import { storage } from './failures.ts';
import { type BlobFacts, footerOf } from './footer.ts';

/** Writes a blob's file, durably, under a name that nobody reads. What fails or is aborted leaves the file to the caller. */
export async function writeBlob(
	path: string,
	body: Uint8Array | AsyncIterable<Uint8Array>,
	{ contentType, maxBytes = Number.POSITIVE_INFINITY, signal }: PutBlobOptions,
): Promise<BlobFacts> {
	const handle = await storage(open(path, 'wx', 0o600));
	try {
		const hash = createHash('sha256');
		let size = 0;
		for await (const chunk of chunksOf(body, signal)) {
			size += chunk.length;
			if (size > maxBytes) throw plinthError('E_BODY_TOO_LARGE');
			hash.update(chunk);
			await storage(handle.writeFile(chunk));
		}
		const facts = { size, contentType, sha256: hash.digest('hex') };
		await storage(handle.writeFile(footerOf(facts)));
		await storage(handle.sync());
		return facts;
	} finally {
		await handle.close();
	}
}

const bufferBytes = 524_288;

/** The chunks of a body. Each is valid until the next one is asked for: fresh memory for all of them would keep the collector busy. */
async function* chunksOf(
	body: Uint8Array | AsyncIterable<Uint8Array>,
	signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
	if (body instanceof Uint8Array || !isReusableBody(body)) return yield* untilAborted(body, signal);
	const buffer = Buffer.allocUnsafeSlow(bufferBytes);
	try {
		for (;;) {
			signal?.throwIfAborted();
			const reading = body.readInto(buffer);
			const length = await (signal ? orAbort(signal, reading) : reading);
			if (length === 0) return;
			yield buffer.subarray(0, length);
		}
	} finally {
		await body[Symbol.asyncIterator]().return?.();
	}
}
