import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateImage } from 'ai';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paint } from '../clients/images-suite.ts';
import { fakeImage, type RecordedImage } from '../support/fake-models.ts';
import { pngSize, solidPng } from '../support/png.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

const seen: RecordedImage[] = [];
const pictures = [solidPng(64, 48, [20, 120, 220]), solidPng(32, 32, [220, 120, 20])];
let mask: Uint8Array<ArrayBuffer>;
let served: Served;

beforeAll(async () => {
	served = await serveEmbedded({ models: { [paint]: fakeImage(seen) } });
	const clear = { width: 64, height: 48, channels: 4, background: '#0000' } as const;
	mask = Uint8Array.from(await sharp({ create: clear }).png().toBuffer());
});

afterAll(() => served?.stop());

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

	test('edits one image, and several with a mask', async () => {
		const edit = (images: readonly Uint8Array[], withMask: boolean) =>
			generateImage({
				model: imageModel(served.url),
				prompt: { text: 'bluer', images: [...images], ...(withMask ? { mask } : {}) },
			});
		const [first, second] = pictures;
		if (!first || !second) throw new Error('Two images are expected.');
		expect((await edit([first], false)).images).toHaveLength(1);
		expect((await edit([first, second], true)).images).toHaveLength(1);
		const sent = seen.filter(({ prompt }) => prompt === 'bluer');
		expect(sent.map((each) => each.sent?.length)).toEqual([1, 2]);
		expect(Buffer.from(sent[1]?.maskBytes ?? [])).toEqual(Buffer.from(mask));
	});
});
