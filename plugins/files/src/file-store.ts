import {
	type BlobStore,
	type ByteRange,
	type Clock,
	type Logger,
	plinthError,
	type UploadedFile,
} from '@plinth/core';
import { FileIds, isFileId } from './ids.ts';
import type { FileOptions } from './options.ts';
import { type FilePurpose, type FileRecord, isThere, type StoredFile } from './record.ts';
import type { FileRecords } from './records.ts';
import { refuseOverflow, usageOf } from './usage.ts';

/** What the shelf works with. */
export interface FileStoreTools {
	readonly records: FileRecords;
	readonly blobs: BlobStore;
	readonly clock: Clock;
	readonly options: FileOptions;
	readonly log: Logger;
}

/** What the sender of a file decides. */
export interface NewFile {
	readonly purpose: FilePurpose;
	/** Seconds from its creation until it is gone; undefined: it stays. */
	readonly lifetime: number | undefined;
}

/**
 * The stored files: for each a record, and a blob `files/<id>`.
 *
 * A file comes as record `arriving`, blob, record `ready`, and goes as record `leaving`, no blob, no record. So no blob is ever without a record, and
 * what a crash has cut short, after whichever write, is an arriving or leaving record that the sweep clears. A state is changed only from the version
 * that was read: of two deletions one succeeds, and an upload that the sweep has given up cannot become ready. Arriving files count as stored, so
 * uploads at the same time, in however many servers, never exceed a quota together; at its border each of them may be refused.
 */
export class FileStore {
	readonly #tools: FileStoreTools;
	readonly #ids = new FileIds();

	constructor(tools: FileStoreTools) {
		this.#tools = tools;
	}

	/** Stores an upload. Rejects with `E_FILE_QUOTA_EXCEEDED`, `E_STORE_FULL`, `E_STORE_UNAVAILABLE` or the signal's reason. */
	async store(
		tenant: string,
		upload: UploadedFile,
		wish: NewFile,
		signal: AbortSignal,
	): Promise<StoredFile> {
		const { records, blobs, clock, options } = this.#tools;
		const now = clock.now();
		const record = toRecord(tenant, upload, wish, now);
		const file = await records.add(this.#ids.next(now), record);
		try {
			refuseOverflow(await usageOf(records, tenant, now), options);
			const contentType = upload.mediaType;
			await blobs.put(blobKey(file.id), upload.stream(), { contentType, signal });
			const ready = await records.change(file, 'ready');
			if (ready) return ready;
			throw plinthError('E_STORE_UNAVAILABLE', { message: 'Storing the file took too long.' });
		} catch (error) {
			await this.#undo(file);
			throw error;
		}
	}

	/** A file that is there for this tenant; null for every other id. */
	async find(tenant: string, id: string): Promise<StoredFile | null> {
		if (!isFileId(id)) return null;
		const { records, clock } = this.#tools;
		const file = await records.find(tenant, id);
		return file && isThere(file.value, clock.now()) ? file : null;
	}

	/** Opens the bytes of a file, or a window of them; null when they have gone. */
	async bytes(id: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | null> {
		const blob = await this.#tools.blobs.get(blobKey(id), range ? { range } : {});
		return blob?.body ?? null;
	}

	/** Whether the bytes of a file are there. */
	async hasBytes(id: string): Promise<boolean> {
		return (await this.#tools.blobs.head(blobKey(id))) !== null;
	}

	/** Deletes a file. False: somebody else has. Once it has resolved the file is gone; the sweep deletes bytes that could not be deleted here. */
	async remove(file: StoredFile): Promise<boolean> {
		const { records, log } = this.#tools;
		if (!(await records.change(file, 'leaving'))) return false;
		await this.clear(file.id).catch((err: unknown) =>
			log.warn({ err, file_id: file.id }, 'a deleted file still has bytes; the sweep tries again'),
		);
		return true;
	}

	/** Deletes what is left of a leaving file. */
	async clear(id: string): Promise<void> {
		const { records, blobs } = this.#tools;
		await blobs.delete(blobKey(id));
		await records.remove(id);
	}

	/** Takes back a file that could not be stored. The answer to a write may have been lost after it was made, so the record is read again. */
	async #undo({ id, value }: StoredFile): Promise<void> {
		const { records, log } = this.#tools;
		try {
			const left = await records.find(value.tenant, id);
			if (left && left.value.state !== 'leaving') await this.remove(left);
			// The sweep may have cleared it before our blob was there.
			else await this.clear(id);
		} catch (err) {
			log.warn({ err, file_id: id }, 'a file that was not stored is left to the sweep');
		}
	}
}

function blobKey(id: string): string {
	return `files/${id}`;
}

function toRecord(
	tenant: string,
	upload: UploadedFile,
	{ purpose, lifetime }: NewFile,
	now: number,
): FileRecord {
	const { filename, size, sha256, mediaType } = upload;
	return {
		tenant,
		state: 'arriving',
		filename: filename || 'unnamed',
		size,
		sha256,
		mediaType,
		purpose,
		createdAt: now,
		// Clients count from `created_at`, which has whole seconds.
		expiresAt: lifetime === undefined ? null : (Math.floor(now / 1000) + lifetime) * 1000,
	};
}
