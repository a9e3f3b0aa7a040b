import type { FileHandle } from 'node:fs/promises';
import type { BlobInfo } from '@plinth/core';

/** What stands in the footer, and what the file's length tells. */
export type BlobFacts = Omit<BlobInfo, 'key'>;

/**
 * A blob's file is its bytes, then JSON, then the length of the JSON (4 bytes, big endian), then these eight. Bytes and facts
 * in one file appear by one rename, so no reader ever sees the one without the other; behind the bytes, because the digest is
 * known last and because players and people can still open the file as it is.
 */
const mark = Buffer.from('PLNTHBL1', 'latin1');
const tailBytes = 4 + mark.length;
/** Enough for nearly every footer in one read. */
const usualBytes = 1_024;

/** The footer for what was written. */
export function footerOf({ contentType, sha256 }: BlobFacts): Buffer {
	const json = Buffer.from(JSON.stringify({ contentType, sha256 }));
	const length = Buffer.alloc(4);
	length.writeUInt32BE(json.length);
	return Buffer.concat([json, length, mark]);
}

/** Reads the facts of an open blob file. Rejects when it does not end as a blob's file does. */
export async function readFooter(handle: FileHandle): Promise<BlobFacts> {
	const { size: fileSize } = await handle.stat();
	let tail = await readEnd(handle, fileSize, usualBytes);
	if (!tail.subarray(-mark.length).equals(mark)) throw new Error('The file is not a blob.');
	const jsonBytes = tail.readUInt32BE(tail.length - tailBytes);
	const footerBytes = jsonBytes + tailBytes;
	if (footerBytes > tail.length) tail = await readEnd(handle, fileSize, footerBytes);
	const json = tail.subarray(tail.length - footerBytes, tail.length - tailBytes).toString();
	const { contentType, sha256 } = JSON.parse(json) as { contentType: string; sha256: string };
	return { size: fileSize - footerBytes, contentType, sha256 };
}

async function readEnd(handle: FileHandle, fileSize: number, wanted: number): Promise<Buffer> {
	const length = Math.min(fileSize, wanted);
	const buffer = Buffer.alloc(length);
	const { bytesRead } = await handle.read(buffer, 0, length, fileSize - length);
	return buffer.subarray(0, bytesRead);
}
