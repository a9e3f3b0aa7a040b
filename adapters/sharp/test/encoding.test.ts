import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { corners, createCodec, quarters } from './images.ts';

const codec = createCodec();
const size = { width: 40, height: 20, mode: 'fill' } as const;
const pixels = await codec.fit(await quarters().png().toBuffer(), size);

describe('encode', () => {
	it.each(['png', 'jpeg', 'webp'] as const)('makes a %s that can be decoded', async (format) => {
		const image = await codec.encode(pixels, { format, quality: 95 });
		expect(await codec.probe(image)).toMatchObject({ format, width: 40, height: 20 });
		expect(corners(await codec.fit(image, size))).toEqual(['red', 'green', 'blue', 'yellow']);
	});

	it('is lossless for PNG at any zlib level', async () => {
		const clear = {
			...pixels,
			data: pixels.data.map((value, index) => (index % 4 === 3 ? 90 : value)),
		};
		for (const effort of [0, 9]) {
			const image = await codec.encode(clear, { format: 'png', effort });
			const again = await codec.fit(image, size);
			expect(Buffer.compare(again.data, clear.data)).toBe(0);
		}
	});

	it('makes larger files for higher quality, from 0 to 100', async () => {
		for (const format of ['jpeg', 'webp'] as const) {
			const sizes = await Promise.all(
				[0, 50, 100].map(async (quality) => (await codec.encode(pixels, { format, quality })).byteLength),
			);
			expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
		}
	});

	it('puts transparent pixels on white for JPEG', async () => {
		const nothing = { width: 8, height: 8, data: new Uint8Array(8 * 8 * 4) };
		const image = await codec.encode(nothing, { format: 'jpeg' });
		const white = await codec.fit(image, { width: 8, height: 8, mode: 'fill' });
		expect([...white.data.subarray(0, 4)]).toEqual([255, 255, 255, 255]);
	});

	it('writes no metadata', async () => {
		const camera = { IFD0: { Artist: 'somebody' } };
		const original = await quarters().withExif(camera).jpeg().toBuffer();
		const image = await codec.encode(await codec.fit(original, size), { format: 'jpeg' });
		expect(await sharp(image).metadata()).not.toHaveProperty('exif');
		expect(Buffer.from(image).includes('somebody')).toBe(false);
	});

	it('rejects pixels whose length does not match the size', async () => {
		const wrong = { width: 3, height: 3, data: new Uint8Array(35) };
		await expect(codec.encode(wrong, { format: 'png' })).rejects.toThrow(RangeError);
	});
});

describe('pictures that are too large for a format', () => {
	it.each([
		['webp', 'WebP', '16,383'],
		['jpeg', 'JPEG', '65,535'],
	] as const)('are rejected with the longest side of a %s', async (format, name, side) => {
		const long = { width: 66_000, height: 1, data: new Uint8Array(264_000) };
		const error = await codec.encode(long, { format }).catch((reason) => reason);
		expect(error).toMatchObject({ code: 'E_IMAGE_TOO_LARGE' });
		expect(error.message).toContain(name);
		expect(error.message).toContain(side);
		const file = await codec.encode(long, { format: 'png' });
		await expect(codec.transcode(file, { format })).rejects.toMatchObject({
			code: 'E_IMAGE_TOO_LARGE',
		});
	});
});

describe('an encoded picture', () => {
	it('has no chroma subsampling in a JPEG from quality 90', async () => {
		const chroma = async (quality?: number) => {
			const options = { format: 'jpeg', ...(quality === undefined ? {} : { quality }) } as const;
			return (await sharp(await codec.encode(pixels, options)).metadata()).chromaSubsampling;
		};
		expect([await chroma(89), await chroma(90), await chroma()]).toEqual(['4:2:0', '4:4:4', '4:4:4']);
	});

	it('is a lossy WebP even at quality 100', async () => {
		const image = await codec.encode(pixels, { format: 'webp', quality: 100, opaque: true });
		expect(Buffer.from(image).toString('latin1', 12, 16)).toBe('VP8 ');
	});

	it('has 8 bits per channel for any source', async () => {
		const deep = await quarters().toColourspace('rgb16').png().toBuffer();
		const { data } = await codec.transcode(deep, { format: 'png' });
		expect(await sharp(data).metadata()).toMatchObject({ depth: 'uchar', space: 'srgb' });
	});
});

describe('composite', () => {
	it('rejects invalid layers', async () => {
		const image = { width: 2, height: 2, data: new Uint8Array(16) };
		const broken = { ...image, data: new Uint8Array(15) };
		for (const layer of [
			{ image: broken, x: 0, y: 0 },
			{ image, x: 0, y: 0, opacity: 2 },
			{ image, x: 0, y: 0, opacity: Number.NaN },
		]) {
			await expect(codec.composite(pixels, [layer])).rejects.toThrow(RangeError);
		}
		await expect(codec.composite(broken, [])).rejects.toThrow(RangeError);
	});
});
