import type { EncodedImage, ImageCodec } from '@plinth/toolkit';
import { assertRefused, type ConformanceCase } from '../conformance.ts';
import { withFile } from '../temporary-file.ts';
import { animatedWebp, largePng, pngOf } from './files.ts';
import { type CodecCase, colours, formats, noise, quarters, raw } from './subject.ts';

const notImages: Readonly<Record<string, string>> = {
	'nothing at all': '',
	text: 'A picture of a cat.',
	'a GIF': 'GIF89a\u0001\0\u0001\0\0\0\0;',
	'an SVG': '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>',
	'a RIFF file that is no WebP': 'RIFF\u0024\0\0\0WAVEfmt ',
};

/** All calls that decode a picture. */
const calls: readonly ((codec: ImageCodec, image: EncodedImage) => Promise<unknown>)[] = [
	(codec, image) => codec.probe(image),
	(codec, image) => codec.fit(image, { width: 8, height: 8, mode: 'cover' }),
	(codec, image) => codec.transcode(image, { format: 'png' }),
];

/** Checks every call, with the bytes and with a file of them. */
async function assertAllRefused(codec: ImageCodec, image: Uint8Array, code: string): Promise<void> {
	await withFile(image, async (path) => {
		for (const call of calls) {
			await assertRefused(call(codec, image), code);
			await assertRefused(call(codec, { path }), code);
		}
	});
}

/** Cases on input that is refused, and on the code of the error. */
export function refusingCases(it: CodecCase): ConformanceCase[] {
	return [
		...Object.entries(notImages).map(([name, content]) =>
			it(`${name} is unreadable`, ({ codec }) =>
				assertAllRefused(codec, Buffer.from(content, 'latin1'), 'E_IMAGE_UNREADABLE')),
		),
		...formats.map((format) =>
			it(`a ${format} that was cut off is unreadable`, async ({ codec }) => {
				const image = await codec.encode(noise(80, 60), { format });
				for (const part of [0.3, 0.8]) {
					const cut = image.subarray(0, Math.floor(image.length * part));
					await assertAllRefused(codec, cut, 'E_IMAGE_UNREADABLE');
				}
			}),
		),
		it('a picture whose pixels are something else is unreadable', async ({ codec }) => {
			const image = pngOf(noise(80, 60));
			image.fill('<script>', image.indexOf('IDAT') + 4, image.length - 16);
			await assertAllRefused(codec, image, 'E_IMAGE_UNREADABLE');
		}),
		it('an animation is unreadable', async ({ codec }) => {
			const frames = [colours.red, colours.blue].map((colour) =>
				codec.encode(raw(16, 16, colour), { format: 'webp', opaque: true }),
			);
			const image = animatedWebp(await Promise.all(frames), 16, 16);
			await assertAllRefused(codec, image, 'E_IMAGE_UNREADABLE');
		}),
		it('more than 50 megapixels are too large', ({ codec }) =>
			assertAllRefused(codec, largePng(10_000, 5_001), 'E_IMAGE_TOO_LARGE')),
		it('more than 52,428,800 bytes are too large', async ({ codec }) => {
			const padded = Buffer.alloc(52_428_801);
			padded.set(pngOf(quarters()));
			await assertAllRefused(codec, padded, 'E_IMAGE_TOO_LARGE');
		}),
	];
}
