/** A file of parts: where the first one begins, where the part at a position ends, and whether that is text. */
interface Format {
	readonly opening: RegExp;
	readonly first: number;
	end(file: Buffer, at: number): number;
	isText(file: Buffer, at: number): boolean;
}

const formats = {
	/** PNG, third edition, §5.3: length, type, data and checksum. */
	'image/png': {
		opening: /^\x89PNG/,
		first: 8,
		end: (file, at) => at + 12 + file.readUInt32BE(at),
		isText: (file, at) => /^(?:tEXt|[iz]TXt|eXIf)$/.test(nameAt(file, at + 4)),
	},
	/** RFC 9649 §2.3: type, length and data, to an even length. */
	'image/webp': {
		opening: /^RIFF.{4}WEBP/s,
		first: 12,
		end: (file, at) => at + 8 + 2 * Math.ceil(file.readUInt32LE(at + 4) / 2),
		isText: (file, at) => /^(?:EXIF|XMP )$/.test(nameAt(file, at)),
	},
	/** ITU-T T.81 §B.1: a marker, and a length that counts itself. Behind the marker 0xda lies the picture. */
	'image/jpeg': {
		opening: /^\xff\xd8\xff/,
		first: 2,
		end: (file, at) => (file[at + 1] === 0xda ? file.length : at + 2 + file.readUInt16BE(at + 2)),
		isText: (file, at) => file[at] === 0xff && [0xe1, 0xed, 0xfe].includes(file[at + 1] ?? 0),
	},
} as const satisfies Readonly<Record<string, Format>>;

/** The media type of a picture by its first bytes; undefined for other files. */
export function pictureTypeOf(file: Buffer): PictureType | undefined {
	const opening = file.toString('latin1', 0, 12);
	return (Object.keys(formats) as PictureType[]).find((type) => formats[type].opening.test(opening));
}

type PictureType = keyof typeof formats;

/**
 * A picture without its texts, Exif and XMP, into which ComfyUI writes the whole workflow. The bytes before such a part
 * move over it, in place: usually these are the few of the header.
 */
export function withoutText(file: Buffer, mediaType: PictureType): Buffer {
	const format: Format = formats[mediaType];
	let start = 0;
	for (let at = format.first; at + 8 <= file.length; ) {
		const end = format.end(file, at);
		if (end <= file.length && format.isText(file, at)) {
			file.copyWithin(start + end - at, start, at);
			start += end - at;
		}
		at = end;
	}
	const kept = file.subarray(start);
	if (mediaType === 'image/webp' && start > 0) {
		kept.writeUInt32LE(kept.length - 8, 4);
		// The flags of Exif and XMP.
		if (nameAt(kept, 12) === 'VP8X') kept.writeUInt8(kept.readUInt8(20) & ~0x0c, 20);
	}
	return kept;
}

/** An MP4 whose boxes of metadata are blank (ISO/IEC 14496-12 §8.10 and §8.11). Sizes and offsets stay. */
export async function* withoutUserData(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	let held: Buffer = Buffer.alloc(0);
	/** Bytes of the current box that have not passed. */
	let left = 0;
	let isBlank = false;
	for await (const chunk of chunks) {
		const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
		let at = 0;
		while (bytes.length - at >= (left > 0 ? 1 : 16)) {
			const start = at;
			if (left > 0) {
				at = Math.min(bytes.length, at + left);
				left -= at - start;
				if (isBlank) bytes.fill(0, start, at);
				continue;
			}
			const name = nameAt(bytes, at + 4);
			isBlank = name === 'udta' || name === 'meta';
			if (isBlank) bytes.write('free', at + 4, 'latin1');
			at += bytes.readUInt32BE(at) === 1 ? 16 : 8;
			// Boxes lie in these, one after the other.
			left = name === 'moov' || name === 'trak' ? 0 : sizeOf(bytes.subarray(start, at)) - (at - start);
		}
		held = bytes.subarray(at);
		if (at > 0) yield bytes.subarray(0, at);
	}
	if (held.length > 0) yield held;
}

/** The size in the header of a box, which is 0 for one that reaches to the end of the file. */
function sizeOf(header: Buffer): number {
	const size = header.length === 16 ? Number(header.readBigUInt64BE(8)) : header.readUInt32BE(0);
	return size >= header.length ? size : Number.POSITIVE_INFINITY;
}

function nameAt(file: Buffer, at: number): string {
	return file.toString('latin1', at, at + 4);
}
