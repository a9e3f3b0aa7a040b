import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import { withFile } from '../temporary-file.ts';
import { decoded } from './encoding.ts';
import { pngOf, withExif } from './files.ts';
import { assertPixel, assertQuarters, type CodecCase, colours, corners, formats, quarters, raw } from './subject.ts';

/** Cases on transcoding. */
export function transcodingCases(it: CodecCase): ConformanceCase[] {
	return [
		...formats.flatMap((format) => [
			it(`transcode to ${format} keeps the size unless another is asked for`, async ({ codec }) => {
				for (const from of formats) {
					const image = await codec.encode(quarters(), { format: from, quality: 95 });
					const { data, ...size } = await codec.transcode(image, { format, quality: 95 });
					assert.deepEqual(size, { width: 40, height: 20 });
					const info = await codec.probe(data);
					assert.deepEqual([info.format, info.width, info.height], [format, 40, 20]);
					assertQuarters(await decoded(codec, data, size), 40, 20);
				}
			}),
			it(`transcode to ${format} resizes on request, and returns the size`, async ({ codec }) => {
				const fit = { width: 30, height: 30, mode: 'cover' } as const;
				const result = await codec.transcode(pngOf(quarters()), { format, quality: 95, fit });
				assert.deepEqual([result.width, result.height], [30, 30]);
				const { width, height } = await codec.probe(result.data);
				assert.deepEqual([width, height], [30, 30]);
				assertQuarters(await decoded(codec, result.data, fit), 30, 30);
			}),
			it(`transcode to ${format} turns upright and drops metadata`, async ({ codec }) => {
				const upright = await codec.encode(quarters(), { format: 'jpeg', quality: 95 });
				const image = withExif(upright, 6, 'a private name');
				const { data, ...size } = await codec.transcode(image, { format, quality: 95 });
				assert.deepEqual(size, { width: 20, height: 40 });
				const { width, height } = await codec.probe(data);
				assert.deepEqual({ width, height }, size);
				const pixels = await decoded(codec, data, size);
				assert.deepEqual(corners(pixels), ['yellow', 'red', 'green', 'blue']);
				assert.equal(Buffer.from(data).includes('a private name'), false);
			}),
			it(`transcode to an opaque ${format} makes transparent pixels white`, async ({ codec }) => {
				const options = { format, quality: 95, opaque: true } as const;
				const fit = { width: 40, height: 40, mode: 'contain' } as const;
				const clear = await codec.transcode(pngOf(raw(16, 16, colours.clear)), options);
				assertPixel(await decoded(codec, clear.data, clear), [8, 8], colours.white, 8);
				const padded = await codec.transcode(pngOf(quarters()), { ...options, fit });
				assertPixel(await decoded(codec, padded.data, padded), [2, 2], colours.white, 8);
			}),
		]),
		it('transcode to JPEG makes transparent pixels white', async ({ codec }) => {
			const fit = { width: 40, height: 40, mode: 'contain' } as const;
			const { data } = await codec.transcode(pngOf(quarters()), { format: 'jpeg', fit });
			assertPixel(await decoded(codec, data, fit), [2, 2], colours.white, 8);
		}),
		it('transcode keeps transparency', async ({ codec }) => {
			const image = pngOf(raw(16, 16, [200, 100, 50, 128]));
			for (const format of ['png', 'webp'] as const) {
				const result = await codec.transcode(image, { format, quality: 95 });
				assertPixel(await decoded(codec, result.data, result), [8, 8], [200, 100, 50, 128], 8);
			}
		}),
		it('transcode pads with transparency', async ({ codec }) => {
			const fit = { width: 40, height: 40, mode: 'contain' } as const;
			const { data } = await codec.transcode(pngOf(quarters()), { format: 'png', fit });
			assertPixel(await decoded(codec, data, fit), [2, 2], colours.clear);
		}),
		it('transcode makes the same of a file as of its bytes', async ({ codec }) => {
			const image = pngOf(quarters());
			const ofFile = await withFile(image, (path) => codec.transcode({ path }, { format: 'png' }));
			const ofBytes = await codec.transcode(image, { format: 'png' });
			assert.deepEqual(Buffer.from(ofFile.data), Buffer.from(ofBytes.data));
		}),
	];
}
