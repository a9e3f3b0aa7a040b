import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import { withFile } from '../temporary-file.ts';
import { largePng, pngOf, withExif } from './files.ts';
import { type CodecCase, colours, formats, quarters, raw } from './subject.ts';

/** Cases on probing pictures. */
export function probingCases(it: CodecCase): ConformanceCase[] {
	return [
		...formats.map((format) =>
			it(`probe returns the format ${format}, and the size`, async ({ codec }) => {
				const image = await codec.encode(quarters(), { format });
				const { hasAlpha: _, ...info } = await codec.probe(image);
				assert.deepEqual(info, { format, width: 40, height: 20 });
			}),
		),
		it('probe returns whether there is an alpha channel', async ({ codec }) => {
			const clear = raw(8, 8, colours.clear);
			for (const [format, opaque, hasAlpha] of [
				['png', false, true],
				['webp', false, true],
				['png', true, false],
				['webp', true, false],
				['jpeg', false, false],
			] as const) {
				const image = await codec.encode(clear, { format, opaque });
				assert.equal((await codec.probe(image)).hasAlpha, hasAlpha, `${format}, ${opaque}`);
			}
		}),
		it('probe returns the same for a file as for its bytes', async ({ codec }) => {
			for (const format of formats) {
				const image = await codec.encode(quarters(), { format });
				const ofFile = await withFile(image, (path) => codec.probe({ path }));
				assert.deepEqual(ofFile, await codec.probe(image));
			}
		}),
		it('a picture is read from the middle of a larger buffer', async ({ codec }) => {
			const image = pngOf(quarters());
			const larger = new Uint8Array(image.length + 20).fill(7);
			larger.set(image, 10);
			const info = await codec.probe(larger.subarray(10, 10 + image.length));
			assert.deepEqual([info.format, info.width, info.height], ['png', 40, 20]);
		}),
		it('probe returns the size after EXIF rotation', async ({ codec }) => {
			const image = await codec.encode(quarters(), { format: 'jpeg' });
			for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
				const { width, height } = await codec.probe(withExif(image, orientation, 'somebody'));
				assert.deepEqual([width, height], orientation > 4 ? [20, 40] : [40, 20]);
			}
		}),
		it('50 megapixels are accepted', async ({ codec }) => {
			const { width, height } = await codec.probe(largePng(10_000, 5_000));
			assert.deepEqual([width, height], [10_000, 5_000]);
		}),
	];
}
