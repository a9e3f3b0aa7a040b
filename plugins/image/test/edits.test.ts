import { existsSync } from 'node:fs';
import { errorOf, eventually, gate } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { answerOf, dataUrl, formOf, harness, picturesOf } from './harness.ts';
import { file, pixels } from './pictures.ts';

const first = file('png', pixels(64, 48, [1, 1, 1, 255]));
const second = file('jpeg', pixels(32, 32, [2, 2, 2, 255]));
const third = file('webp', pixels(16, 16, [3, 3, 3, 255]));
const clear = (width: number, height: number) => file('png', pixels(width, height, [0, 0, 0, 0]));
const mask = clear(64, 48);

type Harness = Awaited<ReturnType<typeof harness>>;

/** The bytes of the pictures that the model received. */
async function shown(h: Harness, response: Response): Promise<Buffer[]> {
	await answerOf(response);
	const pictures: Buffer[] = [];
	for (const bytes of seen.get(h) ?? []) pictures.push(Buffer.from(bytes));
	return pictures;
}

const seen = new WeakMap<Harness, readonly Uint8Array[]>();

/** The model reads the files of a request during the call, because they are deleted after the response. */
async function reading(options: Parameters<typeof harness>[0] = {}): Promise<Harness> {
	const h = await harness(options);
	const paint = h.model.edit;
	h.model.edit = async (request, run) => {
		seen.set(h, await Promise.all(request.images.map((image) => image.bytes())));
		return paint(request, run);
	};
	return h;
}

