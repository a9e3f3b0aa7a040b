import assert from 'node:assert/strict';
import type { ImageCodec, RawImage } from '@plinth/toolkit';
import type { ConformanceCase } from '../conformance.ts';
import {
	assertPixel,
	assertSize,
	type CodecCase,
	colours,
	corners,
	formats,
	noise,
	type Pixel,
	quarters,
	raw,
} from './subject.ts';

/** The pixels that an encoded picture holds. */
export function decoded(
	codec: ImageCodec,
	image: Uint8Array,
	{ width, height }: { readonly width: number; readonly height: number },
): Promise<RawImage> {
	return codec.fit(image, { width, height, mode: 'fill' });
}

const halfBlack: Pixel = [0, 0, 0, 128];
const grey: Pixel = [127, 127, 127, 255];

/** How pixels are stored. */
export function encodingCases(it: CodecCase): ConformanceCase[] {
	return [
		...formats.flatMap((format) => [
			it(`pixels stored as ${format} are read back`, async ({ codec }) => {
				const pixels = quarters();
				const image = await codec.encode(pixels, { format, quality: 95 });
				const again = await decoded(codec, image, pixels);
				assertSize(again, 40, 20);
				assert.deepEqual(corners(again), ['red', 'green', 'blue', 'yellow']);
			}),
			it(`opaque puts white behind a ${format}`, async ({ codec }) => {
				const pixels = raw(16, 16, (x) => (x < 8 ? colours.clear : halfBlack));
				const image = await codec.encode(pixels, { format, quality: 95, opaque: true });
				const again = await decoded(codec, image, pixels);
				assertPixel(again, [2, 8], colours.white, 8);
				assertPixel(again, [13, 8], grey, 8);
			}),
		]),
		it('JPEG has white in transparent places', async ({ codec }) => {
			const pixels = raw(16, 16, (x) => (x < 8 ? colours.clear : halfBlack));
			const again = await decoded(codec, await codec.encode(pixels, { format: 'jpeg' }), pixels);
			assertPixel(again, [2, 8], colours.white, 8);
			assertPixel(again, [13, 8], grey, 8);
		}),
		...(['png', 'webp'] as const).map((format) =>
			it(`${format} keeps transparency`, async ({ codec }) => {
				const pixels = raw(16, 16, (x) => (x < 8 ? colours.clear : [200, 100, 50, 128]));
				const image = await codec.encode(pixels, { format, quality: 95 });
				const again = await decoded(codec, image, pixels);
				assertPixel(again, [2, 8], colours.clear, 8);
				assertPixel(again, [13, 8], [200, 100, 50, 128], 8);
			}),
		),
		it('PNG loses nothing, whatever its effort', async ({ codec }) => {
			const { width, height, data } = noise(40, 30);
			const pixels = { width, height, data: data.map((value, i) => (i % 4 === 3 ? 90 : value)) };
			for (const effort of [undefined, 0, 9]) {
				const options = { format: 'png', ...(effort === undefined ? {} : { effort }) } as const;
				const again = await decoded(codec, await codec.encode(pixels, options), pixels);
				assert.deepEqual(Buffer.from(again.data), Buffer.from(pixels.data));
			}
		}),
		...(['jpeg', 'webp'] as const).map((format) =>
			it(`more quality gives a larger ${format}, from 0 to 100`, async ({ codec }) => {
				const pixels = noise(40, 30);
				const sizes = [];
				for (const quality of [0, 50, 100]) {
					sizes.push((await codec.encode(pixels, { format, quality })).length);
				}
				const [low = 0, middle = 0, high = 0] = sizes;
				assert.ok(low < middle && middle < high, `sizes are ${sizes}`);
			}),
		),
		it('pixels may lie in a larger buffer, and stay as they are', async ({ codec }) => {
			const { width, height, data } = quarters();
			const larger = new Uint8Array(data.length + 8).fill(9);
			larger.set(data, 4);
			const image = { width, height, data: larger.subarray(4, 4 + data.length) };
			for (const format of formats) {
				const again = await decoded(codec, await codec.encode(image, { format }), image);
				assert.deepEqual(corners(again), ['red', 'green', 'blue', 'yellow']);
				assert.deepEqual(image.data, data);
			}
		}),
	];
}
