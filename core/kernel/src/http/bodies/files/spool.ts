import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { plinthError } from '../../../contract/errors/coded-error.ts';
import type { UploadedFile } from '../../../contract/http/upload.ts';
import { writeBuffered } from './buffered-writer.ts';
import { FileChunks } from './file-chunks.ts';
import { uploadFolder } from './leftovers.ts';
import { mediaTypeOf, openingBytes } from './media-type.ts';

/** The temporary files of one request, in a folder that only this user can read. */
export class Spool {
	#folder: Promise<string> | undefined;
	#count = 0;

	/**
	 * Writes a file while it arrives, hashes it and finds its type by its first bytes. `ownsChunks` says that nobody
	 * else looks at what the stream brings.
	 */
	async save(body: Readable, filename: string, ownsChunks = false): Promise<UploadedFile> {
		const number = this.#count++;
		const hash = createHash('sha256');
		const opening = new Opening();
		let size = 0;
		let handle: Promise<FileHandle> | undefined;
		const open = () => {
			handle ??= this.#open(number);
			// Looked at below, and when something is written.
			handle.catch(() => {});
			return handle;
		};
		try {
			await writeBuffered(body, {
				ownsChunks,
				look(chunk) {
					void open();
					hash.update(chunk);
					opening.add(chunk);
					size += chunk.length;
				},
				write: async (bytes) => (await open()).writeFile(bytes),
			});
			await open();
		} catch (error) {
			throw isDiskFull(error) ? plinthError('E_STORE_FULL', { cause: error }) : error;
		} finally {
			await (await handle?.catch(() => undefined))?.close();
		}
		const mediaType = await opening.mediaType();
		const facts = { filename, size, sha256: hash.digest('hex'), mediaType };
		return uploadedFile(await this.#path(number), facts);
	}

	/** Deletes everything. */
	async remove(): Promise<void> {
		const folder = await this.#folder?.catch(() => undefined);
		if (folder) await rm(folder, { recursive: true, force: true });
	}

	async #open(number: number): Promise<FileHandle> {
		return open(await this.#path(number), 'wx', 0o600);
	}

	async #path(number: number): Promise<string> {
		// mkdtemp makes the folder with mode 0700. The client's file name is no part of the path.
		this.#folder ??= mkdtemp(uploadFolder());
		return join(await this.#folder, String(number));
	}
}

function uploadedFile(
	path: string,
	facts: Pick<UploadedFile, 'filename' | 'size' | 'sha256' | 'mediaType'>,
): UploadedFile {
	return Object.freeze({
		$kind: 'plinth.upload' as const,
		...facts,
		path,
		bytes: () => readFile(path),
		stream: () => new FileChunks(path),
	});
}

/** The first bytes of a file. */
class Opening {
	readonly #chunks: Buffer[] = [];
	#missing = openingBytes;

	add(chunk: Buffer): void {
		if (this.#missing <= 0) return;
		// A copy: the parser's buffer is large and would live as long as the request.
		this.#chunks.push(Buffer.from(chunk.subarray(0, this.#missing)));
		this.#missing -= chunk.length;
	}

	mediaType(): Promise<string> {
		return mediaTypeOf(Buffer.concat(this.#chunks));
	}
}

function isDiskFull(error: unknown): boolean {
	return ['ENOSPC', 'EDQUOT'].includes((error as { code?: string }).code ?? '');
}
