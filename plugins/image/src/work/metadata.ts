import type { ImageFormat } from '@plinth/toolkit';

/** How a format divides a file into parts. */
interface FormatParts {
	/** The offset of the first part. */
	readonly first: number;
	/** The offset of the name in a part. */
	readonly name: number;
	/** The names of parts with texts, Exif or XMP. */
	readonly metadata: RegExp;
	/** The end of the part at an offset. */
	end(file: Buffer, at: number): number;
}

const formats: Readonly<Record<ImageFormat, FormatParts>> = {
	// PNG, third edition, §5.3: length, type, data and checksum.
	png: {
		first: 8,
		name: 4,
		metadata: /^(?:tEXt|[iz]TXt|eXIf)/,
		end: (file, at) => at + 12 + file.readUInt32BE(at),
	},
	// RFC 9649 §2.3: type, length and data, to an even length.
	webp: {
		first: 12,
		name: 0,
		metadata: /^(?:EXIF|XMP )/,
		end: (file, at) => at + 8 + 2 * Math.ceil(file.readUInt32LE(at + 4) / 2),
	},
	// ITU-T T.81 §B.1: a marker, and a length that includes its own bytes. The picture follows the marker 0xda.
	jpeg: {
		first: 2,
		name: 0,
		metadata: /^\xff[\xe1\xed\xfe]/,
		end: (file, at) => (file[at + 1] === 0xda ? file.length : at + 2 + file.readUInt16BE(at + 2)),
	},
};

/**
 * Removes texts, Exif and XMP from an encoded picture. Works in place: the bytes before such a part, usually only the
 * header, move to the bytes after it.
 */
export function withoutMetadata(image: Uint8Array, format: ImageFormat): Uint8Array {
	const { first, name, metadata, end: endOf } = formats[format];
	const file = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
	const ranges: { readonly from: number; readonly to: number }[] = [];
	let from = 0;
	for (let at = first, end = at; at + 8 <= file.length; at = end) {
		end = endOf(file, at);
		if (end > file.length || !metadata.test(nameAt(file, at + name))) continue;
		ranges.push({ from, to: at });
		from = end;
	}
	// From the last one on, so that each byte moves once, however many parts are removed.
	let start = from;
	for (const { from, to } of ranges.toReversed()) {
		start -= to - from;
		file.copyWithin(start, from, to);
	}
	const kept = file.subarray(start);
	if (format === 'webp' && start > 0) {
		kept.writeUInt32LE(kept.length - 8, 4);
		// Clears the flags of Exif and XMP.
		if (nameAt(kept, 12) === 'VP8X') kept.writeUInt8(kept.readUInt8(20) & ~0x0c, 20);
	}
	return kept;
}

function nameAt(file: Buffer, at: number): string {
	return file.toString('latin1', at, at + 4);
}
