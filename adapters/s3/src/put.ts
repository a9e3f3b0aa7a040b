import { Readable } from 'node:stream';
import { PutObjectCommand, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { abandon, orAbort, type PutBlobOptions, plinthError, type StoredBlob } from '@plinth/core';
import type { Bucket } from './bucket.ts';
import { describeType } from './content-type.ts';
import { provesBytes } from './digests.ts';
import { toStoreError } from './errors.ts';
import { Source } from './source.ts';

/** The smallest that S3 takes. Each upload holds about four of them. */
const partBytes = 5 * 1024 ** 2;
const partsAtOnce = 2;
/** The most that S3 takes in one request. */
const largestPut = 5 * 1024 ** 3;

type Target = Omit<PutObjectCommandInput, 'Body'>;

/** Stores a blob: in one request where its bytes fit in one part or their number was told, otherwise in parts. */
export async function putBlob(
	bucket: Bucket,
	key: string,
	body: Uint8Array | AsyncIterable<Uint8Array>,
	options: PutBlobOptions,
): Promise<StoredBlob> {
	const { contentType, signal } = options;
	const source = new Source(body, options);
	const target = { ...bucket.target(key), ...describeType(contentType) };
	try {
		signal?.throwIfAborted();
		if ((source.told ?? 0) > partBytes && (source.told ?? 0) <= largestPut) {
			await putStream(bucket, target, source, signal);
		} else {
			await putUnknown(bucket, target, source, signal);
		}
	} catch (error) {
		if (source.failure) throw source.failure.error;
		signal?.throwIfAborted();
		throw toStoreError(error);
	}
	return { key, size: source.size, contentType, sha256: source.sha256() };
}

/** One request, which cannot be repeated because the bytes are not kept. */
async function putStream(bucket: Bucket, target: Target, source: Source, signal: AbortSignal | undefined) {
	const { told: ContentLength = 0 } = source;
	const stop = new AbortController();
	// The SDK pipes the stream and does not see its failure.
	const Body = Readable.from(source.chunks(), { objectMode: false }).on('error', () => stop.abort());
	const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
	try {
		const { ETag } = await bucket.call(deadlineMs(ContentLength), stopped, (options) =>
			bucket.clients.work.send(new PutObjectCommand({ ...target, Body, ContentLength }), options),
		);
		await checkSize(bucket, target, source, ETag);
	} finally {
		Body.destroy();
	}
}

async function putUnknown(bucket: Bucket, target: Target, source: Source, signal: AbortSignal | undefined) {
	const chunks = source.chunks();
	const held: Buffer[] = [];
	try {
		while (source.size <= partBytes) {
			const { done, value } = await chunks.next();
			if (done) return await putWhole(bucket, target, Buffer.concat(held), source, signal);
			held.push(value);
		}
		const params = { ...target, Body: Readable.from(joined(held, chunks), { objectMode: false }) };
		const { work: client } = bucket.clients;
		const done = new Upload({ client, params, partSize: partBytes, queueSize: partsAtOnce }).done();
		// After an abort the upload ends by itself, because its source does, and removes its parts.
		const { ETag } = await (signal ? orAbort(signal, done) : done);
		await checkSize(bucket, target, source, ETag);
	} finally {
		abandon(chunks);
	}
}

/** The bytes are in memory, so that the SDK may repeat the request. */
async function putWhole(
	bucket: Bucket,
	target: Target,
	Body: Buffer,
	source: Source,
	signal: AbortSignal | undefined,
): Promise<void> {
	const { ETag } = await bucket.call(deadlineMs(Body.length), signal, (options) =>
		bucket.clients.work.send(new PutObjectCommand({ ...target, Body, ContentLength: Body.length }), options),
	);
	if (!provesBytes(ETag, Body)) await checkSize(bucket, target, source, ETag);
}

async function* joined(held: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	yield* held.splice(0);
	yield* rest;
}

/** Some servers store other bytes than they were sent, and say that all is well. */
async function checkSize(bucket: Bucket, target: Target, source: Source, etag: string | undefined): Promise<void> {
	const stored = await bucket.head(target.Key ?? '');
	// With another tag it is the blob of a later put.
	if (stored && (stored.ContentLength === source.size || stored.ETag !== etag)) return;
	await bucket.delete([target.Key ?? '']);
	const message = `S3 has stored ${stored?.ContentLength ?? 'no'} bytes, and was sent ${source.size}.`;
	throw plinthError('E_STORE_UNAVAILABLE', { message });
}

/** At least 64 KB a second, after half a minute. */
function deadlineMs(bytes: number): number {
	return 30_000 + bytes / 64;
}
