import { describe, expect, test } from 'vitest';
import { comfyui } from '../src/index.ts';
import { bytesOf, flux, imageRun, movie, open, picture, startComfy, videoRun, wan } from './harness.ts';

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

const other = { filename: 'other', subfolder: '', type: 'output' };

test.each([undefined, true, false])(
	'keepMetadata %s decides whether the plugins remove metadata',
	async (keepMetadata) => {
		const { url: baseURL } = await startComfy();
		const options = { baseURL, ...(keepMetadata !== undefined && { keepMetadata }) };
		const image = await open(comfyui.image, { ...flux, ...options });
		const video = await open(comfyui.video, { ...wan, ...options });
		const dropMetadata = !keepMetadata;
		expect((await image.generate?.(picture, imageRun()))?.images).toMatchObject([
			{ mediaType: 'image/png', dropMetadata },
		]);
		expect(await video.generate(movie, videoRun())).toMatchObject({ mediaType: 'video/mp4', dropMetadata });
	},
);

describe('a picture', () => {
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
