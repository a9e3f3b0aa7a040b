import { crc32, deflateSync } from 'node:zlib';

/** Makes a PNG of one colour (red, green and blue, 0 to 255). */
export function solidPng(
	width: number,
	height: number,
	color: readonly [number, number, number],
): Uint8Array<ArrayBuffer> {
	const row = Buffer.from([0, ...Array.from({ length: width }, () => color).flat()]);
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, 2, 0, 0, 0], 8);
	const rows = Buffer.concat(Array.from({ length: height }, () => row));
	return Uint8Array.from(
		Buffer.concat([
			Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
			chunk('IHDR', header),
			chunk('IDAT', deflateSync(rows)),
			chunk('IEND', Buffer.alloc(0)),
		]),
	);
}

/** Makes an uncompressed PNG, which has three bytes per pixel. */
export function rawPng(width: number, height: number): Uint8Array<ArrayBuffer> {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, 2, 0, 0, 0], 8);
	return Uint8Array.from(
		Buffer.concat([
			Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
			chunk('IHDR', header),
			chunk('IDAT', deflateSync(Buffer.alloc((width * 3 + 1) * height), { level: 0 })),
			chunk('IEND', Buffer.alloc(0)),
		]),
	);
}

/** Reads width and height from a PNG header. Throws for anything else. */
export function pngSize(bytes: Uint8Array): { readonly width: number; readonly height: number } {
	const data = Buffer.from(bytes);
	if (data.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') throw new Error('The file is not a PNG.');
	return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
}

function chunk(type: string, data: Uint8Array): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(data.length);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, sum]);
}
