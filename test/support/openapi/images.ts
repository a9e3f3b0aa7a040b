import fc from 'fast-check';
import sharp from 'sharp';
import type { RawClient } from '../client.ts';
import { solidPng } from '../png.ts';
import { type Facts, type FileValue, fileValue, isFile } from './facts.ts';
import { normalizeDataUrl } from './oracle.ts';
import { fileMark } from './schemas.ts';
import { storeFile } from './stored-files.ts';

/** A valid image. */
interface ImageSample {
	readonly bytes: Uint8Array;
	/** As `16x12`, after rotation to upright. */
	readonly size: string;
	readonly hasAlpha: boolean;
}

/** Image samples in every form in which requests can send them. */
export interface ImageSamples {
	/** Valid and invalid files for binary fields. */
	readonly files: readonly FileValue[];
	/** Data URLs of the valid images. */
	readonly urls: readonly string[];
	/** Ids of stored files with the valid images. */
	readonly ids: readonly string[];
	/** The image of a file value or of an object with a data URL or an id. */
	find(value: unknown): ImageSample | undefined;
}

/** Small images of every accepted format: opaque ones, one that is rotated by EXIF, and some with transparency. */
export async function imageSamples(client: RawClient): Promise<ImageSamples> {
	const samples = await validImages();
	const validFiles = samples.map(({ bytes }, index) => fileValue(`good-${index}.bin`, bytes, true));
	const urls = dataUrls(samples);
	const ids = await Promise.all(samples.map(({ bytes }) => storeFile(client, bytes)));
	return {
		files: [...validFiles, ...invalidImages()],
		urls,
		ids,
		find(value) {
			if (isFile(value)) return samples.find(({ bytes }) => bytes === value[fileMark].bytes);
			const { image_url, file_id } = (value ?? {}) as {
				readonly image_url?: string;
				readonly file_id?: string;
			};
			if (file_id) return samples[ids.indexOf(file_id)];
			return samples[urls.indexOf(normalizeDataUrl(image_url ?? ''))];
		},
	};
}

/** Facts of the image operations, for a server with the model `paint-1`. */
export function imageFacts({ urls, ids, find }: ImageSamples, result: StoredImage) {
	return {
		known: {
			'POST /v1/images/generations model': ['paint-1'],
			'POST /v1/images/generations size': sizes,
			'POST /v1/images/edits model': ['paint-1'],
			'POST /v1/images/edits size': sizes,
			'POST /v1/images/edits image.image_url': urls,
			'POST /v1/images/edits images.image_url': urls,
			'POST /v1/images/edits mask.image_url': urls,
			'POST /v1/images/edits image.file_id': ids,
			'POST /v1/images/edits images.file_id': ids,
			'POST /v1/images/edits mask.file_id': ids,
			'GET /v1/images/results/{name} signature': [result.signature],
		},
		needed: ['GET /v1/images/results/{name} signature'],
		usual: { 'POST /v1/images/generations n': [1, 2], 'POST /v1/images/edits n': [1, 2] },
		combinations: {
			'POST /v1/images/generations': generationBodies,
			'POST /v1/images/edits': editBodies(urls),
		},
		bodyRules: {
			'POST /v1/images/generations': isConsistent,
			'POST /v1/images/edits': (body) => isConsistent(body) && isMaskValid(body, find),
		},
		textualScalars: ['POST /v1/images/generations', 'POST /v1/images/edits'],
	} satisfies Partial<Facts>;
}

/** An image with a signed URL. */
export interface StoredImage {
	readonly name: string;
	readonly signature: string;
}

/** Generates an image with the model `paint-1` that is kept on the server. */
export async function storeImage(client: RawClient): Promise<StoredImage> {
	const fields = { model: 'paint-1', prompt: 'to be kept', response_format: 'url' };
	const response = await client.post('/v1/images/generations', fields);
	const { data } = (await response.json()) as { readonly data: readonly { readonly url: string }[] };
	const url = new URL(data[0]?.url ?? '');
	const signature = url.searchParams.get('signature') ?? '';
	return { name: url.pathname.split('/').at(-1) ?? '', signature };
}

