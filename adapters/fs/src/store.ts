import { type FileHandle, unlink } from 'node:fs/promises';
import {
	type BlobContent,
	type BlobInfo,
	type BlobStore,
	type ByteRange,
	type PutBlobOptions,
	plinthError,
	type StoredBlob,
} from '@plinth/core';
import { checkBlobKey } from '@plinth/toolkit';
import { FileBody } from './body.ts';
import { checkWritable, type Directory, openIfPresent, publish, removeFile, sizeIfPresent, walk } from './directory.ts';
import { withStoreErrors } from './failures.ts';
import { readFooter, sizeIn } from './footer.ts';
import { isPrefix, keyOf, pathOf } from './keys.ts';
import { moveBlob, writeBlob } from './write.ts';

/** `BlobStore` on a local directory: one file per blob, with the metadata in its footer. */
export class FsBlobStore implements BlobStore {
	readonly #directory: Directory;

	constructor(directory: Directory) {
		this.#directory = directory;
	}

	async put(key: string, body: Uint8Array | AsyncIterable<Uint8Array>, options: PutBlobOptions): Promise<StoredBlob> {
		checkBlobKey(key);
		const temporary = this.#directory.temporaryFile();
		try {
			const info = await (options.file
				? moveBlob(temporary, options.file, options)
				: writeBlob(temporary, body, options));
			options.signal?.throwIfAborted();
			await withStoreErrors(publish(this.#directory, temporary, pathOf(key)));
			return { key, ...info };
		} catch (error) {
			await unlink(temporary).catch(() => {});
			throw error;
		}
	}

	async get(key: string, options: { readonly range?: ByteRange } = {}): Promise<BlobContent | null> {
		const opened = await this.#open(key);
		if (!opened) return null;
		const { handle, info } = opened;
		const { start, end } = options.range ?? { start: 0, end: info.size - 1 };
		if (options.range && !(start >= 0 && start <= end && end < info.size)) {
			await handle.close();
			throw plinthError('E_RANGE_NOT_SATISFIABLE');
		}
		return { ...info, body: new FileBody(handle, start, end + 1) };
	}

	/** A missing or read-only directory would look like an empty store. */
	async ping(): Promise<void> {
		await withStoreErrors(checkWritable(this.#directory));
	}

	async sweep(): Promise<void> {
		await this.#directory.sweep();
	}

	async head(key: string): Promise<BlobInfo | null> {
		const opened = await this.#open(key);
		await opened?.handle.close();
		return opened?.info ?? null;
	}

	async delete(keys: readonly string[]): Promise<void> {
		keys.forEach(checkBlobKey);
		const failures: unknown[] = [];
		for (const key of keys) {
			await withStoreErrors(removeFile(this.#directory, pathOf(key))).catch((error) => failures.push(error));
		}
		if (failures.length > 0) throw failures[0];
	}

	async *list(prefix: string): AsyncIterable<Pick<BlobInfo, 'key' | 'size'>> {
		if (!isPrefix(prefix)) throw new TypeError(`"${prefix}" is not a prefix of blob keys.`);
		if (prefix !== '' && !prefix.endsWith('/')) {
			yield* this.#entry(pathOf(prefix));
		}
		for await (const path of walk(this.#directory, prefix.replace(/\/$/, ''))) {
			yield* this.#entry(path);
		}
	}

	/** The size comes from the length of the file, so that damaged files are listed and can be deleted. */
	async *#entry(path: string): AsyncIterable<Pick<BlobInfo, 'key' | 'size'>> {
		const fileSize = await withStoreErrors(sizeIfPresent(this.#directory, path));
		if (fileSize !== null) yield { key: keyOf(path), size: sizeIn(fileSize) };
	}

	async #open(key: string): Promise<{ handle: FileHandle; info: BlobInfo } | null> {
		checkBlobKey(key);
		const handle = await withStoreErrors(openIfPresent(this.#directory, pathOf(key)));
		if (!handle) return null;
		try {
			const { size, contentType, sha256 } = await withStoreErrors(readFooter(handle));
			return { handle, info: { key, size, contentType, etag: sha256 } };
		} catch (error) {
			await handle.close();
			throw error;
		}
	}
}
