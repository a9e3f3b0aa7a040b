import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { withoutMetadata } from '../src/metadata.ts';

function box(name: string, ...parts: readonly Uint8Array[]): Buffer {
	const body = Buffer.concat(parts);
	const head = Buffer.alloc(8);
	head.writeUInt32BE(8 + body.length);
	head.write(name, 4, 'latin1');
	return Buffer.concat([head, body]);
}

/** A box with a length of 64 bits. */
function longBox(name: string, body: Uint8Array): Buffer {
	const head = Buffer.alloc(16);
	head.writeUInt32BE(1);
	head.write(name, 4, 'latin1');
	head.writeBigUInt64BE(BigInt(16 + body.length), 8);
	return Buffer.concat([head, body]);
}

function movie(track: Buffer, userData: Buffer): Buffer {
	return Buffer.concat([
		box('ftyp', Buffer.from('isom\0\0\0\0isom')),
		box('moov', box('mvhd', Buffer.alloc(100, 2)), track, userData),
		longBox('mdat', Buffer.alloc(3_000, 'moov udta meta')),
		Buffer.from('\0\0\0\x08free', 'latin1'),
	]);
}

const prompt = Buffer.alloc(9, 'a red boat');
const header = box('tkhd', Buffer.alloc(84, 1));
const file = movie(box('trak', header, box('udta', prompt)), box('udta', box('meta', prompt)));
const expected = movie(box('trak', header, box('free', Buffer.alloc(9))), box('free', Buffer.alloc(17)));

it.each([1, 7, 16, 100, file.length])('blanks metadata that arrives in chunks of %i bytes', async (size) => {
	const chunks = Array.from({ length: Math.ceil(file.length / size) }, (_, index) =>
		Buffer.from(file.subarray(index * size, (index + 1) * size)),
	);
	const passed = [];
	for await (const chunk of withoutMetadata(Readable.from(chunks))) passed.push(Buffer.from(chunk));
	expect(Buffer.concat(passed)).toEqual(expected);
});
