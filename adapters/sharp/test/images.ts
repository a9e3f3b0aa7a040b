import { crc32 } from 'node:zlib';
import type { RawImage } from '@plinth/toolkit';
import sharp, { type Sharp } from 'sharp';
import { sharpImages } from '../src/index.ts';

/** Creates a codec as the kernel does. */
export function createCodec(options: { concurrency?: number } = {}) {
	const { definition } = sharpImages;
	const config = definition.config.parse(options);
	const context = { config, services: {}, log: silent, onStop: () => {} };
	return definition.create(context as never) as ReturnType<typeof asCodec>;
}

function asCodec(codec: unknown) {
	return codec as import('@plinth/toolkit').ImageCodec;
}

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

const colours: Readonly<Record<string, readonly number[]>> = {
	red: [255, 0, 0],
	green: [0, 255, 0],
	blue: [0, 0, 255],
	yellow: [255, 255, 0],
};

/** A picture of four coloured quarters, clockwise from the top left: red, green, blue, yellow. */
export function quarters(width = 40, height = 20): Sharp {
	const pixels = Array.from({ length: width * height }, (_, index) => {
		const left = index % width < width / 2;
		const top = index < (width * height) / 2;
		return colours[top ? (left ? 'red' : 'green') : left ? 'yellow' : 'blue'] ?? [];
	});
	return sharp(Uint8Array.from(pixels.flat()), { raw: { width, height, channels: 3 } });
}

/** The named colour closest to a pixel; `clear` if it is transparent. */
export function colourAt(image: RawImage, x: number, y: number): string {
	const at = (y * image.width + x) * 4;
	const [r = 0, g = 0, b = 0, a = 0] = image.data.subarray(at, at + 4);
	if (a < 128) return 'clear';
	const distances = Object.entries(colours).map(([name, [red = 0, green = 0, blue = 0]]) => ({
		name,
		distance: Math.hypot(r - red, g - green, b - blue),
	}));
	return distances.sort((one, other) => one.distance - other.distance)[0]?.name ?? 'none';
}

/** The colours near the four corners, clockwise from the top left. */
export function corners(image: RawImage): readonly string[] {
	const right = image.width - 2;
	const bottom = image.height - 2;
	return [colourAt(image, 1, 1), colourAt(image, right, 1), colourAt(image, right, bottom), colourAt(image, 1, bottom)];
}

/** A PNG of a few bytes without pixel data, whose header declares any size. */
export function claimedPng(width: number, height: number, interlaced = false): Uint8Array {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, 2, 0, 0, interlaced ? 1 : 0], 8);
	const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
	return Buffer.concat([magic, pngChunk('IHDR', header), pngChunk('IDAT', Buffer.alloc(64)), pngChunk('IEND')]);
}

function pngChunk(type: string, data = Buffer.alloc(0)): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const length = Buffer.alloc(4);
	length.writeUInt32BE(data.byteLength);
	const sum = Buffer.alloc(4);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, sum]);
}
