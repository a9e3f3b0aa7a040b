import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { BlobStore } from '@plinth/core';
import contentDisposition from 'content-disposition';
import { toStoreError } from './errors.ts';

/** Maximum validity of a signature of S3: a week. */
const maxSeconds = 604_800;

/** Makes the `presign` of a store. The URL is a secret: every client that has it can read the blob. */
export function presigner(
	signer: S3Client,
	target: (key: string) => { readonly Bucket: string; readonly Key: string },
): NonNullable<BlobStore['presign']> {
	return async (key, ttlMs, { filename, contentType } = {}) => {
		const command = new GetObjectCommand({
			...target(key),
			ResponseContentType: contentType,
			ResponseContentDisposition: filename === undefined ? undefined : dispositionOf(filename),
		});
		const expiresIn = Math.min(Math.max(1, Math.ceil(ttlMs / 1000)), maxSeconds);
		try {
			return await getSignedUrl(signer, command, { expiresIn });
		} catch (error) {
			throw toStoreError(error);
		}
	};
}

/** In ASCII, because servers encode other letters differently. */
function dispositionOf(filename: string): string {
	return contentDisposition(filename, { fallback: filename.replace(/[^\x20-\x7e]/g, '?') });
}
