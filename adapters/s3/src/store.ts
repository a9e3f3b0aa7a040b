import type { Readable } from 'node:stream';
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import {
	type BlobContent,
	type BlobInfo,
	type BlobStore,
	type ByteRange,
	type Clock,
	type Logger,
	type PutBlobOptions,
	plinthError,
	type StoredBlob,
} from '@plinth/core';
import { checkBlobKey, isBlobKey } from '@plinth/toolkit';
import { S3Body } from './body.ts';
import { type Bucket, clientMs } from './bucket.ts';
import { typeOf } from './content-type.ts';
import { unquoted } from './digests.ts';
import { isMissing, isOutside, toStoreError } from './errors.ts';
import { presigner } from './presign.ts';
import { putBlob } from './put.ts';

/** Age in milliseconds after which an upload counts as abandoned: no put takes longer. */
const staleMs = 86_400_000;

/** `BlobStore` on a bucket: one object per blob, under its key. */
export class S3BlobStore implements BlobStore {
	readonly #bucket: Bucket;
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly presign?: NonNullable<BlobStore['presign']>;

	constructor(bucket: Bucket, clock: Clock, log: Logger) {
		this.#bucket = bucket;
		this.#clock = clock;
		this.#log = log;
		if (bucket.clients.signer) this.presign = presigner(bucket.clients.signer, (key) => bucket.target(key));
	}

	async put(key: string, body: Uint8Array | AsyncIterable<Uint8Array>, options: PutBlobOptions): Promise<StoredBlob> {
		checkBlobKey(key);
		return putBlob(this.#bucket, key, body, options);
	}

	async get(key: string, { range }: { readonly range?: ByteRange } = {}): Promise<BlobContent | null> {
		checkBlobKey(key);
		// Servers send the whole blob for an invalid range.
		if (range && !(range.start >= 0 && range.start <= range.end)) {
			if (await this.head(key)) throw plinthError('E_RANGE_NOT_SATISFIABLE');
			return null;
		}
		const object = await this.#open(key, range);
		if (!object) return null;
		const { ContentLength = 0, ContentRange, Body } = object;
		const stream = Body as Readable;
		const size = ContentRange ? Number(ContentRange.split('/')[1]) : ContentLength;
		const expected = range ? range.end - range.start + 1 : size;
		if (ContentLength !== expected || (range && !ContentRange)) {
			await new S3Body(stream, 0, this.#clock).return();
			// Servers shorten a range that ends after the last byte.
			if (range && range.end >= size) throw plinthError('E_RANGE_NOT_SATISFIABLE');
			throw plinthError('E_STORE_UNAVAILABLE', { message: 'S3 has sent another range than requested.' });
		}
		return { ...infoOf(key, size, object), body: new S3Body(stream, expected, this.#clock) };
	}

	async head(key: string): Promise<BlobInfo | null> {
		checkBlobKey(key);
		const object = await this.#bucket.head(this.#bucket.target(key).Key);
		return object && infoOf(key, object.ContentLength ?? 0, object);
	}

	async delete(keys: readonly string[]): Promise<void> {
		keys.forEach(checkBlobKey);
		await this.#bucket.delete(keys.map((key) => this.#bucket.target(key).Key));
	}

	async *list(prefix: string): AsyncGenerator<{ readonly key: string; readonly size: number }> {
		const bare = prefix.replace(/\/$/, '');
		if (prefix !== '' && !isBlobKey(bare)) throw new TypeError(`"${prefix}" is not a prefix of blob keys.`);
		for await (const entry of this.#bucket.list(prefix)) {
			const { key } = entry;
			const isInside = prefix === '' || prefix !== bare || key === bare || key.startsWith(`${bare}/`);
			// Other programs may keep objects in the bucket.
			if (isInside && isBlobKey(key)) yield entry;
		}
	}

	/** Removes parts that uploads of killed processes have left. They cost money, and no list shows them. */
	async sweep(): Promise<void> {
		const uploads = await this.#bucket.abortUploads(this.#clock.now() - staleMs);
		if (uploads > 0) this.#log.info({ uploads }, 'removed the parts of unfinished uploads');
	}

	ping(): Promise<void> {
		return this.#bucket.ping();
	}

	async #open(key: string, range: ByteRange | undefined): Promise<GetObjectCommandOutput | null> {
		const Range = range && `bytes=${range.start}-${range.end}`;
		const command = new GetObjectCommand({ ...this.#bucket.target(key), Range });
		try {
			return await this.#bucket.call(clientMs, undefined, (options) =>
				this.#bucket.clients.downloads.send(command, options),
			);
		} catch (error) {
			if (isMissing(error)) return null;
			if (isOutside(error)) throw plinthError('E_RANGE_NOT_SATISFIABLE');
			throw toStoreError(error);
		}
	}
}

function infoOf(key: string, size: number, object: Pick<GetObjectCommandOutput, 'ETag' | 'ContentType' | 'Metadata'>) {
	return { key, size, contentType: typeOf(object), etag: unquoted(object.ETag ?? '') };
}