/** Names of images that do not exist, whatever the signature. */
export function absentImages({ name }: StoredImage): readonly string[] {
	return ['nonsense', `0${name}`, name.toUpperCase(), name.replace(/\.\w+$/, '.gif'), `../${name}`];
}

// The extremes of every size rule, and some values in between.
const sizes = ['auto', '64x64', '64x192', '192x64', '1024x1024', '1536x1024', '3840x1280', '1280x3840', '3840x2160'];

/** Bodies for the built-in image model. The sizes are small, because there are many requests. */
const generationBodies = fc.record(
	{
		model: fc.constant('builtin-image'),
		prompt: fc.constantFrom('A fox', 'the sea at dusk', 'Ein "Titel" — 漢字 🌊', 'a\u0000b'),
		size: fc.constantFrom('64x64', '96x64', '64x128'),
		output_format: fc.constantFrom('png', 'jpeg', 'webp'),
		quality: fc.constantFrom('low', 'hd', 'auto'),
		background: fc.constantFrom('opaque', 'auto'),
		seed: fc.nat(),
		stream: fc.boolean(),
	},
	{ requiredKeys: ['model', 'prompt', 'size'] },
);

/** Bodies for edits by the built-in model. It leaves an image unchanged when it does not understand the prompt. */
function editBodies(urls: readonly string[]): fc.Arbitrary<unknown> {
	return fc.record(
		{
			model: fc.constant('builtin-image'),
			prompt: fc.constantFrom('grayscale', 'blur it, then rotate by 90°', 'make it 漢字 🌊', 'a\u0000b'),
			image: fc.constantFrom(...urls).map((image_url) => ({ image_url })),
			output_format: fc.constantFrom('png', 'webp'),
			input_fidelity: fc.constantFrom('low', 'high'),
		},
		{ requiredKeys: ['model', 'prompt', 'image'] },
	);
}

type Body = Readonly<Record<string, unknown>>;

function isConsistent({ background, output_format }: Body): boolean {
	return background !== 'transparent' || output_format !== 'jpeg';
}

/** A mask has transparency, and the size of the first image. */
function isMaskValid({ image, images, mask }: Body, find: ImageSamples['find']): boolean {
	if (!mask) return true;
	const [first] = [image ?? images].flat();
	const maskSample = find(mask);
	return maskSample?.hasAlpha === true && maskSample.size === find(first)?.size;
}

async function validImages(): Promise<readonly ImageSample[]> {
	const png = solidPng(16, 12, [200, 40, 90]);
	const transparent = (width: number, height: number) =>
		sharp({ create: { width, height, channels: 4, background: '#00f8' } });
	const rotated = sharp(png).rotate(90).jpeg({ progressive: true });
	const opaque = [
		png,
		await sharp(png).jpeg().toBuffer(),
		await sharp(png).webp().toBuffer(),
		await rotated.withMetadata({ orientation: 6 }).toBuffer(),
	];
	const masks = [
		await transparent(16, 12).png().toBuffer(),
		await transparent(16, 12).png({ palette: true }).toBuffer(),
		await transparent(16, 12).webp({ lossless: true }).toBuffer(),
	];
	const other = { bytes: await transparent(8, 9).png().toBuffer(), size: '8x9', hasAlpha: true };
	return [
		...opaque.map((bytes) => ({ bytes, size: '16x12', hasAlpha: false })),
		...masks.map((bytes) => ({ bytes, size: '16x12', hasAlpha: true })),
		other,
	];
}

function invalidImages(): readonly FileValue[] {
	const gif = Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1');
	const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
	const headOnly = solidPng(16, 12, [200, 40, 90]).subarray(0, 20);
	return [gif, svg, headOnly, Buffer.from('%PDF-1.7')].map((bytes, index) =>
		fileValue(`bad-${index}.png`, bytes, false),
	);
}

const labels = ['image/png', '', 'image/jpeg;charset=utf-8', 'text/html', 'application/octet-stream'];

function dataUrls(samples: readonly ImageSample[]): readonly string[] {
	return samples.map(({ bytes }, index) => {
		const base64 = Buffer.from(bytes).toString('base64');
		return `data:${labels[index % labels.length]};base64,${base64}`;
	});
}
