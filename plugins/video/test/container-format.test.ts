import { describe, expect, it } from 'vitest';
import { checkedMp4, matchesMediaType } from '../src/container-format.ts';

const mp4 = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0', 'latin1');

async function collect(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Buffer> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of checkedMp4(body)) chunks.push(chunk);
	return Buffer.concat(chunks);
}

async function* bytewise(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	for (const byte of bytes) yield Uint8Array.of(byte);
}

describe('checkedMp4', () => {
	it('passes MP4 on unchanged, for any chunking', async () => {
		expect(await collect(mp4)).toEqual(mp4);
		expect(await collect(bytewise(mp4))).toEqual(mp4);
	});

	it.each([
		['an error page', Buffer.from('<html>502 Bad Gateway</html>'), 'not video/mp4'],
		[
			'an animation',
			Buffer.from('RIFF\x20\0\0\0WEBPVP8 \x14\0\0\0'.padEnd(64, '\0'), 'latin1'),
			'image/webp, not video/mp4',
		],
		['nothing', Buffer.alloc(0), 'no video'],
		['a stump', mp4.subarray(0, 7), 'no video'],
	])('rejects %s', async (_, body, why) => {
		await expect(collect(body)).rejects.toThrow(why);
	});
});

describe('matchesMediaType', () => {
	it('compares the first bytes with the media type', () => {
		const png = Buffer.from('\x89PNG\r\n\x1a\n…', 'latin1');
		const webp = Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1');
		expect(matchesMediaType({ body: png, mediaType: 'image/png' })).toBe(true);
		expect(matchesMediaType({ body: webp, mediaType: 'image/webp' })).toBe(true);
		expect(matchesMediaType({ body: png, mediaType: 'image/webp' })).toBe(false);
		expect(matchesMediaType({ body: webp, mediaType: 'image/png' })).toBe(false);
	});
});
