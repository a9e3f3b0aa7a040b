import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { plinthError } from '../../../contract/errors/coded-error.ts';
import type { UploadedFile } from '../../../contract/http/upload.ts';
import { uploadFolder } from './leftovers.ts';
import { mediaTypeOf, openingBytes } from './media-type.ts';

/** The bytes that may wait for the disk. Those that wait are one write. */
const bufferBytes = 262_144;

/** The temporary files of one request, in a folder that only this user can read. */
export class Spool {
	#folder: Promise<string> | undefined;
	#count = 0;

	/** Writes a file while it arrives, hashes it and finds its type by its first bytes. */
	async save(body: Readable, filename: string): Promise<UploadedFile> {
		// The stream may fail before it is read.
		body.on('error', () => {});
		// Starts the source: a generator that has not begun would not be closed with the stream.
		body.read(0);
		const path = await this.#newPath().catch((error) => {
			body.destroy();
			throw storeError(error);
		});
		// `pipeline` would wait for ever.
		if (body.destroyed) throw body.errored ?? new Error('The file ended early.');
		const hash = createHash('sha256');
		const opening: Buffer[] = [];
		let size = 0;
		body.on('data', (chunk: Buffer) => {
			hash.update(chunk);
			// A copy: the parser's buffer is large and would live as long as the request.
			if (size < openingBytes) opening.push(Buffer.from(chunk.subarray(0, openingBytes - size)));
			size += chunk.length;
		});
		const file = createWriteStream(path, { flags: 'wx', mode: 0o600, highWaterMark: bufferBytes });
		try {
			await pipeline(body, file);
		} catch (error) {
			throw storeError(error);
		} finally {
			if (!file.closed) await once(file, 'close');
		}
		return Object.freeze({
			$kind: 'plinth.upload' as const,
			filename,
			size,
			sha256: hash.digest('hex'),
			mediaType: await mediaTypeOf(Buffer.concat(opening)),
			path,
			bytes: () => readFile(path),
			stream: () => readChunks(path),
		});
	}

	/** Deletes everything. */
	async remove(): Promise<void> {
		const folder = await this.#folder?.catch(() => undefined);
		if (folder) await rm(folder, { recursive: true, force: true });
	}

	async #newPath(): Promise<string> {
		// mkdtemp makes the folder with mode 0700. The client's file name is no part of the path.
		this.#folder ??= mkdtemp(uploadFolder());
		return join(await this.#folder, String(this.#count++));
	}
}

/** The file is opened by the first read. */
async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
	yield* createReadStream(path, { highWaterMark: 262_144 });
}

function storeError(error: unknown): unknown {
	const isDiskFull = ['ENOSPC', 'EDQUOT'].includes((error as { code?: string }).code ?? '');
	return isDiskFull ? plinthError('E_STORE_FULL', { cause: error }) : error;
}
