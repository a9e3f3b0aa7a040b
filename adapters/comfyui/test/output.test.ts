import { Readable } from 'node:stream';
import type { MadeImage } from '@plinth/plugin-image/model';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { withoutText, withoutUserData } from '../src/files.ts';
import { comfyui } from '../src/index.ts';
import { bytesOf, flux, imageRun, movie, open, picture, startComfy, videoRun, wan } from './harness.ts';
import { png } from './scripted/files.ts';

async function pictureFrom(output: (saved: object) => object, bytes?: Buffer, options = {}) {
	const comfy = await startComfy({ output });
	if (bytes) comfy.files.set('output//other', bytes);
	const model = await open(comfyui.image, { ...flux, ...options, baseURL: comfy.url });
	return model.generate?.(picture, imageRun());
}

async function videoFrom(output: (saved: object) => object, bytes?: Buffer, options = {}) {
	const comfy = await startComfy({ output });
	if (bytes) comfy.files.set('output//other', bytes);
	const model = await open(comfyui.video, { ...wan, ...options, baseURL: comfy.url });
	return bytesOf(await model.generate(movie, videoRun()));
}

function bodyOf(made: MadeImage | undefined): Buffer {
	return Buffer.from(made && 'body' in made ? made.body : []);
}

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

const xmp =
	'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>';
const other = { filename: 'other', subfolder: '', type: 'output' };

describe('a picture', () => {
	test('has no text chunks, in which ComfyUI writes the whole workflow', async () => {
		const [made] = (await pictureFrom((saved) => saved))?.images ?? [];
		const body = Buffer.from(made && 'body' in made ? made.body : []);
		expect(body.toString('latin1', 0, 8)).toBe('\x89PNG\r\n\x1a\n');
		expect(body.includes('tEXt')).toBe(false);
		expect(body.includes('A red boat')).toBe(false);
		expect(body.includes('IEND')).toBe(true);
	});

	test('keeps them with keepMetadata', async () => {
		const [made] = (await pictureFrom((saved) => saved, undefined, { keepMetadata: true }))?.images ?? [];
		expect(Buffer.from(made && 'body' in made ? made.body : []).includes('A red boat')).toBe(true);
	});

	test('is the same but for these chunks', () => {
		const text = png(5, 4, 3, 'told');
		const start = text.indexOf('tEXt') - 4;
		const length = text.readUInt32BE(start) + 12;
		const expected = Buffer.concat([text.subarray(0, start), text.subarray(start + length)]);
		expect(withoutText(Buffer.from(text), 'image/png')).toEqual(expected);
		expect(withoutText(Buffer.from(expected), 'image/png')).toEqual(expected);
		for (let end = 0; end < text.length; end++) withoutText(Buffer.from(text.subarray(0, end)), 'image/png');
	});

	test.each(['jpeg', 'webp', 'png'] as const)('as %s has no Exif and no XMP, and the same pixels', async (format) => {
		const pixels = { width: 40, height: 30, channels: 3, background: '#c04020' } as const;
		const written = sharp({ create: pixels })
			.withExif({ IFD0: { Make: 'prompt: A red boat' } })
			.withXmp(xmp);
		const file = await written.toFormat(format).toBuffer();
		expect(file.includes('A red boat')).toBe(true);
		const [kept] =
			(await pictureFrom(() => ({ images: [other] }), Buffer.from(file), { keepMetadata: true }))?.images ?? [];
		expect(bodyOf(kept)).toEqual(file);
		const [made] = (await pictureFrom(() => ({ images: [other] }), Buffer.from(file)))?.images ?? [];
		const body = bodyOf(made);
		expect(body.includes('A red boat')).toBe(false);
		const { exif, xmp: told, ...facts } = await sharp(body).metadata();
		expect([exif, told, facts]).toMatchObject([undefined, undefined, { format, width: 40, height: 30 }]);
		expect(await sharp(body).raw().toBuffer()).toEqual(await sharp(file).raw().toBuffer());
		for (let end = 0; end < file.length; end += 7) withoutText(Buffer.from(file.subarray(0, end)), `image/${format}`);
	});

	test.each([
		['is refused when it is no picture', () => ({ images: [other] }), 'no PNG, JPEG or WebP'],
		['is refused when it is an animation', () => ({ images: [other], animated: [true] }), 'an animation'],
		['is missed when nothing was saved', () => ({}), 'saved no file'],
	])('%s', async (_what, output, message) => {
		await expect(pictureFrom(output, Buffer.from('<html>'))).rejects.toThrow(message);
	});
});

