import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { isPlinthError } from '@plinth/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileHasTextChunks, withoutTextChunks } from '../src/png.ts';
import { animation, blackRows, claimedJpeg, claimedWebp, madePng, noise, pngChunk } from './bombs.ts';
import { createCodec } from './images.ts';

const codec = createCodec();
let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'sharp-test-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** Writes the bytes to a file and probes the file. */
async function probeFile(image: Uint8Array) {
	const path = join(folder, 'picture');
	await writeFile(path, image);
	return codec.probe({ path });
}

/** All calls that reach a decoder. */
const callsWith = (image: Uint8Array) => [
	() => codec.probe(image),
	() => probeFile(image),
	() => codec.fit(image, box),
];

const box = { width: 10, height: 10, mode: 'cover' } as const;
const zeros = deflateSync(Buffer.alloc(100_000_000), { level: 9 });

/** The time of a call in milliseconds, the best of three because other tests use the CPU. */
async function fastest(call: () => Promise<unknown>, enough = 500): Promise<number> {
	const times: number[] = [];
	while (times.length < 3 && !times.some((ms) => ms < enough)) {
		const start = performance.now();
		await call();
		times.push(performance.now() - start);
	}
	return Math.min(...times);
}

describe('a small file that decodes to a large picture', { timeout: 30_000 }, () => {
	const bombs: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = {
		'a PNG of 268 megapixels': () => madePng(16_384, 16_384, zeros),
		'a PNG of 2 gigapixels in one row': () => madePng(0x7fff_ffff, 1, zeros),
		'a JPEG of 4 gigapixels': () => claimedJpeg(65_500, 65_500),
		'a JPEG of the largest size there is': () => claimedJpeg(65_535, 65_535),
		'a WebP of 268 megapixels': () => claimedWebp(16_383, 16_383),
		'a WebP of 100 frames of 268 megapixels': () => animation(100, { width: 16_383, height: 16_383 }),
		'a picture of one pixel more than 50 million': () => madePng(50_000_001, 1, zeros),
	};

	it.each(Object.keys(bombs))('is rejected by its header: %s', async (name) => {
		const bomb = (await bombs[name]?.()) as Buffer;
		const before = process.memoryUsage().rss;
		const errors: unknown[] = [];
		const ms = await fastest(async () => {
			for (const call of callsWith(bomb)) {
				errors.push(await call().catch((error) => error));
			}
		});
		for (const error of errors) {
			expect(isPlinthError(error) && error.spec.status).toBe(400);
			expect(error).toMatchObject({
				code: expect.stringMatching(/^E_IMAGE_(?:TOO_LARGE|UNREADABLE)$/),
			});
		}
		expect(ms).toBeLessThan(500);
		expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
	});

	it('with a thousand frames is rejected before one frame is decoded', async () => {
		const image = await animation(1_000);
		const errors: unknown[] = [];
		const ms = await fastest(async () => {
			for (const call of callsWith(image)) errors.push(await call().catch((error) => error));
		}, 300);
		for (const error of errors) {
			expect(error).toMatchObject({
				code: 'E_IMAGE_UNREADABLE',
				message: 'Animations are not accepted. Send a still picture.',
			});
		}
		// Three calls.
		expect(ms).toBeLessThan(300);
	});
});

describe('a picture with a bomb in its metadata', { timeout: 30_000 }, () => {
	const rows = blackRows(8, 8);
	const named = (name: string) => Buffer.concat([Buffer.from(`${name}\0\0`), zeros]);
	const many = (count: number, chunk: Buffer) => Array.from({ length: count }, () => chunk);
	const bombs: Readonly<Record<string, Buffer>> = {
		'rows of 100 MB more than it has': madePng(8, 8, zeros),
		'a colour profile of 100 MB': madePng(8, 8, rows, [pngChunk('iCCP', named('x'))]),
		'a text of 100 MB': madePng(8, 8, rows, [pngChunk('zTXt', named('Comment'))]),
		'500 texts of 100 MB': madePng(8, 8, rows, many(500, pngChunk('zTXt', named('Comment')))),
		'500 international texts of 100 MB': madePng(8, 8, rows, many(500, pngChunk('iTXt', named('Comment\0\u0001\0')))),
		'a million chunks': madePng(8, 8, rows, many(1_000_000, pngChunk('teXt'))),
		'an unknown chunk': madePng(8, 8, rows, [pngChunk('boMb', zeros)]),
	};

	it.each(Object.keys(bombs))('is read or rejected with little time and memory: %s', async (name) => {
		const bomb = bombs[name] as Buffer;
		const before = process.memoryUsage().rss;
		const ms = await fastest(async () => {
			for (const call of callsWith(bomb)) {
				const error = await call().catch((reason: unknown) => reason);
				if (error instanceof Error) expect(error).toMatchObject({ code: 'E_IMAGE_UNREADABLE' });
			}
		});
		expect(ms).toBeLessThan(500);
		expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
	});
});

