import type { FileHandle } from 'node:fs/promises';
import type { StoredBlob } from '@plinth/core';
import { damaged } from './failures.ts';

/** The metadata in the footer, and the size from the file's length. */
export type BlobMetadata = Omit<StoredBlob, 'key'>;

type Footer = Omit<BlobMetadata, 'size'>;

/**
 * The last eight bytes of a blob file, after the bytes of the blob and padded JSON.
 *
 * One file, so that bytes and metadata appear by one rename. A footer, because the digest is known last,
 * and because the file stays readable by other programs. Its length is fixed, so that the length of the
 * file gives the size of the blob.
 */
const mark = Buffer.from('PLNTHBL2', 'latin1');
const footerBytes = 1_024;
const jsonBytes = footerBytes - mark.length;

/** The footer of a blob. Throws when the content type is too long; 900 characters always fit. */
export function footerOf({ contentType, sha256 }: Footer): Buffer {
	const json = Buffer.from(JSON.stringify({ contentType, sha256 }));
	if (json.length > jsonBytes) throw new TypeError('The content type is too long.');
	const padding = Buffer.alloc(jsonBytes - json.length, ' ');
	return Buffer.concat([json, padding, mark]);
}

/** The size of the blob in a file of this length. */
export function sizeIn(fileSize: number): number {
	return Math.max(0, fileSize - footerBytes);
}

/** Reads the metadata of an open blob file. Rejects with `E_STORE_UNAVAILABLE` for an invalid footer. */
export async function readFooter(handle: FileHandle): Promise<BlobMetadata> {
	const size = sizeIn((await handle.stat()).size);
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(footerBytes), 0, footerBytes, size);
	return { size, ...parse(buffer.subarray(0, bytesRead)) };
}

function parse(footer: Buffer): Footer {
	if (!footer.subarray(jsonBytes).equals(mark)) {
		throw damaged(new Error('The file has no valid footer.'));
	}
	try {
		return JSON.parse(footer.toString('utf8', 0, jsonBytes)) as Footer;
	} catch (error) {
		throw damaged(error);
	}
}
