import type { StoredRecord } from '@plinth/core';

/** What a file may be meant for, as OpenAI lists it. The server stores it and treats all files alike. */
export const purposes = [
	'assistants',
	'batch',
	'fine-tune',
	'vision',
	'user_data',
	'evals',
] as const;

/** What a file is meant for. */
export type FilePurpose = (typeof purposes)[number];

/** A file as it is stored, under its id. Instants are milliseconds since the Unix epoch. */
export type FileRecord = {
	readonly tenant: string;
	/** Only ready files exist for clients: of others the bytes are not there yet, or not there any more. */
	readonly state: 'arriving' | 'ready' | 'leaving';
	/** Without directories; never empty. */
	readonly filename: string;
	/** Bytes. */
	readonly size: number;
	/** Lower-case hex SHA-256 of the bytes. */
	readonly sha256: string;
	/** Decided by content; `application/octet-stream` when unknown. */
	readonly mediaType: string;
	readonly purpose: FilePurpose;
	readonly createdAt: number;
	/** A whole second, from which on the file is gone; null: never. */
	readonly expiresAt: number | null;
};

/** A file's record with its id and version. */
export type StoredFile = Pick<StoredRecord<FileRecord>, 'id' | 'value' | 'version'>;

/** Tells whether a file's time is over. */
export function isExpired({ expiresAt }: FileRecord, now: number): boolean {
	return expiresAt !== null && now >= expiresAt;
}

/** Tells whether clients may see a file. */
export function isThere(record: FileRecord, now: number): boolean {
	return record.state === 'ready' && !isExpired(record, now);
}
