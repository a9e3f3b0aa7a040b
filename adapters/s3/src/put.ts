import { Readable } from 'node:stream';
import { PutObjectCommand, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { abandon, orAbort, type PutBlobOptions, plinthError, type StoredBlob } from '@plinth/core';
import type { Bucket } from './bucket.ts';
import { describeType } from './content-type.ts';
import { provesBytes } from './digests.ts';
import { toStoreError } from './errors.ts';
import { Source } from './source.ts';

/** The minimum of S3. Each upload has about three parts in memory, and one more for each part sent at the same time. */
const partBytes = 5 * 1024 ** 2;
/** Running uploads in parts. Only two of them send two parts at once, because ten would take 300 MB. */
let multipartUploads = 0;
/** The maximum of S3 for one request. */
const maxPutBytes = 5 * 1024 ** 3;

type Target = Omit<PutObjectCommandInput, 'Body'>;

/** Stores a blob: in one request if it fits in one part or its size is known, otherwise in parts. */
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
		if ((source.knownSize ?? 0) > partBytes && (source.knownSize ?? 0) <= maxPutBytes) {
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
	const { knownSize: ContentLength = 0 } = source;
	const stop = new AbortController();
	// The SDK pipes the stream and does not notice its failure.
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
	const buffered: Buffer[] = [];
	try {
		while (source.size <= partBytes) {
			const { done, value } = await chunks.next();
			if (done) return await putWhole(bucket, target, Buffer.concat(buffered), source, signal);
			buffered.push(value);
		}
		const params = { ...target, Body: Readable.from(joined(buffered, chunks), { objectMode: false }) };
		const queueSize = ++multipartUploads > 2 ? 1 : 2;
		const upload = new Upload({ client: bucket.clients.work, params, partSize: partBytes, queueSize });
		const done = upload.done().finally(() => --multipartUploads);
		// After an abort the upload fails by itself, because its source fails, and removes its parts.
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

async function* joined(buffered: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	yield* buffered.splice(0);
	yield* rest;
}

/** Deletes the blob if its size is wrong: some servers store other bytes than they were sent, and report success. */
async function checkSize(bucket: Bucket, target: Target, source: Source, etag: string | undefined): Promise<void> {
	const stored = await bucket.head(target.Key ?? '');
	// An object with another tag is the blob of a later put.
	if (stored && (stored.ContentLength === source.size || stored.ETag !== etag)) return;
	await bucket.delete([target.Key ?? '']);
	const message = `S3 has stored ${stored?.ContentLength ?? 'no'} bytes, and was sent ${source.size}.`;
	throw plinthError('E_STORE_UNAVAILABLE', { message });
}

/** The deadline of an upload in milliseconds: half a minute, and one second for each 64 KB. */
function deadlineMs(bytes: number): number {
	return 30_000 + bytes / 64;
}
