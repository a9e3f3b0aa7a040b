import type { SelfCheck } from './self-check.ts';

/** A window of bytes, both ends inclusive, inside the blob. */
export interface ByteRange {
	readonly start: number;
	readonly end: number;
}

/** What the writer of a blob learns. */
export interface StoredBlob {
	readonly key: string;
	/** Bytes. */
	readonly size: number;
	readonly contentType: string;
	/** Lower-case hex SHA-256 of the bytes. */
	readonly sha256: string;
}

/** What a reader learns of a blob. */
export interface BlobInfo extends Omit<StoredBlob, 'sha256'> {
	/**
	 * Other bytes under the same key have another tag. Fits between the quotes of an `ETag` header; says nothing else.
	 */
	readonly etag: string;
}

/** An opened blob. Iterate `body` to its end, or call its `return`, so that the handle closes. */
export interface BlobContent extends BlobInfo {
	readonly body: AsyncIterable<Uint8Array>;
}

/**
 * A body that can also be read into the reader's own buffer. Optional for a store: it saves a file store most of what
 * a download costs. A body is read either way, not both.
 */
export interface ReusableBody extends AsyncIterable<Uint8Array> {
	/** Fills the buffer from its start and resolves with the number of bytes; with 0 at the end, and the handle closes. */
	readInto(buffer: Uint8Array): Promise<number>;
}

/** Tells whether a body can be read into the reader's own memory. */
export function isReusableBody(body: AsyncIterable<Uint8Array>): body is ReusableBody {
	return typeof (body as Partial<ReusableBody>).readInto === 'function';
}

/** What the writer of a blob decides. */
export interface PutBlobOptions {
	readonly contentType: string;
	/** More bytes than this reject the put with `E_BODY_TOO_LARGE`, and nothing is stored. */
	readonly maxBytes?: number;
	/**
	 * The number of bytes in the body, where the writer knows it: a store may need fewer requests. A body with another
	 * number rejects the put, and nothing is stored.
	 */
	readonly size?: number;
	/** Abandons the write; nothing is stored. */
	readonly signal?: AbortSignal;
	/**
	 * A file with the bytes of the body, which the caller no longer needs. A store may move it instead of reading the
	 * body, and relies on its digest. The file may be gone when `put` settles.
	 */
	readonly file?: MovableFile;
}

/** What the answer of a presigned URL says of the bytes. */
export interface PresignOptions {
	/** Sent as `Content-Disposition: attachment`. */
	readonly filename?: string;
	readonly contentType?: string;
}

/** A file that a blob store may move away, as an uploaded file describes itself. */
export interface MovableFile {
	readonly path: string;
	/** Bytes. */
	readonly size: number;
	/** Lower-case hex SHA-256 of the bytes. */
	readonly sha256: string;
}

/**
 * Bytes under server-made keys: segments of `[A-Za-z0-9._-]`, joined by `/`, 1 to 512 characters, no segment `.` or
 * `..`. Other keys are a programming error and throw. A blob appears whole or not at all, and is durable when `put`
 * resolves. A chunk may be reused by its owner once the next one is requested.
 */
export interface BlobStore extends SelfCheck {
	put(key: string, body: Uint8Array | AsyncIterable<Uint8Array>, options: PutBlobOptions): Promise<StoredBlob>;
	/** Opens a blob, or a window of it; null when there is none. Rejects with `E_RANGE_NOT_SATISFIABLE` outside of it. */
	get(key: string, options?: { readonly range?: ByteRange }): Promise<BlobContent | null>;
	head(key: string): Promise<BlobInfo | null>;
	/**
	 * Deletes any number of blobs. What is absent is no error. A failure does not spare the others, and then rejects. An
	 * open reader may finish or fail, never read other bytes.
	 */
	delete(keys: readonly string[]): Promise<void>;
	/** Blobs whose key begins with `prefix`, which ends at a segment border or is empty. A damaged blob is listed too. */
	list(prefix: string): AsyncIterable<{ readonly key: string; readonly size: number }>;
	/**
	 * A URL that serves the blob without our key for `ttlMs`. Present only where the operator wants clients to fetch from
	 * the store itself: then downloads are redirected to it. The blob may be absent.
	 */
	presign?(key: string, ttlMs: number, options?: PresignOptions): Promise<string>;
	/** Removes what unfinished puts of dead processes have left; called every `jobs.orphanMs`. */
	sweep?(): Promise<void>;
}
