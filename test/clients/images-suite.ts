import { createReadStream } from 'node:fs';
import { expect, test } from 'vitest';
import type { RecordedImage } from '../support/fake-models.ts';
import { pngSize } from '../support/png.ts';
import type { Sdk } from './sdk.ts';

/** The fixture of one run of the suite. */
export interface ImageSubject {
	readonly client: Sdk;
	/** The calls of the fake model. */
	readonly requests: readonly RecordedImage[];
	/** Two PNG files and their bytes. The mask has the size of the first one. */
	readonly pictures: readonly { readonly path: string; readonly bytes: Uint8Array<ArrayBuffer> }[];
	readonly mask: Uint8Array<ArrayBuffer>;
}

/** The id of the fake image model. */
export const paint = 'paint-1';

type Made = { readonly b64_json?: string | undefined } | undefined;

/** The bytes of one item of a response. */
export function bytesOf(item: Made): Uint8Array {
	return Uint8Array.from(Buffer.from(item?.b64_json ?? '', 'base64'));
}

/** All supported image features, with one SDK line. */
export function paintsLikeOpenAI(subject: () => ImageSubject): void {
	const asked = (prompt: string) => subject().requests.filter((each) => each.prompt === prompt);
	const fileOf = (index: number, name = 'a.png') =>
		new File([subject().pictures[index]?.bytes ?? new Uint8Array()], name, { type: 'image/png' });

	test('generates an image of the requested size', async () => {
		const { client } = subject();
		const response = await client.images.generate({
			model: paint,
			prompt: 'a size',
			size: '1536x1024',
		});
		expect(pngSize(bytesOf(response.data?.[0]))).toEqual({ width: 1536, height: 1024 });
		expect(response).toMatchObject({
			created: expect.any(Number),
			background: 'opaque',
			output_format: 'png',
			quality: expect.stringMatching(/^(low|medium|high)$/),
			size: '1536x1024',
			usage: {
				total_tokens: expect.any(Number),
				input_tokens_details: { text_tokens: 2, image_tokens: 0 },
			},
		});
		expect(response.data?.[0]?.revised_prompt).toBe('painted: a size');
	});

	test('generates several images, each with its own seed', async () => {
		const { client } = subject();
		const { data } = await client.images.generate({ model: paint, prompt: 'three', n: 3 });
		expect(data).toHaveLength(3);
		const seeds = asked('three').map(({ seed }) => seed);
		expect(new Set(seeds).size).toBe(3);
	});

	test('accepts the values of older clients: standard, vivid', async () => {
		const { client } = subject();
		await client.images.generate({
			model: paint,
			prompt: 'older words',
			quality: 'standard',
			style: 'vivid',
			response_format: 'b64_json',
		});
		expect(asked('older words')).toMatchObject([{ quality: 'medium', style: 'vivid' }]);
	});

	test('answers with a URL that needs no key', async () => {
		const { client } = subject();
		const { data } = await client.images.generate({
			model: paint,
			prompt: 'a link',
			response_format: 'url',
			output_format: 'webp',
		});
		const response = await fetch(data?.[0]?.url ?? '');
		expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
		expect(Buffer.from(await response.arrayBuffer()).toString('latin1', 8, 12)).toBe('WEBP');
	});

	test('streams a generation: partial images, then the image with its usage', async () => {
		const { client } = subject();
		const stream = await client.images.generate({
			model: paint,
			prompt: 'a stream',
			stream: true,
			partial_images: 2,
		});
		const events = [];
		for await (const event of stream) events.push(event);
		expect(events.map(({ type }) => type)).toEqual([
			...Array(events.length - 1).fill('image_generation.partial_image'),
			'image_generation.completed',
		]);
		expect(events.length).toBeGreaterThan(1);
		expect(events.at(-1)).toMatchObject({
			usage: { total_tokens: expect.any(Number) },
			created_at: expect.any(Number),
			output_format: 'png',
		});
		expect(pngSize(bytesOf(events.at(-1)))).toEqual({ width: 64, height: 48 });
	});

	test('streams only the final image when no partials are requested', async () => {
		const { client } = subject();
		const request = { model: paint, prompt: 'just one', stream: true, partial_images: 0 } as const;
		const types = [];
		for await (const { type } of await client.images.generate(request)) types.push(type);
		expect(types).toEqual(['image_generation.completed']);
	});

	test('edits one File', async () => {
		const { client, pictures } = subject();
		const prompt = 'one file';
		await client.images.edit({ model: paint, prompt, image: fileOf(0) });
		expect(asked(prompt)[0]?.sent?.map((bytes) => Buffer.from(bytes))).toEqual([Buffer.from(pictures[0]?.bytes ?? [])]);
	});

	test('edits a read stream that comes before the other fields', async () => {
		const { client, pictures } = subject();
		const image = createReadStream(pictures[0]?.path ?? '');
		await client.images.edit({ image, prompt: 'a read stream', model: paint });
		expect(asked('a read stream')[0]?.sent?.[0]).toHaveLength(pictures[0]?.bytes.length ?? 0);
	});

	test('edits several pictures with a mask, in their order', async () => {
		const { client, pictures, mask } = subject();
		const { data } = await client.images.edit({
			model: paint,
			prompt: 'two and a mask',
			image: [fileOf(0), fileOf(1, 'b.png')],
			mask: new File([mask], 'mask.png', { type: 'image/png' }),
			n: 2,
			size: '1024x1024',
			quality: 'high',
			background: 'transparent',
			output_format: 'webp',
			output_compression: 40,
			input_fidelity: 'high',
			user: 'somebody',
		});
		expect(data).toHaveLength(2);
		const [first] = asked('two and a mask');
		expect(first).toMatchObject({
			size: { width: 1024, height: 1024 },
			quality: 'high',
			background: 'transparent',
			format: 'webp',
			compression: 40,
			fidelity: 'high',
			user: 'somebody',
		});
		expect(first?.sent?.map((bytes) => Buffer.from(bytes))).toEqual(pictures.map(({ bytes }) => Buffer.from(bytes)));
		expect(Buffer.from(first?.maskBytes ?? [])).toEqual(Buffer.from(mask));
	});

	test('edits to any size that the model supports', async () => {
		const { client } = subject();
		const size = '768x512' as '1024x1024';
		await client.images.edit({ model: paint, prompt: 'another size', image: fileOf(0), size });
		expect(asked('another size')[0]?.size).toEqual({ width: 768, height: 512 });
	});

	test('streams an edit', async () => {
		const { client } = subject();
		const stream = await client.images.edit({
			model: paint,
			prompt: 'a streamed edit',
			image: fileOf(0),
			stream: true,
			partial_images: 3,
		});
		const types: string[] = [];
		for await (const { type } of stream) types.push(type);
		expect(types.length).toBeGreaterThan(1);
		expect(types.at(-1)).toBe('image_edit.completed');
		expect(new Set(types.slice(0, -1))).toEqual(new Set(['image_edit.partial_image']));
	});

	test('raises a failure during a stream as an error with its code', async () => {
		const { client } = subject();
		const request = {
			model: paint,
			prompt: 'fail: the brush broke',
			stream: true,
			partial_images: 1,
		} as const;
		const read = async () => {
			for await (const _ of await client.images.generate(request, { maxRetries: 0 }));
		};
		await expect(read()).rejects.toMatchObject({
			code: 'model_error',
			message: expect.stringContaining('the brush broke'),
		});
	});

	test.each([
		['an invalid size', { size: '17x17' }, 'size'],
		['eleven pictures', { n: 11 }, 'n'],
		['a transparent JPEG', { background: 'transparent', output_format: 'jpeg' }, 'background'],
		['an invalid quality', { quality: 'best' }, 'quality'],
	])('refuses %s with the name of the parameter', async (_, fields, param) => {
		const { client } = subject();
		const call = client.images.generate({ model: paint, prompt: 'no', ...(fields as object) });
		await expect(call).rejects.toMatchObject({ status: 400, param });
	});

	test('refuses a mask of another size', async () => {
		const { client } = subject();
		const [image, mask] = [fileOf(0), fileOf(1)];
		await expect(client.images.edit({ model: paint, prompt: 'no', image, mask })).rejects.toMatchObject({
			status: 400,
			param: 'mask',
		});
	});
}
