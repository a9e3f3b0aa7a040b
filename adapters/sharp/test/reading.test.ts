import { mediaServices } from '@plinth/toolkit';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { sharpImages } from '../src/index.ts';
import { animationOf } from './bombs.ts';
import { colourAt, corners, createCodec, quarters } from './images.ts';

const codec = createCodec();
const same = { width: 40, height: 20, mode: 'fill' } as const;

type Turn = 'rotate90' | 'rotate180' | 'rotate270' | 'flip' | 'flop';

/** The steps that store an upright image in each EXIF orientation, 1 to 8. */
const stored: readonly (readonly Turn[])[] = [
	[],
	['flop'],
	['rotate180'],
	['flip'],
	['rotate90', 'flop'],
	['rotate270'],
	['rotate270', 'flop'],
	['rotate90'],
];

async function storedFor(orientation: number): Promise<Buffer> {
	let image = await quarters().png().toBuffer();
	// One pipeline per step, because sharp reorders the steps of one pipeline.
	for (const step of stored[orientation - 1] ?? []) image = await turn(sharp(image), step).png().toBuffer();
	return sharp(image).withMetadata({ orientation }).jpeg({ chromaSubsampling: '4:4:4' }).toBuffer();
}

function turn(image: Sharp, step: Turn): Sharp {
	if (step === 'flip') return image.flip();
	if (step === 'flop') return image.flop();
	return image.rotate(Number(step.slice('rotate'.length)));
}

describe('sharpImages', () => {
	it('provides the images service', () => {
		expect(sharpImages.definition.provides).toBe(mediaServices.images);
	});

	it.each(['png', 'jpeg', 'webp'] as const)('reads the header of a %s', async (format) => {
		const image = await quarters().toFormat(format).toBuffer();
		expect(await codec.probe(image)).toEqual({ format, width: 40, height: 20, hasAlpha: false });
	});

	it('reports whether there is an alpha channel', async () => {
		const image = await quarters().ensureAlpha(0.5).webp().toBuffer();
		expect(await codec.probe(image)).toMatchObject({ hasAlpha: true });
	});

	it.each(stored.map((_, index) => index + 1))('turns EXIF orientation %i upright', async (orientation) => {
		const image = await storedFor(orientation);
		expect(await codec.probe(image)).toMatchObject({ width: 40, height: 20 });
		const pixels = await codec.fit(image, same);
		expect([pixels.width, pixels.height]).toEqual([40, 20]);
		expect(corners(pixels)).toEqual(['red', 'green', 'blue', 'yellow']);
	});

	it.each<[string, () => Sharp]>([
		['a 16-bit PNG', () => quarters().toColourspace('rgb16').png()],
		['a palette PNG', () => quarters().png({ palette: true })],
		['a WebP with alpha', () => quarters().ensureAlpha().webp({ lossless: true })],
		['a PNG with alpha and 16 bits', () => quarters().ensureAlpha().toColourspace('rgb16').png()],
	])('returns 8-bit RGBA for %s', async (_name, make) => {
		const pixels = await codec.fit(await make().toBuffer(), same);
		expect(pixels.data.byteLength).toBe(40 * 20 * 4);
		expect(corners(pixels)).toEqual(['red', 'green', 'blue', 'yellow']);
		expect(pixels.data[3]).toBe(255);
	});

	it.each(['#3080a0', '#ffffff', '#808080'])('returns the sRGB colour of a CMYK JPEG of %s', async (background) => {
		const flat = sharp({ create: { width: 8, height: 8, channels: 3, background } });
		const image = await flat.toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer();
		expect((await sharp(image).metadata()).space).toBe('cmyk');
		const pixels = await codec.fit(image, { width: 8, height: 8, mode: 'fill' });
		expect(pixels.data.byteLength).toBe(256);
		const wanted = [...Buffer.from(`${background.slice(1)}ff`, 'hex')];
		const distances = wanted.map((value, index) => Math.abs(value - (pixels.data[index] ?? 0)));
		// The two gamuts differ slightly; swapped or inverted channels would differ far more.
		expect(Math.max(...distances)).toBeLessThan(24);
	});

	it.each(['b-w', 'grey16'] as const)('returns 8-bit RGBA for a %s PNG', async (space) => {
		const grey = sharp({ create: { width: 4, height: 4, channels: 3, background: '#808080' } });
		const image = await grey.toColourspace(space).png().toBuffer();
		const pixels = await codec.fit(image, { width: 4, height: 4, mode: 'cover' });
		expect(pixels.data.byteLength).toBe(64);
		const [r = 0, g, b, a] = pixels.data;
		expect([r, r, 255]).toEqual([g, b, a]);
		expect(Math.abs(r - 128)).toBeLessThanOrEqual(1);
	});

	it('keeps partial transparency without premultiplication', async () => {
		const background = { r: 200, g: 100, b: 50, alpha: 0.5 };
		const image = await sharp({ create: { width: 8, height: 8, channels: 4, background } })
			.png()
			.toBuffer();
		const pixels = await codec.fit(image, { width: 8, height: 8, mode: 'fill' });
		expect([...pixels.data.subarray(0, 4)]).toEqual([200, 100, 50, 128]);
	});

	it('accepts an animation of one frame as a still picture', async () => {
		const image = await quarters(16, 16).webp({ lossless: true }).toBuffer();
		const pixels = await codec.fit(animationOf(image, { width: 16, height: 16 }), {
			width: 16,
			height: 16,
			mode: 'cover',
		});
		expect(corners(pixels)).toEqual(['red', 'green', 'blue', 'yellow']);
	});

	it('reads a view into a larger buffer', async () => {
		const image = await quarters().png().toBuffer();
		const larger = new Uint8Array(image.byteLength + 20).fill(7);
		larger.set(image, 10);
		const view = larger.subarray(10, 10 + image.byteLength);
		expect(await codec.probe(view)).toMatchObject({ format: 'png', width: 40 });
		expect(corners(await codec.fit(view, same))).toEqual(['red', 'green', 'blue', 'yellow']);
	});
});

