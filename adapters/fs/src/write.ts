import { createHash } from 'node:crypto';
import { copyFile, type FileHandle, open, rename } from 'node:fs/promises';
import {
	isReusableBody,
	type MovableFile,
	orAbort,
	type PutBlobOptions,
	plinthError,
	untilAborted,
} from '@plinth/core';
import { withStoreErrors } from './failures.ts';
import { type BlobMetadata, footerOf } from './footer.ts';

/** Writes a blob's file durably under a temporary name. On failure or abort, the caller removes the file. */
export async function writeBlob(
	path: string,
	body: Uint8Array | AsyncIterable<Uint8Array>,
	{ contentType, maxBytes = Number.POSITIVE_INFINITY, size: expected, signal }: PutBlobOptions,
): Promise<BlobMetadata> {
	const handle = await withStoreErrors(open(path, 'wx', 0o600));
	try {
		const hash = createHash('sha256');
		let size = 0;
		for await (const chunk of chunksOf(body, signal)) {
			size += chunk.length;
			if (size > maxBytes) throw plinthError('E_BODY_TOO_LARGE');
			hash.update(chunk);
			await withStoreErrors(handle.writeFile(chunk));
		}
		if (expected !== undefined && size !== expected) throw new Error(`The body has ${size} bytes, not ${expected}.`);
		const metadata = { size, contentType, sha256: hash.digest('hex') };
		await finish(handle, metadata);
		return metadata;
	} finally {
		await handle.close();
	}
}

/** Like {@link writeBlob}, but moves an existing file. Copies it only from another file system. */
export async function moveBlob(
	path: string,
	{ path: source, size, sha256 }: MovableFile,
	{ contentType, maxBytes = Number.POSITIVE_INFINITY, signal }: PutBlobOptions,
): Promise<BlobMetadata> {
	signal?.throwIfAborted();
	if (maxBytes < size) throw plinthError('E_BODY_TOO_LARGE');
	await withStoreErrors(moveFile(source, path));
	const handle = await withStoreErrors(open(path, 'a', 0o600));
	try {
		const metadata = { size, contentType, sha256 };
		await withStoreErrors(handle.chmod(0o600));
		await finish(handle, metadata);
		return metadata;
	} finally {
		await handle.close();
	}
}

async function moveFile(from: string, to: string): Promise<void> {
	try {
		await rename(from, to);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
		await copyFile(from, to);
	}
}

async function finish(handle: FileHandle, metadata: BlobMetadata): Promise<void> {
	await withStoreErrors(handle.writeFile(footerOf(metadata)));
	await withStoreErrors(handle.sync());
}

const bufferBytes = 524_288;

/**
 * The chunks of a body. Each is valid only until the next one is read: new memory for each would cause many garbage
 * collections.
 */
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
