import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG chunk with its checksum. */
export function pngChunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(data.byteLength);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, sum]);
}

/** A PNG of 8-bit RGB whose header declares any size; `data` is the compressed pixel data. */
export function madePng(width: number, height: number, data: Uint8Array, extra: readonly Buffer[] = []): Buffer {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, 2, 0, 0, 0], 8);
	const chunks = [pngChunk('IHDR', header), ...extra, pngChunk('IDAT', data), pngChunk('IEND')];
	return Buffer.concat([magic, ...chunks]);
}

/** Compressed rows of black pixels. */
export function blackRows(width: number, height: number): Buffer {
	return deflateSync(Buffer.alloc((width * 3 + 1) * height), { level: 1 });
}

/** A JPEG whose header declares any size. */
export async function claimedJpeg(width: number, height: number): Promise<Buffer> {
	const image = await flat(16, 16).jpeg().toBuffer();
	const frame = image.indexOf(Buffer.from([0xff, 0xc0]));
	image.writeUInt16BE(height, frame + 5);
	image.writeUInt16BE(width, frame + 7);
	return image;
}

/** A lossy WebP whose header declares any size up to 16,383 pixels. */
export async function claimedWebp(width: number, height: number): Promise<Buffer> {
	const image = await flat(16, 16).webp().toBuffer();
	const frame = image.indexOf(Buffer.from([0x9d, 0x01, 0x2a]));
	image.writeUInt16LE(width, frame + 3);
	image.writeUInt16LE(height, frame + 5);
	return image;
}

interface Size {
	readonly width: number;
	readonly height: number;
}

/** An animated WebP. With `claim`, its header declares that canvas size. */
export async function animation(frames: number, claim?: Size): Promise<Buffer> {
	const still = await flat(16, 16).webp({ lossless: true }).toBuffer();
	return animationOf(still, { width: 16, height: 16 }, { frames, canvas: claim });
}

/** An animated WebP that repeats a simple WebP as each frame (RFC 9649 §2.7.1). */
export function animationOf(
	still: Uint8Array,
	size: Size,
	{ frames = 1, canvas = size }: { frames?: number; canvas?: Size | undefined } = {},
): Buffer {
	const header = Buffer.alloc(10);
	header[0] = 0x02;
	header.writeUIntLE(canvas.width - 1, 4, 3);
	header.writeUIntLE(canvas.height - 1, 7, 3);
	const frame = Buffer.alloc(16);
	frame.writeUIntLE(size.width - 1, 6, 3);
	frame.writeUIntLE(size.height - 1, 9, 3);
	const shown = riffChunk('ANMF', Buffer.concat([frame, still.subarray(12)]));
	const chunks = [
		riffChunk('VP8X', header),
		riffChunk('ANIM', Buffer.alloc(6)),
		...Array.from({ length: frames }, () => shown),
	];
	return riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

function riffChunk(type: string, data: Uint8Array): Buffer {
	const length = Buffer.alloc(4);
	length.writeUInt32LE(data.byteLength);
	return Buffer.concat([Buffer.from(type), length, data, Buffer.alloc(data.byteLength % 2)]);
}

/** A picture of one colour. */
export function flat(width: number, height: number, background = { r: 90, g: 60, b: 30 }) {
	return sharp({ create: { width, height, channels: 3, background } });
}

/** A picture of noise, which compresses badly. */
export function noise(width: number, height: number) {
	const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
	return sharp({ create: { width, height, channels: 3, background: '#000', noise } });
}