describe('fit', () => {
	it('covers the box and crops both sides evenly', async () => {
		const image = await quarters(80, 20).png().toBuffer();
		const pixels = await codec.fit(image, { width: 40, height: 40, mode: 'cover' });
		expect([pixels.width, pixels.height]).toEqual([40, 40]);
		expect(corners(pixels)).toEqual(['red', 'green', 'blue', 'yellow']);
		expect([colourAt(pixels, 17, 5), colourAt(pixels, 22, 5)]).toEqual(['red', 'green']);
	});

	it('contains the whole image and pads with transparency', async () => {
		const image = await quarters(40, 20).jpeg({ chromaSubsampling: '4:4:4' }).toBuffer();
		const pixels = await codec.fit(image, { width: 40, height: 40, mode: 'contain' });
		expect(corners(pixels)).toEqual(['clear', 'clear', 'clear', 'clear']);
		expect([colourAt(pixels, 2, 9), colourAt(pixels, 2, 30)]).toEqual(['clear', 'clear']);
		expect([colourAt(pixels, 2, 12), colourAt(pixels, 37, 12)]).toEqual(['red', 'green']);
		expect([colourAt(pixels, 2, 27), colourAt(pixels, 37, 27)]).toEqual(['yellow', 'blue']);
	});

	it('fills the box by distortion', async () => {
		const image = await quarters(40, 20).png().toBuffer();
		const pixels = await codec.fit(image, { width: 10, height: 60, mode: 'fill' });
		expect([pixels.width, pixels.height]).toEqual([10, 60]);
		expect(corners(pixels)).toEqual(['red', 'green', 'blue', 'yellow']);
		expect([colourAt(pixels, 1, 27), colourAt(pixels, 1, 32)]).toEqual(['red', 'yellow']);
	});

	it('enlarges', async () => {
		const image = await quarters(4, 4).png().toBuffer();
		const pixels = await codec.fit(image, { width: 64, height: 64, mode: 'cover' });
		expect(corners(pixels)).toEqual(['red', 'green', 'blue', 'yellow']);
	});

	it.each([
		[0, 10],
		[1.5, 10],
		[10_000, 10_000],
	])('rejects the size %s x %s', async (width, height) => {
		const image = await quarters().png().toBuffer();
		await expect(codec.fit(image, { width, height, mode: 'cover' })).rejects.toThrow(RangeError);
	});
});