describe('POST /v1/images/edits', () => {
	it('passes the request to the model in domain terms', async () => {
		const h = await reading();
		const form = formOf(
			['image', first],
			['mask', mask],
			['prompt', 'a hat'],
			['n', '2'],
			['size', '1024x512'],
			['quality', 'low'],
			['background', 'opaque'],
			['output_format', 'jpeg'],
			['output_compression', '30'],
			['moderation', 'low'],
			['num_inference_steps', '7'],
			['partial_images', '2'],
			['response_format', 'b64_json'],
			['safety_identifier', 'u'],
			['stream', 'false'],
			['input_fidelity', 'high'],
			['seed', '9'],
		);
		const pictures = await picturesOf(await h.editing(form));
		expect(pictures).toMatchObject([
			{ format: 'jpeg', width: 1024, height: 512, options: { quality: 30 } },
			{ format: 'jpeg', width: 1024 },
		]);
		expect(h.edits.map(({ run }) => run.seed)).toEqual([9, 10]);
		const input = {
			mediaType: 'image/png',
			size: first.length,
			width: 64,
			height: 48,
			hasAlpha: true,
			sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
			source: { path: expect.any(String) },
			bytes: expect.any(Function),
		};
		expect(h.edits[0]?.request).toStrictEqual({
			prompt: 'a hat',
			count: 1,
			size: { width: 1024, height: 512 },
			quality: 'low',
			background: 'opaque',
			format: 'jpeg',
			compression: 30,
			moderation: 'low',
			steps: 7,
			user: 'u',
			images: [input],
			mask: { ...input, size: mask.length },
			fidelity: 'high',
		});
	});

	it('estimates the usage from the inputs and outputs', async () => {
		const h = await harness();
		const { usage } = await answerOf(await h.editing(formOf(['image', first], ['image', second])));
		expect(usage).toMatchObject({
			input_tokens: 2 + 4 + 1,
			output_tokens: 4,
			input_tokens_details: { text_tokens: 2, image_tokens: 5 },
		});
	});

	it.each([
		['image once', [['image', first]], [first]],
		[
			'image several times',
			[
				['image', first],
				['image', second],
			],
			[first, second],
		],
		[
			'image[] several times',
			[
				['image[]', first],
				['image[]', second],
				['image[]', third],
			],
			[first, second, third],
		],
		['image[] once', [['image[]', second]], [second]],
		[
			'numbered images',
			[
				['image[0]', first],
				['image[1]', third],
			],
			[first, third],
		],
		['images as files', [['images', second]], [second]],
		['a data URL in a field', [['image[image_url]', dataUrl(second)]], [second]],
		[
			'files before and after the text fields',
			[
				['image', third],
				['prompt', 'x'],
				['model', 'fake-1'],
				['image', first],
			],
			[third, first],
		],
	] as const)('accepts %s, in order', async (_, entries, expected) => {
		const h = await reading();
		expect(await shown(h, await h.editing(formOf(...entries)))).toEqual(expected);
	});

	it.each([
		['images', { images: [{ image_url: dataUrl(first) }, { image_url: dataUrl(second) }] }, 2],
		['image as an object', { image: { image_url: dataUrl(first) } }, 1],
		['image as a list', { image: [{ image_url: dataUrl(first) }] }, 1],
		['null for what is absent', { image: null, mask: null, images: [{ image_url: dataUrl(first), file_id: null }] }, 1],
	])('accepts JSON with %s', async (_, body, count) => {
		const h = await reading();
		expect(await shown(h, await h.editing(body))).toEqual([first, second].slice(0, count));
	});

	it('accepts a plain data URL of any length, and does not buffer a long one', async () => {
		const h = await reading();
		const long = file('png', pixels(200, 200, [4, 4, 4, 255]));
		expect(await shown(h, await h.editing({ image: dataUrl(first) }))).toEqual([first]);
		expect(await shown(h, await h.editing({ image: dataUrl(long) }))).toEqual([long]);
		const images = [{ image_url: dataUrl(long) }, { image_url: dataUrl(first) }];
		expect(await shown(h, await h.editing({ images }))).toEqual([long, first]);
		expect(h.edits.at(-1)?.request.images[0]?.source).toHaveProperty('path');
	});

	it.each([
		['a file', formOf(['image', first], ['n', '2'])],
		['a data URL', { image: { image_url: dataUrl(first) }, n: 2 }],
	])('passes the bytes of %s to each call of the model', async (_, body) => {
		const h = await harness({ options: { concurrency: 1 } });
		const found: boolean[] = [];
		h.model.edit = async ({ images }) => {
			const bytes = (await images[0]?.bytes()) ?? new Uint8Array();
			found.push(first.equals(bytes));
			bytes.fill(0);
			return { images: [pixels(8, 8)] };
		};
		await answerOf(await h.editing(body));
		expect(found).toEqual([true, true]);
	});

	it('accepts a mask as a data URL', async () => {
		const h = await harness();
		await answerOf(
			await h.editing({
				images: [{ image_url: dataUrl(first) }],
				mask: { image_url: dataUrl(mask) },
			}),
		);
		expect(h.edits[0]?.request.mask).toMatchObject({ width: 64, height: 48 });
	});

	it('has another seed for other pictures, and equal seeds for equal ones in both encodings', async () => {
		const h = await harness();
		const seedOf = async (body: FormData | Record<string, unknown>) => {
			await answerOf(await h.editing(body));
			return h.edits.at(-1)?.run.seed;
		};
		const one = await seedOf(formOf(['image', first], ['prompt', 'p']));
		expect(await seedOf({ prompt: 'p', image: { image_url: dataUrl(first) } })).toBe(one);
		expect(await seedOf(formOf(['image', second], ['prompt', 'p']))).not.toBe(one);
		expect(await seedOf(formOf(['image', first], ['prompt', 'p'], ['mask', mask]))).not.toBe(one);
		const faithful = formOf(['image', first], ['prompt', 'p'], ['input_fidelity', 'high']);
		expect(await seedOf(faithful)).not.toBe(one);
	});

	it('keeps the files until the stream of an edit has ended', async () => {
		const h = await harness();
		const answered = gate();
		let found: Buffer | undefined;
		h.model.edit = async ({ images }, run) => {
			run.partial(pixels(8, 8));
			await answered.passed;
			found = Buffer.from((await images[0]?.bytes()) ?? []);
			return { images: [pixels(8, 8)] };
		};
		const form = formOf(['image', first], ['stream', 'true'], ['partial_images', '1']);
		const response = await h.editing(form);
		answered.open();
		expect(await response.text()).toContain('image_edit.completed');
		expect(found).toEqual(first);
		const [input] = h.edits[0]?.request.images ?? [];
		const source = input?.source;
		expect(source).toHaveProperty('path');
		const isThere = () => source && 'path' in source && existsSync(source.path);
		await eventually('the file is deleted', () => !isThere());
	});
});

