import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { BlobInfo, BlobStore, ByteRange, MovableFile, StoredBlob } from '@plinth/core';
import { allOf, type Subject } from '../conformance.ts';
import { withFile } from '../temporary-file.ts';

/** A fresh, empty blob store. */
export interface BlobStoreSubject extends Subject {
	readonly store: BlobStore;
	/** Closes the store and opens its data again. Absent when the data is lost on close. */
	reopen?(): Promise<BlobStore>;
}

/** The default key of cases. */
export const key = 'video/job_1/out.mp4';
/** The options of a put. */
export const mp4 = { contentType: 'video/mp4' };
/** Eleven bytes. */
export const hello = new TextEncoder().encode('hello, blob');

/** The result of a put of these bytes under {@link key}. */
export function storedOf(bytes: Uint8Array): StoredBlob {
	const sha256 = createHash('sha256').update(bytes).digest('hex');
	return { key, size: bytes.length, contentType: mp4.contentType, sha256 };
}

/** Asserts that `info` describes these bytes under {@link key}, and returns the tag. */
export function assertInfo(info: BlobInfo | null, bytes: Uint8Array, contentType = mp4.contentType): string {
	const { etag, ...rest } = info ?? assert.fail(`there is no blob ${key}`);
	assert.deepEqual(rest, { key, size: bytes.length, contentType });
	assert.match(etag, /^[\x21\x23-\x7e]{1,200}$/, 'the tag does not fit between the quotes of an ETag header');
	return etag;
}

/** Calls `use` with a file of these bytes that a store may move. Deletes the file afterwards if it is still there. */
export async function withMovable(bytes: Uint8Array, use: (file: MovableFile) => Promise<void>): Promise<void> {
	await withFile(bytes, (path) => use({ path, size: bytes.length, sha256: storedOf(bytes).sha256 }));
}

/** Bytes that differ at every boundary of pages and chunks. */
export function pattern(size: number): Uint8Array {
	return Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8) * 17 + (i >> 16)) & 0xff);
}

/** The bytes as a stream. */
export async function* chunks(bytes: Uint8Array, size = 100_000): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** All bytes of a body. */
export async function drain(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
	const parts: Buffer[] = [];
	for await (const chunk of body) parts.push(Buffer.from(chunk));
	return Buffer.concat(parts);
}

/** The bytes of a blob, which must exist. */
export async function bytesOf(store: BlobStore, range?: ByteRange, name = key): Promise<Buffer> {
	const content = await store.get(name, range && { range });
	return drain(content?.body ?? assert.fail(`there is no blob ${name}`));
}

/** Reads to the end or to the first failure. Returns whether the bytes read are the beginning of `bytes`, or all. */
export async function isPrefix(body: AsyncIterable<Uint8Array>, bytes: Uint8Array): Promise<boolean> {
	let at = 0;
	try {
		for await (const chunk of body) {
			if (!Buffer.from(chunk).equals(bytes.subarray(at, at + chunk.length))) return false;
			at += chunk.length;
		}
	} catch {
		return true;
	}
	return at === bytes.length;
}

/** The keys under a prefix, sorted. */
export async function keysOf(store: BlobStore, prefix: string): Promise<string[]> {
	const entries = await allOf(store.list(prefix));
	return entries.map((info) => info.key).sort();
}
