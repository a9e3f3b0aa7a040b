import { open } from 'node:fs/promises';

const signatureBytes = 8;
/** Length, type and checksum, around the data. */
const frameBytes = 12;
/** Length and type, which come first. */
const headerBytes = 8;

/** Bytes read at a time. */
const bufferBytes = 262_144;

/**
 * Compressed text chunks (PNG, 3rd edition §11.3.3), which the decoder would inflate, up to 8 MB each. They
 * are not used.
 */
const textChunks = ['zTXt', 'iTXt'].map(typeNumber);

/** Decoders stop at this chunk. */
const lastChunk = typeNumber('IEND');

/** Maximum chunks of a picture: encoders split 50 MB of pixels into 6,400 or fewer. */
const maxChunks = 32_768;

/**
 * Removes the compressed text chunks of a PNG: thousands of them, a few kilobytes each, would take the decoder
 * minutes. Returns the same bytes when there are none, and undefined when the file has too many chunks.
 */
export function withoutTextChunks(image: Uint8Array): Uint8Array | undefined {
	const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
	const kept: Uint8Array[] = [];
	let keptUpTo = 0;
	let offset = signatureBytes;
	for (let count = 0; offset + frameBytes <= image.byteLength; count++) {
		if (count === maxChunks) return undefined;
		const type = view.getUint32(offset + 4);
		const next = offset + frameBytes + view.getUint32(offset);
		if (type === lastChunk) break;
		if (textChunks.includes(type)) {
			kept.push(image.subarray(keptUpTo, offset));
			keptUpTo = next;
		}
		offset = next;
	}
	return kept.length === 0 ? image : Buffer.concat([...kept, image.subarray(keptUpTo)]);
}

/**
 * Whether {@link withoutTextChunks} would change or reject the file. Reads only the start of each chunk,
 * into one buffer.
 */
export async function fileHasTextChunks(path: string): Promise<boolean> {
	const file = await open(path);
	try {
		const buffer = Buffer.allocUnsafeSlow(bufferBytes);
		let offset = signatureBytes;
		for (let count = 0; ; ) {
			const start = offset;
			const { bytesRead } = await file.read(buffer, 0, bufferBytes, start);
			if (bytesRead < headerBytes) return false;
			while (offset + headerBytes <= start + bytesRead) {
				const type = buffer.readUInt32BE(offset - start + 4);
				if (type === lastChunk) return false;
				if (textChunks.includes(type) || ++count > maxChunks) return true;
				offset += frameBytes + buffer.readUInt32BE(offset - start);
			}
		}
	} finally {
		await file.close();
	}
}

function typeNumber(type: string): number {
	return Buffer.from(type, 'latin1').readUInt32BE();
}
