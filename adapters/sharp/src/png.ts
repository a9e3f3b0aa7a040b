import { createReadStream } from 'node:fs';

const signatureBytes = 8;
/** Length, type and checksum, around the data. */
const frameBytes = 12;

/** Chunks of text (PNG, 3rd edition §11.3.3) that the decoder would inflate, up to 8 MB each, and nobody here reads. */
const texts = ['zTXt', 'iTXt'].map(typeNumber);

/** What comes behind it is not looked at by a decoder either. */
const lastChunk = typeNumber('IEND');

/** More chunks than this are no picture: encoders cut 50 MB of pixels into 6,400 or fewer. */
const maxChunks = 32_768;

/**
 * A PNG without its compressed texts: thousands of them, a few kilobytes each, would take the decoder minutes. Returns the same bytes
 * when there are none, and undefined when the file has more chunks than a picture has.
 */
export function withoutTexts(image: Uint8Array): Uint8Array | undefined {
	const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
	const kept: Uint8Array[] = [];
	let keptUpTo = 0;
	let at = signatureBytes;
	for (let count = 0; at + frameBytes <= image.byteLength; count++) {
		if (count === maxChunks) return undefined;
		const type = view.getUint32(at + 4);
		const next = at + frameBytes + view.getUint32(at);
		if (type === lastChunk) break;
		if (texts.includes(type)) {
			kept.push(image.subarray(keptUpTo, at));
			keptUpTo = next;
		}
		at = next;
	}
	return kept.length === 0 ? image : Buffer.concat([...kept, image.subarray(keptUpTo)]);
}

/** Whether `withoutTexts` would change the file or refuse it. Reads it in pieces. */
export async function fileHasTexts(path: string): Promise<boolean> {
	const pieces: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 262_144 });
	let toSkip = signatureBytes;
	// Length and type of a chunk that are cut in two by the end of a piece.
	let begun: Buffer = Buffer.alloc(0);
	let count = 0;
	for await (const read of pieces) {
		const piece = begun.length > 0 ? Buffer.concat([begun, read]) : read;
		let at = toSkip;
		while (at + 8 <= piece.length) {
			const type = piece.readUInt32BE(at + 4);
			if (type === lastChunk) return false;
			if (texts.includes(type) || ++count > maxChunks) return true;
			at += frameBytes + piece.readUInt32BE(at);
		}
		begun = Buffer.from(piece.subarray(at));
		toSkip = Math.max(0, at - piece.length);
	}
	return false;
}

function typeNumber(type: string): number {
	return Buffer.from(type, 'latin1').readUInt32BE();
}
