import type { SelfCheck } from './self-check.ts';

/** A window of bytes, both ends inclusive, inside the blob. */
export interface ByteRange {
	readonly start: number;
	readonly end: number;
}

/** A stored blob, as `put` returns it. */
export interface StoredBlob {
	readonly key: string;
	/** Bytes. */
	readonly size: number;
	readonly contentType: string;
	/** Lower-case hex SHA-256 of the bytes. */
	readonly sha256: string;
}

/** The metadata of a blob, as readers receive it. */
export interface BlobInfo extends Omit<StoredBlob, 'sha256'> {
	/** Changes when the bytes under the key change. Fits between the quotes of an `ETag` header; has no other meaning. */
	readonly etag: string;
}

/** An opened blob. Iterate `body` to its end, or call its `return`, so that the handle closes. */
export interface BlobContent extends BlobInfo {
	readonly body: AsyncIterable<Uint8Array>;
}

/**
 * A body that can also be read into a buffer of the reader. Optional for a store: it saves a file store most of the
 * cost of a download. A body is read in one of the two ways, not in both.
 */
export interface ReusableBody extends AsyncIterable<Uint8Array> {
	/** Fills the buffer from its start. Resolves with the number of bytes; at the end with 0, and the handle closes. */
	readInto(buffer: Uint8Array): Promise<number>;
}

/** Whether a body can be read into a buffer of the reader. */
export function isReusableBody(body: AsyncIterable<Uint8Array>): body is ReusableBody {
	return typeof (body as Partial<ReusableBody>).readInto === 'function';
}

/** The options of `put`. */
export interface PutBlobOptions {
	readonly contentType: string;
	/** More bytes than this reject the put with `E_BODY_TOO_LARGE`, and nothing is stored. */
	readonly maxBytes?: number;
	/** The number of bytes, if known, which saves requests. `put` rejects a body of another size and stores nothing. */
	readonly size?: number;
	/** Aborts the write; nothing is stored. */
	readonly signal?: AbortSignal;
	/**
	 * A file with the bytes of the body, which the caller no longer needs. A store may move it instead of reading the
	 * body, and then trusts its digest. The file may no longer exist when `put` settles.
	 */
	readonly file?: MovableFile;
}

/** The headers of the response to a presigned URL. */
export interface PresignOptions {
	/** Sent as `Content-Disposition: attachment`. */
	readonly filename?: string;
	readonly contentType?: string;
}

/** A file that a blob store may move. An uploaded file has these members. */
export interface MovableFile extends Pick<StoredBlob, 'size' | 'sha256'> {
	readonly path: string;
}

/**
 * Bytes under keys that the server makes: segments of `[A-Za-z0-9._-]`, joined by `/`, 1 to 512 characters, no segment
 * `.` or `..`. Other keys are a programming error and throw. A blob is stored completely or not at all, and is durable
 * when `put` resolves. The source of a body may reuse the memory of a chunk once the next one is requested.
 */
export interface BlobStore extends SelfCheck {
	put(key: string, body: Uint8Array | AsyncIterable<Uint8Array>, options: PutBlobOptions): Promise<StoredBlob>;
	/** Opens a blob, or a range of it; null if there is none. Rejects with `E_RANGE_NOT_SATISFIABLE` outside of it. */
	get(key: string, options?: { readonly range?: ByteRange }): Promise<BlobContent | null>;
	head(key: string): Promise<BlobInfo | null>;
	/**
	 * Deletes any number of blobs. Absent ones are no error. If one deletion fails, the others still run, then the call
	 * rejects. An open reader may finish or fail, but never reads other bytes.
	 */
	delete(keys: readonly string[]): Promise<void>;
	/** Blobs whose key begins with `prefix`, which is empty or ends after a segment. Damaged blobs are included. */
	list(prefix: string): AsyncIterable<{ readonly key: string; readonly size: number }>;
	/**
	 * A URL that serves the blob without an API key for `ttlMs`. Present only if the operator lets clients download from
	 * the store itself: downloads are then redirected to it. The blob may be absent.
	 */
	presign?(key: string, ttlMs: number, options?: PresignOptions): Promise<string>;
	/** Removes the remains of unfinished puts of ended processes; called every `jobs.orphanMs`. */
	sweep?(): Promise<void>;
}