describe('a video', () => {
	const mp4 = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isomrest of the film', 'latin1');

	test.each([
		['images with animated', { images: [other], animated: [true] }],
		['gifs', { gifs: [{ ...other, format: 'video/h264-mp4' }] }],
		['video', { video: [other] }],
	])('is found under %s', async (_what, output) => {
		expect(await videoFrom(() => output, mp4)).toEqual(mp4);
	});

	test('has blank metadata in place of the workflow, at the same size', async () => {
		const data = Buffer.alloc(9, 'a red boat');
		const track = box('trak', box('tkhd', Buffer.alloc(84, 1)), box('udta', data));
		const parts = (one: Buffer, two: Buffer) => [
			box('ftyp', Buffer.from('isom\0\0\0\0isom')),
			box('moov', box('mvhd', Buffer.alloc(100, 2)), one, two),
			longBox('mdat', Buffer.alloc(3_000, 'moov udta meta')),
			Buffer.from('\0\0\0\x08free', 'latin1'),
		];
		const file = Buffer.concat(parts(track, box('udta', box('meta', data))));
		const blank = box('trak', box('tkhd', Buffer.alloc(84, 1)), box('free', Buffer.alloc(9)));
		const expected = Buffer.concat(parts(blank, box('free', Buffer.alloc(17))));
		expect(await videoFrom(() => ({ images: [other] }), Buffer.from(file))).toEqual(expected);
		expect(await videoFrom(() => ({ images: [other] }), Buffer.from(file), { keepMetadata: true })).toEqual(file);
		for (const size of [1, 7, 16, 100]) {
			const chunks = Array.from({ length: Math.ceil(file.length / size) }, (_, index) =>
				Buffer.from(file.subarray(index * size, (index + 1) * size)),
			);
			const passed = [];
			for await (const chunk of withoutUserData(Readable.from(chunks))) passed.push(Buffer.from(chunk));
			expect(Buffer.concat(passed)).toEqual(expected);
		}
	});

	test('goes on where its download broke off', async () => {
		const comfy = await startComfy({ output: () => ({ images: [other] }) });
		const long = Buffer.concat([mp4, Buffer.alloc(3_000_000, 'film ')]);
		comfy.files.set('output//other', long);
		const cuts = [1_000_000, 2_000_000];
		const ranges: (string | undefined)[] = [];
		comfy.intercept = ({ path, headers }, res) => {
			if (!path.startsWith('/view')) return false;
			ranges.push(headers.range);
			const end = cuts.shift();
			if (end === undefined) return false;
			const from = Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0);
			const range = from > 0 && { 'content-range': `bytes ${from}-${long.length - 1}/${long.length}` };
			res.writeHead(from > 0 ? 206 : 200, { 'content-length': long.length - from, ...range });
			res.write(long.subarray(from, end), () => res.destroy());
			return true;
		};
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		expect((await bytesOf(await model.generate(movie, videoRun()))).equals(long)).toBe(true);
		expect(ranges).toHaveLength(3);
		expect(ranges[2]).toMatch(/^bytes=\d{6,7}-\d+$/);
	});

	test('is streamed: memory stays flat while a large one is read', async () => {
		const comfy = await startComfy({ output: () => ({ images: [other] }) });
		const size = 200 * 1_048_576;
		comfy.intercept = ({ path }, res) => {
			if (!path.startsWith('/view')) return false;
			res.writeHead(200, { 'content-length': size });
			const block = Buffer.alloc(65_536);
			let left = size - mp4.length;
			res.write(mp4);
			const more = () => {
				while (left > 0) {
					const chunk = block.subarray(0, left);
					left -= chunk.length;
					if (!res.write(chunk)) return res.once('drain', more);
				}
				return res.end();
			};
			more();
			return true;
		};
		const model = await open(comfyui.video, { ...wan, baseURL: comfy.url });
		const { body } = await model.generate(movie, videoRun());
		const before = process.memoryUsage().rss;
		let [length, peak] = [0, 0];
		for await (const chunk of body as AsyncIterable<Uint8Array>) {
			length += chunk.length;
			if (length % 4_194_304 < chunk.length) peak = Math.max(peak, process.memoryUsage().rss);
		}
		expect(length).toBe(size);
		expect(peak - before).toBeLessThan(100 * 1_048_576);
	}, 20_000);
});
