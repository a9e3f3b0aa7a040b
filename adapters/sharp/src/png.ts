import { open } from 'node:fs/promises';

const signatureBytes = 8;
/** Length, type and checksum, around the data. */
const frameBytes = 12;
/** Length and type, which come first. */
const headerBytes = 8;

/** How much of a file is looked at in one go. */
const bufferBytes = 262_144;

/** Chunks of text (PNG, 3rd edition §11.3.3) that the decoder would inflate, up to 8 MB each, and nobody here reads. */
const textChunks = ['zTXt', 'iTXt'].map(typeNumber);

/** What comes behind it is not looked at by a decoder either. */
const lastChunk = typeNumber('IEND');

/** More chunks than this are no picture: encoders cut 50 MB of pixels into 6,400 or fewer. */
const maxChunks = 32_768;

/**
 * A PNG without its compressed texts: thousands of them, a few kilobytes each, would take the decoder minutes. Returns the same bytes
 * when there are none, and undefined when the file has more chunks than a picture has.
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

/** Whether `withoutTexts` would change the file or refuse it. Reads where chunks begin, a piece at a time into the same memory. */
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
