import {
	type BlobStore,
	type ByteRange,
	type Clock,
	type Logger,
	type PresignOptions,
	plinthError,
	type Reply,
	type UploadedFile,
} from '@plinth/core';
import { redirectToBlob } from '@plinth/toolkit';
import { FileIds, isFileId } from './ids.ts';
import type { FileOptions } from './options.ts';
import { type FilePurpose, type FileRecord, isAvailable, type StoredFile } from './record.ts';
import type { FileRecords } from './records.ts';
import { checkQuota, usageOf } from './usage.ts';

/** Dependencies of the store. */
export interface FileStoreOptions {
	readonly records: FileRecords;
	readonly blobs: BlobStore;
	readonly clock: Clock;
	readonly options: FileOptions;
	readonly log: Logger;
}

/** The client's options for a new file. */
export interface NewFile {
	readonly purpose: FilePurpose;
	/** Lifetime in seconds; undefined: unlimited. */
	readonly lifetimeSeconds: number | undefined;
}

/**
 * Stored files: each has a record and a blob `files/<id>`.
 *
 * An upload writes the record as `uploading`, then the blob, then the record as `ready`. A deletion writes
 * the record as `deleting`, then deletes the blob, then the record. So no blob is ever without a record,
 * and a crash leaves an uploading or deleting record that the sweep clears. State changes are conditional
 * on the version that was read: of two deletions one succeeds, and an upload that the sweep has deleted
 * cannot become ready. Uploading files count against the quota, so concurrent uploads on any number of
 * servers never exceed it together; near the limit each of them may be refused.
 */
export class FileStore {
	readonly #deps: FileStoreOptions;
	readonly #ids = new FileIds();

	constructor(deps: FileStoreOptions) {
		this.#deps = deps;
	}

	/**
	 * Stores an upload. Rejects with `E_FILE_QUOTA_EXCEEDED`, `E_STORE_FULL`, `E_STORE_UNAVAILABLE` or the
	 * signal's reason.
	 */
	async add(tenant: string, upload: UploadedFile, newFile: NewFile, signal: AbortSignal): Promise<StoredFile> {
		const { records, blobs, clock, options } = this.#deps;
		const now = clock.now();
		const record = toRecord(tenant, upload, newFile, now);
		const file = await records.add(this.#ids.next(now), record);
		try {
			checkQuota(await usageOf(records, tenant, now), options);
			const { mediaType: contentType, size } = upload;
			await blobs.put(blobKey(file.id), upload.stream(), { contentType, size, signal, file: upload });
			const ready = await records.change(file, 'ready');
			if (ready) return ready;
			throw plinthError('E_STORE_UNAVAILABLE', { message: 'Storing the file took too long.' });
		} catch (error) {
			await this.#undo(file);
			throw error;
		}
	}

	/** The available file of this tenant; null for any other id. */
	async find(tenant: string, id: string): Promise<StoredFile | null> {
		if (!isFileId(id)) return null;
		const { records, clock } = this.#deps;
		const file = await records.find(tenant, id);
		return file && isAvailable(file.value, clock.now()) ? file : null;
	}

	/** Opens the bytes of a file, or a range of them; null when the blob is missing. */
	async bytes(id: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | null> {
		const blob = await this.#deps.blobs.get(blobKey(id), range ? { range } : {});
		return blob?.body ?? null;
	}

	/** The redirect to the bytes of a file, if the blob store is configured to redirect. */
	redirect(id: string, options: PresignOptions, missing: () => Error): Promise<Reply | undefined> {
		return redirectToBlob(this.#deps.blobs, blobKey(id), options, missing);
	}

	/** Whether the blob of a file exists. */
	async hasBytes(id: string): Promise<boolean> {
		return (await this.#deps.blobs.head(blobKey(id))) !== null;
	}

	/**
	 * Deletes a file; false when another request has deleted it. The sweep deletes bytes that could not be deleted here.
	 */
	async remove(file: StoredFile): Promise<boolean> {
		const { records, log } = this.#deps;
		if (!(await records.change(file, 'deleting'))) return false;
		await this.clear(file.id).catch((err: unknown) =>
			log.warn({ err, file_id: file.id }, 'a deleted file still has bytes; the sweep retries'),
		);
		return true;
	}

	/** Deletes the blob and the record of a deleting file. */
	async clear(id: string): Promise<void> {
		const { records, blobs } = this.#deps;
		await blobs.delete([blobKey(id)]);
		await records.remove(id);
	}

	/** Removes a file whose upload failed. The record is read again, because a failed write may have taken place. */
	async #undo({ id, value }: StoredFile): Promise<void> {
		const { records, log } = this.#deps;
		try {
			const current = await records.find(value.tenant, id);
			if (current && current.value.state !== 'deleting') await this.remove(current);
			// The sweep may have cleared the record before this upload wrote its blob.
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
	{ purpose, lifetimeSeconds }: NewFile,
	now: number,
): FileRecord {
	const { filename, size, sha256, mediaType } = upload;
	return {
		tenant,
		state: 'uploading',
		filename: filename || 'unnamed',
		size,
		sha256,
		mediaType,
		purpose,
		createdAt: now,
		// Counted from `created_at`, which has whole seconds.
		expiresAt: lifetimeSeconds === undefined ? null : (Math.floor(now / 1000) + lifetimeSeconds) * 1000,
	};
}
