import { modelError } from '@plinth/core';

/** Maximum bytes of a picture. */
const pictureBytes = 268_435_456;

/** Per format: signature, offset of the first part, offset of the name in a part, metadata parts, end of a part. */
const formats = {
	/** PNG, third edition, §5.3: length, type, data and checksum. */
	'image/png': {
		signature: /^\x89PNG/,
		first: 8,
		name: 4,
		metadata: /^(?:tEXt|[iz]TXt|eXIf)/,
		end: (file: Buffer, at: number) => at + 12 + file.readUInt32BE(at),
	},
	/** RFC 9649 §2.3: type, length and data, to an even length. */
	'image/webp': {
		signature: /^RIFF.{4}WEBP/s,
		first: 12,
		name: 0,
		metadata: /^(?:EXIF|XMP )/,
		end: (file: Buffer, at: number) => at + 8 + 2 * Math.ceil(file.readUInt32LE(at + 4) / 2),
	},
	/** ITU-T T.81 §B.1: a marker, and a length that includes its own bytes. The picture follows the marker 0xda. */
	'image/jpeg': {
		signature: /^\xff\xd8\xff/,
		first: 2,
		name: 0,
		metadata: /^\xff[\xe1\xed\xfe]/,
		end: (file: Buffer, at: number) => (file[at + 1] === 0xda ? file.length : at + 2 + file.readUInt16BE(at + 2)),
	},
};

type PictureType = keyof typeof formats;

/** The media type of a picture by its first bytes; undefined for other files. */
export function pictureTypeOf(file: Buffer): PictureType | undefined {
	const head = file.toString('latin1', 0, 12);
	return (Object.keys(formats) as PictureType[]).find((type) => formats[type].signature.test(head));
}

/** The picture in a saved file. Rejects for a file that is no PNG, JPEG or WebP. */
export async function pictureOf(file: AsyncIterable<Buffer>, keepMetadata: boolean) {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of file) {
		chunks.push(chunk);
		length += chunk.length;
		if (length > pictureBytes) throw modelError(`The workflow has saved more than ${pictureBytes} bytes.`);
	}
	const bytes = Buffer.concat(chunks, length);
	for (const { buffer, length } of chunks) {
		// Frees the memory at once. As garbage, it would cause a full garbage collection with every third picture.
		if (length === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
	}
	const mediaType = pictureTypeOf(bytes);
	if (!mediaType) throw modelError('The workflow has saved a file that is no PNG, JPEG or WebP.');
	return { body: keepMetadata ? bytes : withoutText(bytes, mediaType), mediaType };
}

/**
 * Removes texts, Exif and XMP from a picture, because ComfyUI writes the whole workflow into them. Works in place: the
 * bytes before such a part, usually only the header, move to the end of the part.
 */
export function withoutText(file: Buffer, mediaType: PictureType): Buffer {
	const { first, name, metadata, end: endOf } = formats[mediaType];
	let start = 0;
	for (let at = first, end = at; at + 8 <= file.length; at = end) {
		end = endOf(file, at);
		if (end > file.length || !metadata.test(nameAt(file, at + name))) continue;
		file.copyWithin(start + end - at, start, at);
		start += end - at;
	}
	const kept = file.subarray(start);
	if (mediaType === 'image/webp' && start > 0) {
		kept.writeUInt32LE(kept.length - 8, 4);
		// Clears the flags of Exif and XMP.
		if (nameAt(kept, 12) === 'VP8X') kept.writeUInt8(kept.readUInt8(20) & ~0x0c, 20);
	}
	return kept;
}

/** Blanks the metadata boxes of an MP4 (ISO/IEC 14496-12 §8.10 and §8.11). Sizes and offsets do not change. */
export async function* withoutUserData(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	let pending: Buffer = Buffer.alloc(0);
	/** The offset of the next box in `pending`. */
	let next = 0;
	let isBlank = false;
	for await (const chunk of chunks) {
		const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
		const blank = (from: number) => isBlank && bytes.fill(0, from, Math.min(next, bytes.length));
		blank(0);
		while (next + 16 <= bytes.length) {
			const name = nameAt(bytes, next + 4);
			isBlank = name === 'udta' || name === 'meta';
			if (isBlank) bytes.write('free', next + 4, 'latin1');
			const { body, end } = boundsOf(bytes, next);
			// These boxes contain boxes.
			next = name === 'moov' || name === 'trak' ? body : end;
			blank(body);
		}
		const passed = Math.min(next, bytes.length);
		if (passed > 0) yield bytes.subarray(0, passed);
		pending = bytes.subarray(passed);
		next -= passed;
	}
	if (pending.length > 0) yield pending;
}

/** The start and the end of a box's body. A size of 0 means that the box extends to the end of the file. */
function boundsOf(bytes: Buffer, at: number): { body: number; end: number } {
	const short = bytes.readUInt32BE(at);
	const size = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short;
	const header = short === 1 ? 16 : 8;
	return { body: at + header, end: size >= header ? at + size : Number.POSITIVE_INFINITY };
}

function nameAt(file: Buffer, at: number): string {
	return file.toString('latin1', at, at + 4);
}
