import fc from 'fast-check';
import sharp from 'sharp';
import type { RawClient } from '../client.ts';
import { solidPng } from '../png.ts';
import { type Facts, type FileValue, fileValue, isFile } from './facts.ts';
import { withoutBlanks } from './oracle.ts';
import { fileMark } from './schemas.ts';
import { storeFile } from './stored-files.ts';

/** A picture that the server takes. */
interface Picture {
	readonly bytes: Uint8Array;
	/** As `16x12`, upright. */
	readonly size: string;
	readonly hasAlpha: boolean;
}

/** Pictures in every spelling, and what the server must know of them. */
export interface Gallery {
	/** For binary fields, good ones and bad ones. */
	readonly files: readonly FileValue[];
	/** The good ones. */
	readonly urls: readonly string[];
	/** Ids under which the good ones are stored. */
	readonly ids: readonly string[];
	/** What stands behind a file or an object with a data URL or an id. */
	look(sent: unknown): Picture | undefined;
}

/** Small pictures of every format that is taken: photos, one that is turned by its EXIF, and some with transparency. */
export async function gallery(client: RawClient): Promise<Gallery> {
	const pictures = await goodPictures();
	const good = pictures.map(({ bytes }, index) => fileValue(`good-${index}.bin`, bytes, true));
	const urls = dataUrls(pictures);
	const ids = await Promise.all(pictures.map(({ bytes }) => storeFile(client, bytes)));
	return {
		files: [...good, ...badPictures()],
		urls,
		ids,
		look(sent) {
			if (isFile(sent)) return pictures.find(({ bytes }) => bytes === sent[fileMark].bytes);
			const { image_url, file_id } = (sent ?? {}) as {
				readonly image_url?: string;
				readonly file_id?: string;
			};
			if (file_id) return pictures[ids.indexOf(file_id)];
			return pictures[urls.indexOf(withoutBlanks(image_url ?? ''))];
		},
	};
}

/** What exists for the image operations of a server with the model `paint-1`: facts by operation. */
export function imageFacts({ urls, ids, look }: Gallery, result: StoredPicture) {
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
		scenes: {
			'POST /v1/images/generations': drawn,
			'POST /v1/images/edits': changed(urls),
		},
		whole: {
			'POST /v1/images/generations': isConsistent,
			'POST /v1/images/edits': (body) => isConsistent(body) && isMasked(body, look),
		},
		spelled: ['POST /v1/images/generations', 'POST /v1/images/edits'],
	} satisfies Partial<Facts>;
}

/** A picture behind a signed address. */
export interface StoredPicture {
	readonly name: string;
	readonly signature: string;
}

/** Lets the model `paint-1` make a picture that stays on the server. */
export async function storePicture(client: RawClient): Promise<StoredPicture> {
	const fields = { model: 'paint-1', prompt: 'to be kept', response_format: 'url' };
	const answer = await client.post('/v1/images/generations', fields);
	const { data } = (await answer.json()) as { readonly data: readonly { readonly url: string }[] };
	const url = new URL(data[0]?.url ?? '');
	const signature = url.searchParams.get('signature') ?? '';
	return { name: url.pathname.split('/').at(-1) ?? '', signature };
}

/** Names of pictures that are not there, whatever the signature. */
export function absentPictures({ name }: StoredPicture): readonly string[] {
	return ['nonsense', `0${name}`, name.toUpperCase(), name.replace(/\.\w+$/, '.gif'), `../${name}`];
}

// The outermost of every rule, and some from the middle.
const sizes = ['auto', '64x64', '64x192', '192x64', '1024x1024', '1536x1024', '3840x1280', '1280x3840', '3840x2160'];

/** The built-in model draws what it is told; small, for there are many. */
const drawn = fc.record(
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

/** It changes pictures by the operations that it knows, and leaves them alone where it understands nothing. */
function changed(urls: readonly string[]): fc.Arbitrary<unknown> {
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

/** A mask marks by its transparency, and is as large as the first picture. */
function isMasked({ image, images, mask }: Body, look: Gallery['look']): boolean {
	if (!mask) return true;
	const [first] = [image ?? images].flat();
	const marks = look(mask);
	return marks?.hasAlpha === true && marks.size === look(first)?.size;
}

async function goodPictures(): Promise<readonly Picture[]> {
	const png = solidPng(16, 12, [200, 40, 90]);
	const clear = (width: number, height: number) =>
		sharp({ create: { width, height, channels: 4, background: '#00f8' } });
	const turned = sharp(png).rotate(90).jpeg({ progressive: true });
	const photos = [
		png,
		await sharp(png).jpeg().toBuffer(),
		await sharp(png).webp().toBuffer(),
		await turned.withMetadata({ orientation: 6 }).toBuffer(),
	];
	const masks = [
		await clear(16, 12).png().toBuffer(),
		await clear(16, 12).png({ palette: true }).toBuffer(),
		await clear(16, 12).webp({ lossless: true }).toBuffer(),
	];
	const other = { bytes: await clear(8, 9).png().toBuffer(), size: '8x9', hasAlpha: true };
	return [
		...photos.map((bytes) => ({ bytes, size: '16x12', hasAlpha: false })),
		...masks.map((bytes) => ({ bytes, size: '16x12', hasAlpha: true })),
		other,
	];
}

function badPictures(): readonly FileValue[] {
	const gif = Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1');
	const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
	const headOnly = solidPng(16, 12, [200, 40, 90]).subarray(0, 20);
	return [gif, svg, headOnly, Buffer.from('%PDF-1.7')].map((bytes, index) =>
		fileValue(`bad-${index}.png`, bytes, false),
	);
}

const labels = ['image/png', '', 'image/jpeg;charset=utf-8', 'text/html', 'application/octet-stream'];

function dataUrls(pictures: readonly Picture[]): readonly string[] {
	return pictures.map(({ bytes }, index) => {
		const base64 = Buffer.from(bytes).toString('base64');
		return `data:${labels[index % labels.length]};base64,${base64}`;
	});
}
