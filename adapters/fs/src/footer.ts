import type { FileHandle } from 'node:fs/promises';
import type { BlobInfo } from '@plinth/core';
import { damaged } from './failures.ts';

/** What stands in the footer, and what the file's length tells. */
export type BlobMetadata = Omit<BlobInfo, 'key'>;

type Footer = Omit<BlobMetadata, 'size'>;

/**
 * A blob's file is its bytes, then JSON with spaces behind it, then these eight. Bytes and facts in one file appear by one
 * rename, so no reader ever sees the one without the other; behind the bytes, because the digest is known last and because
 * players and people can still open the file as it is. Every footer has one length, so that the length of a file tells the size
 * of its blob.
 */
const mark = Buffer.from('PLNTHBL2', 'latin1');
const footerBytes = 1_024;
const jsonBytes = footerBytes - mark.length;

/** The footer for what was written. Throws when the content type has no room in it; 900 characters have. */
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

/** Reads the facts of an open blob file. Rejects with `E_STORE_UNAVAILABLE` when it does not end as a blob's file does. */
export async function readFooter(handle: FileHandle): Promise<BlobMetadata> {
	const size = sizeIn((await handle.stat()).size);
	const { buffer, bytesRead } = await handle.read(Buffer.alloc(footerBytes), 0, footerBytes, size);
	return { size, ...parse(buffer.subarray(0, bytesRead)) };
}

function parse(footer: Buffer): Footer {
	if (!footer.subarray(jsonBytes).equals(mark)) {
		throw damaged(new Error('The file does not end as the file of a blob does.'));
	}
	try {
		return JSON.parse(footer.toString('utf8', 0, jsonBytes)) as Footer;
	} catch (error) {
		throw damaged(error);
	}
}
