import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import { withFile } from '../temporary-file.ts';
import { pngOf, withExif } from './files.ts';
import {
	assertPixel,
	assertQuarters,
	assertSize,
	type CodecCase,
	colours,
	corners,
	type Pixel,
	quarters,
	raw,
} from './subject.ts';

/** The corners of {@link quarters} after EXIF rotation, by orientation from 1 on. */
const rotatedCorners = [
	'red green blue yellow',
	'green red yellow blue',
	'blue yellow red green',
	'yellow blue green red',
	'red yellow blue green',
	'yellow red green blue',
	'blue green red yellow',
	'green blue yellow red',
];

/** Cases on resizing. */
export function fittingCases(it: CodecCase): ConformanceCase[] {
	// Encoded pictures and pixels have the same cases.
	const inputs = [
		['an encoded picture', (width: number, height: number) => pngOf(quarters(width, height))],
		['pixels', quarters],
	] as const;
	return [
		...inputs.flatMap(([what, make]) => [
			it(`cover fills the box with ${what} and crops both sides alike`, async ({ codec }) => {
				const box = { width: 40, height: 40, mode: 'cover' } as const;
				const pixels = await codec.fit(make(80, 20), box);
				assertQuarters(pixels, 40, 40);
				assertPixel(pixels, [16, 5], colours.red, 8);
				assertPixel(pixels, [23, 5], colours.green, 8);
			}),
			it(`contain shows all of ${what} and pads with transparency`, async ({ codec }) => {
				const box = { width: 40, height: 40, mode: 'contain' } as const;
				const pixels = await codec.fit(make(40, 20), box);
				assertSize(pixels, 40, 40);
				assert.deepEqual(corners(pixels), ['clear', 'clear', 'clear', 'clear']);
				assertPixel(pixels, [2, 12], colours.red, 8);
				assertPixel(pixels, [37, 27], colours.blue, 8);
			}),
			it(`fill distorts ${what}`, async ({ codec }) => {
				const pixels = await codec.fit(make(40, 20), { width: 10, height: 60, mode: 'fill' });
				assertQuarters(pixels, 10, 60);
				assertPixel(pixels, [1, 25], colours.red, 8);
				assertPixel(pixels, [1, 34], colours.yellow, 8);
			}),
			it(`${what} may be enlarged`, async ({ codec }) => {
				assertQuarters(await codec.fit(make(4, 4), { width: 64, height: 64, mode: 'cover' }), 64, 64);
			}),
		]),
		it('a file is fitted as its bytes are', async ({ codec }) => {
			const image = pngOf(quarters());
			const box = { width: 20, height: 20, mode: 'cover' } as const;
			const ofFile = await withFile(image, (path) => codec.fit({ path }, box));
			assert.deepEqual(ofFile, await codec.fit(image, box));
		}),
		it('every EXIF orientation is turned upright', async ({ codec }) => {
			const image = await codec.encode(quarters(32, 32), { format: 'jpeg', quality: 95 });
			const box = { width: 32, height: 32, mode: 'fill' } as const;
			for (const [index, expected] of rotatedCorners.entries()) {
				const pixels = await codec.fit(withExif(image, index + 1, 'somebody'), box);
				assert.equal(corners(pixels).join(' '), expected, `orientation ${index + 1}`);
			}
		}),
		it('colours of half transparent pixels are not multiplied', async ({ codec }) => {
			const colour: Pixel = [200, 100, 50, 128];
			const image = raw(8, 8, colour);
			const box = { width: 16, height: 16, mode: 'fill' } as const;
			for (const from of [image, pngOf(image)]) {
				assertPixel(await codec.fit(from, box), [8, 8], colour);
			}
		}),
		it('pixels that are fitted stay as they are', async ({ codec }) => {
			const image = quarters();
			await codec.fit(image, { width: 20, height: 20, mode: 'contain' });
			assert.deepEqual(image, quarters());
		}),
	];
}
