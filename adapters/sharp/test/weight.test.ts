import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { decodingBytes, rotatedDecodingBytes } from '../src/decoding-bytes.ts';
import { animation, flat } from './bombs.ts';

describe('the memory that a picture needs', () => {
	const weight = async (image: Buffer) => decodingBytes(image, await sharp(image).metadata());
	const size = 100 * 50;

	it('is zero when it is decoded row by row', async () => {
		const images = [flat(100, 50).png(), flat(100, 50).jpeg(), flat(100, 50).webp()];
		for (const image of images) expect(await weight(await image.toBuffer())).toBe(0);
	});

	it.each([
		['an interlaced PNG', () => flat(100, 50).png({ progressive: true }), 3],
		['an interlaced PNG of 16 bits', () => flat(100, 50).toColourspace('rgb16').png({ progressive: true }), 6],
		['a progressive JPEG', () => flat(100, 50).jpeg({ progressive: true }), 6],
		['a lossless WebP', () => flat(100, 50).webp({ lossless: true }), 4],
		['a transparent WebP', () => flat(100, 50).ensureAlpha(0.5).webp(), 5],
	] as const)('is a number of bytes per pixel for %s', async (_, make, bytes) => {
		expect(await weight(await make().toBuffer())).toBe(bytes * size);
	});

	it('is larger for a WebP with the header of an animation', async () => {
		expect(await weight(await animation(2))).toBe(8 * 16 * 16);
	});

	it('is larger for a picture with an EXIF rotation', async () => {
		const image = await flat(100, 50).withMetadata({ orientation: 6 }).jpeg().toBuffer();
		expect(rotatedDecodingBytes(image, await sharp(image).metadata())).toBe(3 * size);
	});
});
