import type { StoredRecord } from '@plinth/core';

/** Purposes of a file, as OpenAI lists them. The server stores the purpose; it has no other effect. */
export const purposes = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'] as const;

/** The purpose of a file. */
export type FilePurpose = (typeof purposes)[number];

/** The record of a file, under its id. Instants are milliseconds since the Unix epoch. */
export type FileRecord = {
	readonly tenant: string;
	/** Clients see only ready files. The others have no bytes yet, or no longer. */
	readonly state: 'uploading' | 'ready' | 'deleting';
	/** Without directories; never empty. */
	readonly filename: string;
	/** Bytes. */
	readonly size: number;
	/** Lower-case hex SHA-256 of the bytes. */
	readonly sha256: string;
	/** Detected from the content; `application/octet-stream` when unknown. */
	readonly mediaType: string;
	readonly purpose: FilePurpose;
	readonly createdAt: number;
	/** Expiry, a whole second; null: never. */
	readonly expiresAt: number | null;
};

/** A file's record with its id and version. */
export type StoredFile = Pick<StoredRecord<FileRecord>, 'id' | 'value' | 'version'>;

/** Whether a file has expired. */
export function isExpired({ expiresAt }: FileRecord, now: number): boolean {
	return expiresAt !== null && now >= expiresAt;
}

/** Whether clients can see a file. */
export function isAvailable(record: FileRecord, now: number): boolean {
	return record.state === 'ready' && !isExpired(record, now);
}
