import type { PageSize } from '../layout/item.ts';

/** The size of a picture in pixels, from its header. Undefined where there is none. */
export function pictureSize(bytes: Buffer): PageSize | undefined {
	try {
		const size = sizeOf(bytes);
		return size && size.width > 0 && size.height > 0 ? size : undefined;
	} catch (error) {
		// The header ends too early.
		if (error instanceof RangeError) return undefined;
		throw error;
	}
}

function sizeOf(bytes: Buffer): PageSize | undefined {
	const head = bytes.toString('latin1', 0, 16);
	if (head.startsWith('\x89PNG')) return pair(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
	if (head.startsWith('GIF8')) return pair(bytes.readUInt16LE(6), bytes.readUInt16LE(8));
	if (head.startsWith('BM')) return bitmapSize(bytes);
	if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return webpSize(bytes);
	if (head.startsWith('\xff\xd8')) return jpegSize(bytes);
	if (head.startsWith('II*\0') || head.startsWith('MM\0*')) return tiffSize(bytes);
	return undefined;
}

function pair(width: number, height: number): PageSize {
	return { width, height };
}

/** The header is 12 bytes long in the first version, else its lines may count from above: a negative height. */
function bitmapSize(bytes: Buffer): PageSize {
	if (bytes.readUInt32LE(14) === 12) return pair(bytes.readUInt16LE(18), bytes.readUInt16LE(20));
	return pair(Math.abs(bytes.readInt32LE(18)), Math.abs(bytes.readInt32LE(22)));
}

/** RFC 9649: simple, lossless and extended files. */
function webpSize(bytes: Buffer): PageSize | undefined {
	switch (bytes.toString('latin1', 12, 16)) {
		case 'VP8 ':
			return pair(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
		case 'VP8L': {
			const bits = bytes.readUInt32LE(21);
			return pair((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
		}
		case 'VP8X':
			return pair(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
		default:
			return undefined;
	}
}

/** The first frame header (ISO 10918-1, B.2.2): markers C0 to CF but for those of tables. */
function jpegSize(bytes: Buffer): PageSize | undefined {
	for (let at = 2; at + 9 < bytes.length; ) {
		if (bytes[at] !== 0xff) return undefined;
		const marker = bytes[at + 1] ?? 0;
		if (marker === 0xff) at += 1;
		else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
			return pair(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
		else at += 2 + bytes.readUInt16BE(at + 2);
	}
	return undefined;
}

/** Tags 256 and 257 of the first directory, as short or long numbers. */
function tiffSize(bytes: Buffer): PageSize {
	const isLittle = bytes[0] === 0x49;
	const short = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
	const long = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
	const directory = long(4);
	const tags = new Map<number, number>();
	for (let index = 0; index < short(directory); index++) {
		const at = directory + 2 + 12 * index;
		tags.set(short(at), short(at + 2) === 3 ? short(at + 8) : long(at + 8));
	}
	return pair(tags.get(256) ?? 0, tags.get(257) ?? 0);
}
