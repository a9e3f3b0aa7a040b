import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { BlobStore } from '@plinth/core';
import { s3Blobs } from '@plinth/s3';
import { createBackend } from '@plinth/testing';

/** The address of a bucket and its keys. */
export interface Place {
	readonly endpoint: string;
	readonly accessKeyId: string;
	readonly secretAccessKey: string;
	readonly bucket: string;
}

/** The bucket of `PLINTH_TEST_S3`: `http://key:secret@host:port/bucket`, with the key percent-encoded. */
export function givenPlace(): Place | undefined {
	if (!process.env.PLINTH_TEST_S3) return undefined;
	const { origin, username, password, pathname } = new URL(process.env.PLINTH_TEST_S3);
	return {
		endpoint: origin,
		accessKeyId: decodeURIComponent(username),
		secretAccessKey: decodeURIComponent(password),
		bucket: pathname.slice(1),
	};
}

/** A new bucket. */
export async function newBucket(server: Omit<Place, 'bucket'>): Promise<Place> {
	const { endpoint, accessKeyId, secretAccessKey } = server;
	const bucket = `plinth-${randomUUID()}`;
	const client = clientOf(server);
	await client.send(new CreateBucketCommand({ Bucket: bucket }));
	client.destroy();
	return { endpoint, accessKeyId, secretAccessKey, bucket };
}

/** The SDK without the adapter. */
export function clientOf({ endpoint, accessKeyId, secretAccessKey }: Omit<Place, 'bucket'>): S3Client {
	return new S3Client({
		endpoint,
		region: 'us-east-1',
		forcePathStyle: true,
		requestChecksumCalculation: 'WHEN_REQUIRED',
		responseChecksumValidation: 'WHEN_REQUIRED',
		credentials: { accessKeyId, secretAccessKey },
	});
}

/** A store with a new prefix, or with the given one. */
export async function storeAt(place: Place, more: Partial<Parameters<typeof s3Blobs>[0] & object> = {}) {
	const { provided, stop } = await createBackend<BlobStore>(s3Blobs({ ...place, prefix: randomUUID(), ...more }));
	return { store: provided, stop };
}
