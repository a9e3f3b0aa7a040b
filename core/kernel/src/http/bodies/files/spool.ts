import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { plinthError } from '../../../contract/errors/coded-error.ts';
import type { UploadedFile } from '../../../contract/http/upload.ts';
import { freeChunk } from '../../free-chunk.ts';
import { uploadFolder } from './leftovers.ts';
import { mediaTypeOf, openingBytes } from './media-type.ts';

/** The bytes of one write. As many may wait for the disk meanwhile. */
const writeBytes = 262_144;

/** The temporary files of one request, in a folder that only this user can read. */
export class Spool {
	#folder: Promise<string> | undefined;
	#count = 0;

	/**
	 * Writes and hashes a file while it arrives. `ownsChunks`: nobody else reads the chunks of the stream. Who breaks the
	 * stream off destroys it with an error: else `pipeline` waits for an end that never comes, if the last byte has come.
	 */
	async save(body: Readable, filename: string, ownsChunks = false): Promise<UploadedFile> {
		// The stream may fail before it is read.
		body.on('error', () => {});
		// Starts the source: a generator that has not begun would not be closed with the stream.
		body.read(0);
		const { path, handle } = await this.#create().catch((error) => {
			body.destroy();
			throw storeError(error);
		});
		if (body.destroyed) {
			// `pipeline` would wait for ever.
			await handle.close();
			throw body.errored ?? new Error('The file ended early.');
		}
		const hash = createHash('sha256');
		const opening: Buffer[] = [];
		let size = 0;
		body.on('data', (chunk: Buffer) => {
			hash.update(chunk);
			// A copy: the parser's buffer is large and would live as long as the request.
			if (size < openingBytes) opening.push(Buffer.from(chunk.subarray(0, openingBytes - size)));
			size += chunk.length;
		});
		try {
			await pipeline(body, fileWriter(handle, ownsChunks));
		} catch (error) {
			throw storeError(error);
		} finally {
			await handle.close();
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

	async #create(): Promise<{ readonly path: string; readonly handle: FileHandle }> {
		// mkdtemp makes the folder with mode 0700. The client's file name is no part of the path.
		this.#folder ??= mkdtemp(uploadFolder());
		const path = join(await this.#folder, String(this.#count++));
		return { path, handle: await open(path, 'wx', 0o600) };
	}
}

/** Writes several chunks at once, because every write wakes a thread. */
function fileWriter(handle: FileHandle, ownsChunks: boolean): Writable {
	let chunks: Buffer[] = [];
	let size = 0;
	const flush = async () => {
		const [ready, length] = [chunks, size];
		[chunks, size] = [[], 0];
		const { bytesWritten } = await handle.writev(ready);
		if (bytesWritten < length) await handle.writeFile(Buffer.concat(ready).subarray(bytesWritten));
		if (ownsChunks) for (const chunk of ready) freeChunk(chunk);
	};
	return new Writable({
		highWaterMark: writeBytes,
		write(chunk: Buffer, _encoding, done) {
			chunks.push(chunk);
			size += chunk.length;
			if (size < writeBytes) done();
			else flush().then(() => done(), done);
		},
		final: (done) => void flush().then(() => done(), done),
	});
}

/** The file is opened by the first read. */
async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
	yield* createReadStream(path, { highWaterMark: 262_144 });
}

function storeError(error: unknown): unknown {
	const isDiskFull = ['ENOSPC', 'EDQUOT'].includes((error as { code?: string }).code ?? '');
	return isDiskFull ? plinthError('E_STORE_FULL', { cause: error }) : error;
}
