import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { createBackend } from '@plinth/testing';
import type { EncodedImage, ImageCodec } from '@plinth/toolkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SharpCodec } from '../src/codec.ts';
import { sharpImages } from '../src/index.ts';
import { readImageHead } from '../src/input.ts';
import { isHeavy, openPicture, runTask } from '../src/picture.ts';
import type { Task } from '../src/tasks.ts';
import { WorkerPool } from '../src/worker/pool.ts';
import { animation, blackRows, flat, madePng, noise } from './bombs.ts';
import { corners, quarters } from './images.ts';

const box = { width: 40, height: 20, mode: 'fill' } as const;
const pool = new WorkerPool();
const codec = new SharpCodec(2, pool);
let folder: string;
/** A PNG of thirty bytes with 20 megapixels. */
let huge: Buffer;

beforeAll(async () => {
	huge = await flat(5_000, 4_000).webp({ lossless: true, effort: 0 }).toBuffer();
	folder = await mkdtemp(join(tmpdir(), 'sharp-test-'));
});

afterAll(async () => {
	await pool.close();
	await rm(folder, { recursive: true });
});

async function fileOf(bytes: Uint8Array): Promise<string> {
	const path = join(folder, String(Math.random()));
	await writeFile(path, bytes);
	return path;
}

/** The same picture in a file above the size limit for light pictures. */
const padded = (image: Uint8Array) => Buffer.concat([image, Buffer.alloc(8_000_000)]);

describe('a light picture', () => {
	it('is decoded in this process, without a worker', async () => {
		const own = new WorkerPool();
		const light = new SharpCodec(2, own);
		const photo = await flat(3_000, 2_000).jpeg().toBuffer();
		await light.probe(photo);
		await light.fit(photo, box);
		await light.transcode(photo, { format: 'webp', fit: box });
		expect(own.pids).toEqual([]);
	});
});

describe('a heavy picture', { timeout: 30_000 }, () => {
	const heavy: Readonly<Record<string, () => Promise<Uint8Array>>> = {
		'one of many bytes': async () => padded(await quarters().png().toBuffer()),
		'one of many pixels': async () => madePng(5_000, 4_000, blackRows(8, 8)),
		'a lossless WebP': async () => huge,
		'a photo that is stored turned': () => flat(2_400, 2_400).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
	};

	it.each(Object.keys(heavy))('is recognised by its header: %s', async (name) => {
		const image = (await heavy[name]?.()) as Uint8Array;
		expect(isHeavy(await openPicture(image, await readImageHead(image)))).toBe(true);
	});

	const tasks: readonly Task[] = [
		{ kind: 'probe' },
		{ kind: 'fit', options: box },
		{ kind: 'transcode', options: { format: 'png', fit: box } },
	];

	it.each(tasks)('has the same result from a worker as from this process: $kind', async (task) => {
		const image = padded(await quarters().png().toBuffer());
		const here = await runTask(await openPicture(image, await readImageHead(image)), task);
		const there: EncodedImage[] = [image, { path: await fileOf(image) }];
		for (const picture of there) expect(await pool.run(picture, task)).toEqual(here);
		expect(pool.pids).toHaveLength(1);
	});

	it('goes through the codec like any other picture', async () => {
		const path = await fileOf(padded(await quarters().jpeg({ quality: 95 }).toBuffer()));
		expect(await codec.probe({ path })).toMatchObject({ format: 'jpeg', width: 40, height: 20 });
		expect(corners(await codec.fit({ path }, box))).toEqual(['red', 'green', 'blue', 'yellow']);
		const { data, width } = await codec.transcode({ path }, { format: 'webp' });
		expect([width, (await codec.probe(data)).format]).toEqual([40, 'webp']);
	});

	it('is rejected with the same messages', async () => {
		const damaged = await noise(100, 100).png().toBuffer();
		damaged.fill(7, 1_000, 2_000);
		const broken = { path: await fileOf(padded(damaged)) };
		const bomb = { path: await fileOf(padded(madePng(10_000, 5_001, blackRows(8, 8)))) };
		const gone = { path: join(folder, 'gone') };
		expect(await codec.probe(broken).catch((error) => error)).toMatchObject({
			code: 'E_IMAGE_UNREADABLE',
			message: 'The file is not a readable PNG, JPEG or WebP image.',
			cause: expect.any(Error),
		});
		await expect(codec.fit(bomb, box)).rejects.toMatchObject({ code: 'E_IMAGE_TOO_LARGE' });
		await expect(codec.probe(gone)).rejects.toMatchObject({ code: 'ENOENT' });
	});

	it('is rejected by its probe when it is damaged', async () => {
		const image = await flat(2_400, 2_400).png({ progressive: true }).toBuffer();
		const cut = image.subarray(0, image.length / 2);
		await expect(codec.probe(cut)).rejects.toMatchObject({ code: 'E_IMAGE_UNREADABLE' });
	});

	it('is rejected by its header when it needs 380 MB at once', async () => {
		const image = await flat(8, 8).png({ progressive: true }).toBuffer();
		// 16 bits of red, green, blue and alpha.
		image.set([0, 0, 0x27, 0x10, 0, 0, 0x13, 0x88, 16, 6], 16);
		const error = await codec.probe(padded(withChecksum(image))).catch((reason) => reason);
		expect(error).toMatchObject({ code: 'E_IMAGE_TOO_LARGE', message: /memory/ });
	});

	it('with a thousand frames is rejected without a worker', async () => {
		const own = new WorkerPool();
		onTestFinished(() => own.close());
		const error = await new SharpCodec(1, own).probe(padded(await animation(1_000))).catch((reason) => reason);
		expect(error).toMatchObject({ code: 'E_IMAGE_UNREADABLE', message: /animation/ });
		expect(own.pids).toEqual([]);
	});

	it('does not block the event loop, because another process decodes it', async () => {
		const own = new WorkerPool();
		onTestFinished(() => own.close());
		await new SharpCodec(1, own).fit(huge, { width: 1_000, height: 1_000, mode: 'cover' });
		expect(own.pids).toHaveLength(1);
	});
});

describe('the worker process', { timeout: 30_000 }, () => {
	it('ends with the backend, which then rejects heavy pictures', async () => {
		const { provided, stop } = await createBackend<ImageCodec>(sharpImages());
		expect(await provided.probe(huge)).toMatchObject({ width: 5_000, height: 4_000 });
		await stop();
		await expect(provided.probe(huge)).rejects.toThrow('The image codec was stopped.');
	});

	it('does not start when the backend stops while the library loads', async () => {
		const { provided, stop } = await createBackend<ImageCodec>(sharpImages());
		const early = provided.probe(huge).catch((error) => error);
		await stop();
		expect(await early).toMatchObject({ message: 'The image codec was stopped.' });
	});
});

/** The PNG with the checksum of its changed header. */
function withChecksum(png: Buffer): Buffer {
	png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
	return png;
}
