import { isPlinthError } from '@plinth/core';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { blackRows, madePng } from './bombs.ts';
import { claimedPng, createCodec, quarters } from './images.ts';

const codec = createCodec();
const box = { width: 10, height: 10, mode: 'cover' } as const;
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>');

async function both(image: Uint8Array) {
	return Promise.all([codec.probe(image), codec.fit(image, box)].map((call) => call.catch((error) => error)));
}

describe('untrusted bytes', () => {
	const foreign: Record<string, Uint8Array> = { svg, 'no bytes': new Uint8Array(0) };

	beforeAll(async () => {
		foreign.gif = await quarters().gif().toBuffer();
		foreign.tiff = await quarters().tiff().toBuffer();
		foreign.avif = await quarters().avif({ effort: 0 }).toBuffer();
		foreign['svg after a byte order mark'] = Buffer.concat([Buffer.from('\ufeff<?xml version="1.0"?>'), svg]);
		foreign.text = Buffer.from('not an image');
		foreign['a RIFF file that is no WebP'] = Buffer.from('RIFF\x24\0\0\0WAVEfmt ');
	});

	it.each([
		'svg',
		'svg after a byte order mark',
		'gif',
		'tiff',
		'avif',
		'text',
		'no bytes',
		'a RIFF file that is no WebP',
	])('are rejected when they are %s', async (name) => {
		for (const error of await both(foreign[name] as Uint8Array)) {
			expect(error).toMatchObject({ code: 'E_IMAGE_UNREADABLE' });
			// No cause: no decoder has read the bytes.
			expect(error.cause).toBeUndefined();
		}
	});

	it.each(['png', 'jpeg', 'webp'] as const)('are rejected when a %s is truncated', async (format) => {
		const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
		const whole = await sharp({
			create: { width: 90, height: 90, channels: 3, background: '#000', noise },
		})
			.toFormat(format)
			.toBuffer();
		const error = await codec.fit(whole.subarray(0, whole.byteLength / 2), box).catch((reason) => reason);
		expect(error).toMatchObject({ code: 'E_IMAGE_UNREADABLE' });
		expect(error.cause).toBeInstanceOf(Error);
	});

	it.each(['png', 'jpeg', 'webp'] as const)('are rejected when a %s is only its first bytes', async (format) => {
		const whole = await quarters().toFormat(format).toBuffer();
		for (const error of await both(whole.subarray(0, 14))) {
			expect(error).toMatchObject({ code: 'E_IMAGE_UNREADABLE' });
		}
	});

	it('are rejected by their header when a small file declares 900 megapixels', async () => {
		const bomb = claimedPng(30_000, 30_000);
		const before = process.memoryUsage().rss;
		for (const error of await both(bomb)) expect(error).toMatchObject({ code: 'E_IMAGE_TOO_LARGE' });
		expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
	});

	it('are accepted up to 50 megapixels', async () => {
		const largest = madePng(10_000, 5_000, blackRows(10_000, 5_000));
		expect(await codec.probe(largest)).toMatchObject({ width: 10_000, height: 5_000 });
		await expect(codec.probe(claimedPng(10_000, 5_001))).rejects.toMatchObject({
			code: 'E_IMAGE_TOO_LARGE',
		});
	});

	it('are rejected above 52,428,800 bytes', async () => {
		const padded = new Uint8Array(52_428_801);
		padded.set(claimedPng(4, 4));
		for (const error of await both(padded)) {
			expect(error).toMatchObject({ code: 'E_IMAGE_TOO_LARGE' });
			expect(error.message).toContain('52,428,800 bytes');
		}
	});

	it('are rejected without the messages of libvips', async () => {
		const error = await codec.fit(claimedPng(10, 10), box).catch((reason) => reason);
		expect(isPlinthError(error) && error.message).toBe('The file is not a readable PNG, JPEG or WebP image.');
	});

	it.each(['svg', 'gif', 'tiff', 'avif'])('are not decoded as %s even behind the check', async (name) => {
		await expect(sharp(foreign[name]).metadata()).rejects.toThrow();
	});
});