describe('a PNG', { timeout: 30_000 }, () => {
	const text = pngChunk('zTXt', Buffer.from('Comment\0\0'));
	const bare = madePng(8, 8, blackRows(8, 8));
	const full = Buffer.concat([bare.subarray(0, 33), text, bare.subarray(33, -12), text, text, bare.subarray(-12)]);

	it('loses only its compressed text chunks before it is decoded', () => {
		expect(withoutTextChunks(full)).toEqual(bare);
		expect(withoutTextChunks(bare)).toBe(bare);
	});

	it('is probed without them from a file, too', async () => {
		expect(await probeFile(full)).toMatchObject({ width: 8, height: 8 });
		const path = join(folder, 'picture');
		expect(await fileHasTextChunks(path)).toBe(true);
		await writeFile(path, bare);
		expect(await fileHasTextChunks(path)).toBe(false);
		// The bomb follows a chunk that is longer than one read, and its header is split between reads.
		for (const length of [262_144 - 33 - 12 - 5, 262_144 * 3 - 33 - 12 - 5, 600_000]) {
			const filler = pngChunk('teXt', Buffer.alloc(length));
			await writeFile(path, Buffer.concat([bare.subarray(0, 33), filler, full.subarray(33)]));
			expect(await fileHasTextChunks(path)).toBe(true);
			await writeFile(path, Buffer.concat([bare.subarray(0, 33), filler, bare.subarray(33)]));
			expect(await fileHasTextChunks(path)).toBe(false);
		}
	});

	it('may have any data after its end', async () => {
		const tail = Buffer.alloc(1_000_000);
		for (const image of [Buffer.concat([bare, tail]), Buffer.concat([bare, text, tail])]) {
			expect(withoutTextChunks(image)).toBe(image);
			for (const call of callsWith(image)) await call();
			expect(await fileHasTextChunks(join(folder, 'picture'))).toBe(false);
		}
	});

	it('may be cut anywhere, and a chunk may declare any length', () => {
		for (let end = 8; end <= full.length; end++) {
			const cut = withoutTextChunks(full.subarray(0, end)) as Uint8Array;
			expect(cut.length).toBeLessThanOrEqual(end);
		}
		const endless = Buffer.from(full);
		endless.writeUInt32BE(0xffff_ffff, 33);
		expect(withoutTextChunks(endless)).toEqual(endless.subarray(0, 33));
	});
});

describe('a picture with a valid header', { timeout: 30_000 }, () => {
	const good: Record<string, Buffer> = {};

	beforeAll(async () => {
		const image = () => noise(120, 90);
		good.jpeg = await image().jpeg().toBuffer();
		good['progressive jpeg'] = await image().jpeg({ progressive: true }).toBuffer();
		good['CMYK jpeg'] = await image().toColourspace('cmyk').jpeg().toBuffer();
		good['turned jpeg'] = await image().withMetadata({ orientation: 6 }).jpeg().toBuffer();
		good.png = await image().png().toBuffer();
		good['interlaced png'] = await image().png({ progressive: true }).toBuffer();
		good['16-bit png'] = await image().toColourspace('rgb16').png().toBuffer();
		good.webp = await image().webp().toBuffer();
		good['lossless webp'] = await image().webp({ lossless: true }).toBuffer();
		good['transparent webp'] = await image().ensureAlpha(0.5).webp().toBuffer();
	});

	const names = [
		'jpeg',
		'progressive jpeg',
		'CMYK jpeg',
		'turned jpeg',
		'png',
		'interlaced png',
		'16-bit png',
		'webp',
		'lossless webp',
		'transparent webp',
	];

	it.each(names)('and valid pixels is accepted: %s', async (name) => {
		const turned = name.startsWith('turned');
		const info = await codec.probe(good[name] as Buffer);
		expect(info).toMatchObject({ width: turned ? 90 : 120, height: turned ? 120 : 90 });
		expect(await probeFile(good[name] as Buffer)).toEqual(info);
	});

	it.each(names)('and truncated pixels is rejected by its probe: %s', async (name) => {
		const image = good[name] as Buffer;
		for (const part of [0.5, 0.8]) {
			const cut = image.subarray(0, Math.floor(image.length * part));
			for (const call of callsWith(cut)) {
				await expect(call()).rejects.toMatchObject({ code: 'E_IMAGE_UNREADABLE' });
			}
		}
	});

	it('and invalid pixels is rejected by its probe', async () => {
		const image = Buffer.from(good.png as Buffer);
		const start = image.indexOf('IDAT') + 4;
		image.fill('<script>alert(1)</script>', start, image.length - 16);
		await expect(codec.probe(image)).rejects.toMatchObject({ code: 'E_IMAGE_UNREADABLE' });
	});

	it('can be decoded when its probe accepted it, for any change to its bytes', async () => {
		const edit = fc.record({
			at: fc.double({ min: 0, max: 1, noNaN: true }),
			put: fc.uint8Array(),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...names),
				fc.array(edit, { minLength: 1, maxLength: 3 }),
				async (name, edits) => {
					const image = Buffer.from(good[name] as Buffer);
					for (const { at, put } of edits) image.set(put, Math.floor(at * (image.length - 10)));
					const probed = await codec.probe(image).catch((error) => error);
					if (probed instanceof Error) {
						expect(probed).toMatchObject({ code: expect.stringMatching(/^E_IMAGE_/) });
						return;
					}
					const pixels = await codec.fit(image, box);
					expect(pixels.data.byteLength).toBe(400);
				},
			),
			{ numRuns: 300 },
		);
	});
});
