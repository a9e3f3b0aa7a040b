import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { plinthError } from '../../../contract/errors/coded-error.ts';
import type { UploadedFile } from '../../../contract/http/upload.ts';
import { freeChunk } from '../../free-chunk.ts';
import { uploadFolder } from './leftovers.ts';

/** The bytes of one write. As many more are gathered meanwhile. */
const writeBytes = 262_144;

/** The bytes at the beginning of a file that are checked for its type. */
const openingBytes = 4100;

/** The temporary files of one request, in a folder that only this user can read. */
export class Spool {
	#folder: Promise<string> | undefined;
	#count = 0;

	/** Writes a file while it arrives, and deletes it when that fails. `ownsChunks` as for `create`. */
	async save(body: AsyncIterable<Uint8Array>, filename: string, ownsChunks = false): Promise<UploadedFile> {
		let file: SpoolFile | undefined;
		try {
			for await (const chunk of body) {
				file ??= await this.create(ownsChunks);
				await file.write(chunk);
			}
			file ??= await this.create();
			return await file.end(filename);
		} catch (error) {
			await file?.remove();
			throw error;
		}
	}

	/** Creates a file. `ownsChunks`: no other code reads the chunks that are written. Rejects with `E_STORE_FULL`. */
	async create(ownsChunks = false): Promise<SpoolFile> {
		// mkdtemp makes the folder with mode 0700. The client's file name is no part of the path.
		this.#folder ??= mkdtemp(uploadFolder());
		try {
			const path = join(await this.#folder, String(this.#count++));
			return new SpoolFile(path, await open(path, 'wx', 0o600), ownsChunks);
		} catch (error) {
			throw storeError(error);
		}
	}

	async remove(): Promise<void> {
		const folder = await this.#folder?.catch(() => undefined);
		if (folder) await rm(folder, { recursive: true, force: true });
	}
}

/** A file that is written and hashed in pieces, one at a time. */
export class SpoolFile {
	readonly #path: string;
	readonly #handle: FileHandle;
	readonly #ownsChunks: boolean;
	readonly #hash = createHash('sha256');
	readonly #opening: Uint8Array[] = [];
	#size = 0;
	#gathered: Uint8Array[] = [];
	#gatheredBytes = 0;
	#writing: Promise<void> = Promise.resolve();

	constructor(path: string, handle: FileHandle, ownsChunks: boolean) {
		this.#path = path;
		this.#handle = handle;
		this.#ownsChunks = ownsChunks;
	}

	get size(): number {
		return this.#size;
	}

	/** Resolves when there is room for more. Rejects with `E_STORE_FULL`, or with another error of the disk. */
	async write(chunk: Uint8Array): Promise<void> {
		this.#hash.update(chunk);
		// A copy: a part of the parser's large buffer would keep all of it in memory until the request ends.
		if (this.#size < openingBytes) this.#opening.push(Buffer.from(chunk.subarray(0, openingBytes - this.#size)));
		this.#size += chunk.length;
		// The source of a chunk may reuse its memory for the next one.
		this.#gathered.push(this.#ownsChunks ? chunk : Buffer.from(chunk));
		this.#gatheredBytes += chunk.length;
		// Several chunks at once, because every write wakes a thread.
		if (this.#gatheredBytes >= writeBytes) await this.#flush();
	}

	async end(filename: string): Promise<UploadedFile> {
		await this.#flush();
		await this.#writing;
		await this.#handle.close();
		const path = this.#path;
		return Object.freeze({
			$kind: 'plinth.upload' as const,
			filename,
			size: this.#size,
			sha256: this.#hash.digest('hex'),
			mediaType: await mediaTypeOf(Buffer.concat(this.#opening)),
			path,
			bytes: () => readFile(path),
			stream: () => readChunks(path),
		});
	}

	/** Aborts, and resolves when the file is deleted. */
	async remove(): Promise<void> {
		await this.#writing.catch(() => {});
		await this.#handle.close();
		await rm(this.#path, { force: true });
	}

	/** Starts a write after the previous one. More chunks are accepted meanwhile. */
	async #flush(): Promise<void> {
		await this.#writing;
		this.#writing = this.#writeAll(this.#gathered, this.#gatheredBytes);
		// The next flush rejects with the error.
		this.#writing.catch(() => {});
		this.#gathered = [];
		this.#gatheredBytes = 0;
	}

	async #writeAll(chunks: readonly Uint8Array[], length: number): Promise<void> {
		try {
			const { bytesWritten } = await this.#handle.writev(chunks);
			if (bytesWritten < length) await this.#handle.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
		} catch (error) {
			throw storeError(error);
		}
		if (this.#ownsChunks) for (const chunk of chunks) freeChunk(chunk);
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

/** The media type of a file by its first bytes; `application/octet-stream` when they do not show it, as for text. */
export async function mediaTypeOf(bytes: Uint8Array): Promise<string> {
	const unknown = 'application/octet-stream';
	if (bytes.byteLength === 0) return unknown;
	// Loaded for the first file, so that a server starts faster.
	const { fileTypeFromBuffer } = await import('file-type');
	// The library reads beyond the end of a truncated archive and throws.
	const type = await fileTypeFromBuffer(bytes.subarray(0, openingBytes)).catch(() => undefined);
	return type?.mime ?? unknown;
}
