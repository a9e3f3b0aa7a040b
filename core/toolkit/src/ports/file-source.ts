/** A stored file that a request references by id. */
export interface SourceFile {
	readonly id: string;
	/** The name of the upload, without directories; metadata only. */
	readonly filename: string;
	/** Bytes. */
	readonly size: number;
	/** Detected from the content; `application/octet-stream` when unknown. */
	readonly mediaType: string;
	/** Lower-case hex SHA-256 of the bytes. */
	readonly sha256: string;
	/** The bytes, opened on the first read. Throws `E_STORE_UNAVAILABLE` when they were deleted meanwhile. */
	stream(): AsyncIterable<Uint8Array>;
}

/** Uploaded files, which requests reference by `file_id`. */
export interface FileSource {
	/** Finds a file; null when it is unknown to this tenant, deleted or expired, without distinction. */
	open(tenant: string, id: string): Promise<SourceFile | null>;
}
