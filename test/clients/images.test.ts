import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fakeImage, type RecordedImage } from '../support/fake-models.ts';
import { solidPng } from '../support/png.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';
import { bytesOf, paint, paintsLikeOpenAI } from './images-suite.ts';
import { lines, sdkClient, type WatchedClient } from './sdk.ts';

const seen: RecordedImage[] = [];
const pictures = [
	{ path: '', bytes: solidPng(64, 48, [20, 120, 220]) },
	{ path: '', bytes: solidPng(32, 32, [220, 120, 20]) },
];
let mask: Uint8Array<ArrayBuffer>;
let served: Served;

beforeAll(async () => {
	served = await serveEmbedded({ models: { [paint]: fakeImage(seen) } });
	for (const [index, picture] of pictures.entries()) {
		picture.path = join(served.dataDir, `${index}.png`);
		await writeFile(picture.path, picture.bytes);
	}
	const clear = { width: 64, height: 48, channels: 4, background: '#0000' } as const;
	mask = Uint8Array.from(await sharp({ create: clear }).png().toBuffer());
});

afterAll(() => served?.stop());

describe.each(lines)('images with $name', ({ OpenAI }) => {
	let watched: WatchedClient;

	beforeAll(() => {
		seen.length = 0;
		watched = sdkClient(OpenAI, { url: served.url, key: keyA, mode: 'Bearer only' });
	});

	// Collected instead of thrown: the SDK would treat a throw as a broken connection and retry.
	afterEach(() => expect(watched.violations).toEqual([]));

	paintsLikeOpenAI(() => ({ client: watched.client, requests: seen, pictures, mask }));

	test('generates an image with the built-in model, and edits it', async () => {
		const { client } = watched;
		const drawn = await client.images.generate({
			model: 'builtin-image',
			prompt: 'A lighthouse at dusk',
			size: '512x512' as '1024x1024',
		});
		const image = new File([Uint8Array.from(bytesOf(drawn.data?.[0]))], 'lighthouse.png');
		const edited = await client.images.edit({
			model: 'builtin-image',
			prompt: 'make it grayscale',
			image,
		});
		const { channels } = await sharp(bytesOf(edited.data?.[0])).stats();
		const [red, green, blue] = channels.map(({ mean }) => mean);
		expect([green, blue]).toEqual([red, red]);
		expect(edited.data?.[0]?.revised_prompt).toMatch(/grayscale/i);
	});

	test.each(['png', 'webp'] as const)(
		'gives an edit on a transparent background an alpha channel: %s',
		async (format) => {
			const ground = sharp({ create: { width: 64, height: 48, channels: 3, background: '#eef' } });
			const subject = { input: { create: { width: 20, height: 20, channels: 3, background: '#a22' } } } as const;
			const photo = await ground.composite([subject]).jpeg().toBuffer();
			const edited = await watched.client.images.edit({
				model: 'builtin-image',
				prompt: 'sepia',
				image: new File([Uint8Array.from(photo)], 'photo.jpg'),
				background: 'transparent',
				output_format: format,
			});
			expect(edited.background).toBe('transparent');
			const picture = sharp(bytesOf(edited.data?.[0]));
			expect(await picture.metadata()).toMatchObject({ format, hasAlpha: true });
			const { data } = await picture.raw().toBuffer({ resolveWithObject: true });
			expect([data[3], data[(24 * 64 + 32) * 4 + 3]]).toEqual([0, 255]);
		},
	);

	test('refuses an edit of a transparent JPEG', async () => {
		const call = watched.client.images.edit({
			model: 'builtin-image',
			prompt: 'sepia',
			image: new File([pictures[0]?.bytes ?? new Uint8Array()], 'a.png'),
			background: 'transparent',
			output_format: 'jpeg',
		});
		await expect(call).rejects.toMatchObject({ status: 400, param: 'background' });
	});
});
