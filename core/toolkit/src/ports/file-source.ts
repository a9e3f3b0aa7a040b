/** A stored file that a request names by its id. */
export interface SourceFile {
	readonly id: string;
	/** As its owner sent it, without directories; metadata only. */
	readonly filename: string;
	/** Bytes. */
	readonly size: number;
	/** Decided by content; `application/octet-stream` when unknown. */
	readonly mediaType: string;
	/** Lower-case hex SHA-256 of the bytes. */
	readonly sha256: string;
	/** The bytes, opened when they are read. Throws `E_STORE_UNAVAILABLE` when they have gone meanwhile. */
	stream(): AsyncIterable<Uint8Array>;
}

/** Files that were uploaded earlier, so that requests may name them by `file_id`. */
export interface FileSource {
	/** Finds a file; null when it is unknown to this tenant, deleted or expired, which look alike. */
	open(tenant: string, id: string): Promise<SourceFile | null>;
}
