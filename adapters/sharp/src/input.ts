import { open, readFile } from 'node:fs/promises';
import type { EncodedImage, ImageFormat } from '@plinth/toolkit';
import { maxBytes, Refusal } from './failures.ts';
import { hasEndMarker } from './jpeg.ts';
import { fileHasTextChunks, withoutTextChunks } from './png.ts';
import { headBytes, sniffFormat } from './sniff.ts';

/** Format and size of a picture from its first bytes. */
export interface ImageHead {
	readonly format: ImageFormat;
	/** The first bytes. */
	readonly head: Uint8Array;
	/** Size of the whole file, in bytes. */
	readonly size: number;
}

/** A picture that is safe to decode: of a known format, not too large, without chunks that only slow decoding down. */
export interface Input extends ImageHead {
	/** All bytes, or the path of a file. */
	readonly source: Uint8Array | string;
}

/** Detects the format before decoding. Throws a `Refusal`, and errors of the file system. */
export async function readImageHead(image: EncodedImage): Promise<ImageHead> {
	const { head, size } = 'path' in image ? await readHead(image.path) : headOf(image);
	if (size > maxBytes) {
		const sentence = `The image has more than ${maxBytes.toLocaleString('en')} bytes.`;
		throw new Refusal('E_IMAGE_TOO_LARGE', sentence);
	}
	const format = sniffFormat(head);
	if (!format) throw new Refusal('E_IMAGE_UNREADABLE');
	return { format, head, size };
}

/** Removes what must not be decoded. Throws a `Refusal`, and errors of the file system. */
export async function inputFrom(image: EncodedImage, imageHead: ImageHead): Promise<Input> {
	const source = 'path' in image ? image.path : image;
	if (imageHead.format === 'png') return readablePng(source, imageHead);
	if (imageHead.format === 'jpeg' && !(await hasEndMarker(source))) {
		const cause = new Error('The JPEG is cut off: it has no EOI marker.');
		throw new Refusal('E_IMAGE_UNREADABLE', undefined, { cause });
	}
	return { ...imageHead, source };
}

async function readablePng(source: Uint8Array | string, imageHead: ImageHead): Promise<Input> {
	const isFile = typeof source === 'string';
	if (isFile && !(await fileHasTextChunks(source))) return { ...imageHead, source };
	const stripped = withoutTextChunks(isFile ? await readFile(source) : source);
	if (!stripped) throw new Refusal('E_IMAGE_UNREADABLE');
	return { ...imageHead, source: stripped, size: stripped.byteLength };
}

function headOf(image: Uint8Array) {
	return { head: image.subarray(0, headBytes), size: image.byteLength };
}

async function readHead(path: string): Promise<{ head: Uint8Array; size: number }> {
	const file = await open(path);
	try {
		const { size } = await file.stat();
		const { buffer, bytesRead } = await file.read(new Uint8Array(headBytes), 0, headBytes, 0);
		return { head: buffer.subarray(0, bytesRead), size };
	} finally {
		await file.close();
	}
}
