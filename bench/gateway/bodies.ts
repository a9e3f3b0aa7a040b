import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

/** Writes the responses of the mock upstream into a folder. The files are valid, because some gateways read them. */
export async function writeBodies(folder: string): Promise<void> {
	const files = {
		'chat.json': chat(),
		'image.json': image(),
		'speech.wav': wav(500 * 1024),
		'video.mp4': mp4(8 * 1024 * 1024),
	};
	for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
}

/** A completion of about 1 KB. The mock's event stream holds the same words, because some gateways always stream. */
function chat(): string {
	const words = Array.from({ length: 200 }, (_, index) => `${String(index).padStart(3, '0')} `);
	return JSON.stringify({
		id: 'chatcmpl-mock',
		object: 'chat.completion',
		created: 1_700_000_000,
		model: 'mock',
		choices: [
			{
				index: 0,
				message: { role: 'assistant', content: words.join(''), refusal: null },
				logprobs: null,
				finish_reason: 'stop',
			},
		],
		usage: { prompt_tokens: 20, completion_tokens: 140, total_tokens: 160 },
		system_fingerprint: null,
	});
}

/** A picture of 1024x1024 whose base64 has two megabytes. */
function image(): string {
	return JSON.stringify({
		created: 1_700_000_000,
		data: [{ b64_json: png(1024).toString('base64') }],
		usage: { input_tokens: 10, output_tokens: 100, total_tokens: 110 },
	});
}

/** Noise in every other row, so that half of the pixels can be compressed. */
function png(side: number): Buffer {
	const row = side * 3 + 1;
	const pixels = noise('image', row * side);
	for (let y = 0; y < side; y++) pixels.fill(0, y * row, y * row + (y % 2 === 0 ? 1 : row));
	const header = Buffer.alloc(13);
	header.writeUInt32BE(side, 0);
	header.writeUInt32BE(side, 4);
	header.set([8, 2], 8);
	return Buffer.concat([
		Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
		pngChunk('IHDR', header),
		pngChunk('IDAT', deflateSync(pixels)),
		pngChunk('IEND', Buffer.alloc(0)),
	]);
}

function pngChunk(type: string, data: Buffer): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

/** One channel of 16 bits at 24 kHz. */
function wav(length: number): Buffer {
	const [head, rate] = [Buffer.alloc(44), 24_000];
	head.write('RIFF', 0);
	head.writeUInt32LE(length - 8, 4);
	head.write('WAVEfmt ', 8);
	head.writeUInt32LE(16, 16);
	head.writeUInt16LE(1, 20);
	head.writeUInt16LE(1, 22);
	head.writeUInt32LE(rate, 24);
	head.writeUInt32LE(rate * 2, 28);
	head.writeUInt16LE(2, 32);
	head.writeUInt16LE(16, 34);
	head.write('data', 36);
	head.writeUInt32LE(length - head.length, 40);
	return Buffer.concat([head, noise('speech', length - head.length)]);
}

/** A file type, a movie header of four seconds, and noise in place of frames (ISO/IEC 14496-12 §4.3, §8.2). */
function mp4(length: number): Buffer {
	const movie = Buffer.alloc(100);
	// The time scale, the duration, the rate (16.16), the volume (8.8), and the next track's number.
	movie.writeUInt32BE(1_000, 12);
	movie.writeUInt32BE(4_000, 16);
	movie.writeUInt32BE(0x1_0000, 20);
	movie.writeUInt16BE(0x100, 24);
	// The unity matrix.
	for (const [at, value] of [
		[36, 0x1_0000],
		[52, 0x1_0000],
		[68, 0x4000_0000],
	] as const) {
		movie.writeUInt32BE(value, at);
	}
	movie.writeUInt32BE(1, 96);
	const head = Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1')), box('moov', box('mvhd', movie))]);
	return Buffer.concat([head, box('mdat', noise('video', length - head.length - 8))]);
}

function box(type: string, body: Buffer): Buffer {
	return Buffer.concat([uint32(body.length + 8), Buffer.from(type, 'latin1'), body]);
}

function uint32(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

/** Incompressible bytes. Equal seeds give equal bytes. */
function noise(seed: string, length: number): Buffer {
	return createHash('shake256', { outputLength: length }).update(seed).digest();
}