describe('an edit is rejected', () => {
	const good = { image_url: dataUrl(first) };
	it.each([
		[{}, 'missing_required_parameter', 'image'],
		[{ images: [] }, 'missing_required_parameter', 'images'],
		[{ image: good, images: [good] }, 'invalid_value', 'images'],
		[{ images: Array(17).fill(good) }, 'invalid_value', 'images'],
		[{ images: [good, { image_url: 'http://a/b.png' }] }, 'invalid_value', 'images[1].image_url'],
		[{ images: [good, {}] }, 'missing_required_parameter', 'images[1].image_url'],
		[{ images: [{ file_id: 'file-1' }] }, 'unsupported_value', 'images[0].file_id'],
		[{ images: [{ ...good, file_id: 'file-1' }] }, 'invalid_value', 'images[0]'],
		[{ images: ['a.png'] }, 'invalid_type', 'images[0]'],
		[{ image: 'a.png' }, 'invalid_type', 'image'],
		[{ image: [good, 5] }, 'invalid_type', 'image[1]'],
		[{ image: { image_url: dataUrl(Buffer.from('<svg/>')) } }, 'invalid_image', 'image'],
		[{ images: [good, { image_url: dataUrl(Buffer.from('GIF89a')) }] }, 'invalid_image', 'images[1]'],
		[{ image: good, mask: 'm' }, 'invalid_type', 'mask'],
		[{ image: good, mask: [good, good] }, 'invalid_value', 'mask'],
		[{ image: good, mask: { image_url: dataUrl(second) } }, 'invalid_value', 'mask'],
		[{ image: good, mask: { image_url: dataUrl(third) } }, 'invalid_value', 'mask'],
		[{ image: good, mask: { image_url: dataUrl(clear(64, 40)) } }, 'invalid_value', 'mask'],
		[{ image: good, mask: { image_url: dataUrl(clear(60, 48)) } }, 'invalid_value', 'mask'],
		[{ image: good, mask: { image_url: 'data:,x' } }, 'invalid_value', 'mask.image_url'],
		[{ image: good, size: '512x520' }, 'invalid_value', 'size'],
		[{ image: good, prompt: ' \n\t' }, 'invalid_value', 'prompt'],
		[{ image: good, quality: 'hd' }, 'invalid_value', 'quality'],
		[{ image: good, input_fidelity: 'medium' }, 'invalid_value', 'input_fidelity'],
		[{ image: good, prompt: '' }, 'string_below_min_length', 'prompt'],
		[{ image: good, background: 'transparent', output_format: 'jpeg' }, 'invalid_value', 'background'],
	])('for its JSON: %#', async (body, code, param) => {
		const h = await harness();
		expect(await errorOf(await h.editing(body))).toMatchObject({ status: 400, code, param });
		expect(h.edits).toEqual([]);
	});

	it.each([
		['n', '0', 'integer_below_min_value'],
		['n', 'many', 'invalid_type'],
		['n', '', 'invalid_type'],
		['output_compression', '101', 'integer_above_max_value'],
		['partial_images', '4', 'integer_above_max_value'],
		['num_inference_steps', '0', 'integer_below_min_value'],
		['stream', 'perhaps', 'invalid_type'],
		['seed', '1.5', 'invalid_type'],
	])('for the field %s in a form: %j', async (name, value, code) => {
		const h = await harness();
		const error = await errorOf(await h.editing(formOf(['image', first], [name, value])));
		expect(error).toMatchObject({ status: 400, code, param: name });
	});

	it('for an invalid file, with its parameter', async () => {
		const h = await harness();
		const text = Buffer.from('no picture');
		const several = formOf(['image[]', first], ['image[]', text]);
		expect(await errorOf(await h.editing(several))).toMatchObject({
			status: 400,
			code: 'invalid_image',
			param: 'image[1]',
		});
		const one = formOf(['image', text]);
		expect(await errorOf(await h.editing(one))).toMatchObject({ param: 'image' });
		const masked = formOf(['image', first], ['mask', text]);
		expect(await errorOf(await h.editing(masked))).toMatchObject({ param: 'mask' });
	});

	it('for an ability that its model lacks', async () => {
		const none = await harness({ lacks: ['edit'] });
		expect(await errorOf(await none.editing(formOf(['image', first])))).toMatchObject({
			status: 400,
			code: 'unsupported_value',
			param: 'model',
		});
		const plain = await harness({ abilities: { images: 1, mask: false, transparency: false } });
		const refused = async (...fields: (readonly [string, string | Uint8Array])[]) =>
			(await errorOf(await plain.editing(formOf(...fields)))).param;
		expect(await refused(['image', first], ['image', second])).toBe('image');
		expect(await refused(['image', first], ['mask', mask])).toBe('mask');
		expect(await refused(['image', first], ['background', 'transparent'])).toBe('background');
		expect(await picturesOf(await plain.editing(formOf(['image', first])))).toHaveLength(1);
	});

	it('for a mask without alpha or of another size than the first picture', async () => {
		const h = await harness();
		const flat = formOf(['image', second], ['mask', second]);
		expect((await errorOf(await h.editing(flat))).message).toContain('no alpha channel');
		const small = formOf(['image', first], ['mask', third]);
		const { message } = await errorOf(await h.editing(small));
		expect(message).toContain('16x16');
		expect(message).toContain('64x48');
	});

	it('for more than 17 files', async () => {
		const h = await harness();
		const files = Array.from({ length: 18 }, () => ['image', third] as const);
		expect((await h.editing(formOf(...files))).status).toBe(413);
		expect(await errorOf(await h.editing(formOf(...files.slice(1))))).toMatchObject({
			status: 400,
			param: 'image',
		});
	});
});
