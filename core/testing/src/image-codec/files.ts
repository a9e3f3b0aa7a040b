import { crc32, deflateSync } from 'node:zlib';
import type { RawImage } from '@plinth/toolkit';

const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG of 8-bit RGBA with exactly these pixels. */
export function pngOf({ width, height, data }: RawImage): Buffer {
	const line = width * 4;
	const rows = Buffer.alloc((line + 1) * height);
	for (let y = 0; y < height; y++) {
		rows.set(data.subarray(y * line, (y + 1) * line), y * (line + 1) + 1);
	}
	return png(width, height, { depth: 8, type: 6, data: deflateSync(rows) });
}

/** A PNG of black pixels of one bit each, so that millions of them are a small file. */
export function largePng(width: number, height: number): Buffer {
	const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height);
	return png(width, height, { depth: 1, type: 0, data: deflateSync(rows, { level: 1 }) });
}

interface PngContent {
	readonly depth: number;
	readonly type: number;
	readonly data: Buffer;
}

function png(width: number, height: number, { depth, type, data }: PngContent): Buffer {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([depth, type], 8);
	return Buffer.concat([magic, pngChunk('IHDR', header), pngChunk('IDAT', data), pngChunk('IEND', Buffer.alloc(0))]);
}

function pngChunk(type: string, data: Buffer): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(data.length);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, sum]);
}

/** The JPEG with an EXIF orientation (1 to 8) and the name of an artist, as cameras write them. */
export function withExif(jpeg: Uint8Array, orientation: number, artist: string): Buffer {
	const name = Buffer.from(`${artist}\0`, 'latin1');
	// A TIFF header and one directory of two entries; the name follows them.
	const tiff = Buffer.alloc(38);
	tiff.write('MM\0*', 'latin1');
	tiff.writeUInt32BE(8, 4);
	tiff.writeUInt16BE(2, 8);
	tiffEntry(tiff, 10, { tag: 0x0112, type: 3, count: 1, value: orientation * 0x1_0000 });
	tiffEntry(tiff, 22, { tag: 0x013b, type: 2, count: name.length, value: tiff.length });
	const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, name]);
	const segment = Buffer.from([0xff, 0xe1, 0, 0]);
	segment.writeUInt16BE(exif.length + 2, 2);
	return Buffer.concat([jpeg.subarray(0, 2), segment, exif, jpeg.subarray(2)]);
}

function tiffEntry(tiff: Buffer, at: number, entry: { tag: number; type: number; count: number; value: number }): void {
	tiff.writeUInt16BE(entry.tag, at);
	tiff.writeUInt16BE(entry.type, at + 2);
	tiff.writeUInt32BE(entry.count, at + 4);
	tiff.writeUInt32BE(entry.value, at + 8);
}

/** A WebP in which pictures of one size follow each other (RFC 9649 §2.7.1); each is a WebP without alpha. */
export function animatedWebp(stills: readonly Uint8Array[], width: number, height: number): Buffer {
	const canvas = Buffer.alloc(10);
	canvas[0] = 0x02;
	canvas.writeUIntLE(width - 1, 4, 3);
	canvas.writeUIntLE(height - 1, 7, 3);
	const frames = stills.map((still) => {
		const frame = Buffer.alloc(16);
		frame.writeUIntLE(width - 1, 6, 3);
		frame.writeUIntLE(height - 1, 9, 3);
		frame.writeUIntLE(100, 12, 3);
		return riffChunk('ANMF', Buffer.concat([frame, pixelChunk(still)]));
	});
	const chunks = [riffChunk('VP8X', canvas), riffChunk('ANIM', Buffer.alloc(6)), ...frames];
	return riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

/** The chunk with the pixels, found by its type after any other chunks. */
function pixelChunk(still: Uint8Array): Buffer {
	const file = Buffer.from(still.buffer, still.byteOffset, still.byteLength);
	let at = 12;
	while (!['VP8 ', 'VP8L'].includes(file.toString('latin1', at, at + 4))) {
		if (at >= file.length) throw new Error('The WebP has no pixels.');
		at += 8 + Math.ceil(file.readUInt32LE(at + 4) / 2) * 2;
	}
	return file.subarray(at, at + 8 + Math.ceil(file.readUInt32LE(at + 4) / 2) * 2);
}

function riffChunk(type: string, data: Buffer): Buffer {
	const length = Buffer.alloc(4);
	length.writeUInt32LE(data.length);
	return Buffer.concat([Buffer.from(type, 'latin1'), length, data, Buffer.alloc(data.length % 2)]);
}
