import { open, readFile } from 'node:fs/promises';
import { type ImageFormat, plinthError } from '@plinth/core';
import { maxBytes } from './failures.ts';
import { fileHasTexts, withoutTexts } from './png.ts';
import { headBytes, sniffFormat } from './sniff.ts';

/** A picture that a decoder may see: of a known format, not too large, without the parts that only cost time. */
export interface Input {
	readonly format: ImageFormat;
	/** The first bytes. */
	readonly head: Uint8Array;
	/** All bytes, or the path of a file. */
	readonly source: Uint8Array | string;
}

/** Throws `E_IMAGE_TOO_LARGE` and `E_IMAGE_UNREADABLE`. */
export function inputFromBytes(image: Uint8Array): Input {
	const format = acceptedFormat(image, image.byteLength);
	const source = format === 'png' ? withoutTexts(image) : image;
	if (!source) throw plinthError('E_IMAGE_UNREADABLE');
	return { format, head: image.subarray(0, headBytes), source };
}

/** Throws `E_IMAGE_TOO_LARGE` and `E_IMAGE_UNREADABLE`, and what the file system throws. */
export async function inputFromFile(path: string): Promise<Input> {
	const { head, size } = await beginningOf(path);
	const format = acceptedFormat(head, size);
	if (format === 'png' && (await fileHasTexts(path))) return inputFromBytes(await readFile(path));
	return { format, head, source: path };
}

/** Decides before any decoder sees the bytes. */
function acceptedFormat(head: Uint8Array, size: number): ImageFormat {
	if (size > maxBytes) {
		throw plinthError('E_IMAGE_TOO_LARGE', {
			message: `The image has more than ${maxBytes.toLocaleString('en')} bytes.`,
		});
	}
	const format = sniffFormat(head);
	if (!format) throw plinthError('E_IMAGE_UNREADABLE');
	return format;
}

async function beginningOf(path: string): Promise<{ head: Uint8Array; size: number }> {
	const file = await open(path);
	try {
		const { size } = await file.stat();
		const { buffer, bytesRead } = await file.read(new Uint8Array(headBytes), 0, headBytes, 0);
		return { head: buffer.subarray(0, bytesRead), size };
	} finally {
		await file.close();
	}
}
