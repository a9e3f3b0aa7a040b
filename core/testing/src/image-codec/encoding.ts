import assert from 'node:assert/strict';
import type { EncodeOptions, ImageCodec, RawImage } from '@plinth/toolkit';
import type { ConformanceCase } from '../conformance.ts';
import {
	assertPixel,
	assertQuarters,
	type CodecCase,
	colours,
	formats,
	noise,
	type Pixel,
	quarters,
	raw,
} from './subject.ts';

/** The pixels of an encoded picture. */
export function decoded(
	codec: ImageCodec,
	image: Uint8Array,
	{ width, height }: { readonly width: number; readonly height: number },
): Promise<RawImage> {
	return codec.fit(image, { width, height, mode: 'fill' });
}

/** Encodes pixels and decodes the result. */
async function recoded(codec: ImageCodec, pixels: RawImage, options: EncodeOptions): Promise<RawImage> {
	return decoded(codec, await codec.encode(pixels, options), pixels);
}

/** Checks the result for pixels that are transparent on the left and have a colour on the right. */
async function assertHalves(codec: ImageCodec, colour: Pixel, options: EncodeOptions, halves: readonly [Pixel, Pixel]) {
	const pixels = raw(16, 16, (x) => (x < 8 ? colours.clear : colour));
	const again = await recoded(codec, pixels, options);
	assertPixel(again, [2, 8], halves[0], 8);
	assertPixel(again, [13, 8], halves[1], 8);
}

const halfBlack: Pixel = [0, 0, 0, 128];
const grey: Pixel = [127, 127, 127, 255];

/** Cases on encoding pixels. */
export function encodingCases(it: CodecCase): ConformanceCase[] {
	return [
		...formats.flatMap((format) => [
			it(`pixels stored as ${format} are read back`, async ({ codec }) => {
				assertQuarters(await recoded(codec, quarters(), { format, quality: 95 }), 40, 20);
			}),
			it(`opaque puts white behind a ${format}`, async ({ codec }) => {
				const options = { format, quality: 95, opaque: true };
				await assertHalves(codec, halfBlack, options, [colours.white, grey]);
			}),
		]),
		it('JPEG has white in transparent places', async ({ codec }) => {
			await assertHalves(codec, halfBlack, { format: 'jpeg' }, [colours.white, grey]);
		}),
		...(['png', 'webp'] as const).map((format) =>
			it(`${format} keeps transparency`, async ({ codec }) => {
				const colour: Pixel = [200, 100, 50, 128];
				await assertHalves(codec, colour, { format, quality: 95 }, [colours.clear, colour]);
			}),
		),
		it('PNG loses nothing, whatever its effort', async ({ codec }) => {
			const { width, height, data } = noise(40, 30);
			const pixels = { width, height, data: data.map((value, i) => (i % 4 === 3 ? 90 : value)) };
			for (const effort of [undefined, 0, 9]) {
				const options = { format: 'png', ...(effort === undefined ? {} : { effort }) } as const;
				const again = await recoded(codec, pixels, options);
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
				assertQuarters(await recoded(codec, image, { format }), width, height);
				assert.deepEqual(image.data, data);
			}
		}),
	];
}
