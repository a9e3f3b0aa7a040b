import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateImage } from 'ai';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fakeImage, type RecordedImage } from '../support/fake-models.ts';
import { pngSize, solidPng } from '../support/png.ts';
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

	// Not thrown where it is found: the SDK would take it for a broken connection and send the request again.
	afterEach(() => expect(watched.complaints).toEqual([]));

	paintsLikeOpenAI(() => ({ client: watched.client, requests: seen, pictures, mask }));

	test('draws with the built-in model, and edits what it drew', async () => {
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
});

const providers = [
	{
		name: '@ai-sdk/openai',
		imageModel: (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: keyA }).image(paint),
	},
	{
		name: '@ai-sdk/openai-compatible',
		imageModel: (url: string) =>
			createOpenAICompatible({ name: 'plinth', baseURL: `${url}/v1`, apiKey: keyA }).imageModel(paint),
	},
];

describe.each(providers)('images with the AI SDK through $name', ({ imageModel }) => {
	beforeAll(() => {
		seen.length = 0;
	});

	test('generates pictures', async () => {
		const { images } = await generateImage({
			model: imageModel(served.url),
			prompt: 'a kite',
			size: '1024x1024',
			n: 2,
		});
		expect(images.map(({ uint8Array }) => pngSize(uint8Array))).toEqual(Array(2).fill({ width: 1024, height: 1024 }));
	});

	test('edits one picture, and several with a mask', async () => {
		const edit = (images: readonly Uint8Array[], withMask: boolean) =>
			generateImage({
				model: imageModel(served.url),
				prompt: { text: 'bluer', images: [...images], ...(withMask ? { mask } : {}) },
			});
		const [first, second] = pictures.map(({ bytes }) => bytes);
		if (!first || !second) throw new Error('There are two pictures.');
		expect((await edit([first], false)).images).toHaveLength(1);
		expect((await edit([first, second], true)).images).toHaveLength(1);
		const sent = seen.filter(({ prompt }) => prompt === 'bluer');
		expect(sent.map((each) => each.sent?.length)).toEqual([1, 2]);
		expect(Buffer.from(sent[1]?.maskBytes ?? [])).toEqual(Buffer.from(mask));
	});
});
