import { createHash } from 'node:crypto';
import { invalidValue, isUpload, plinthError } from '@plinth/core';
import {
	encodedImage,
	type ImageCodec,
	type ImageInfo,
	imageFromField,
	probeImage,
	type ReferencedFiles,
	type RequestImage,
	type SentImage,
} from '@plinth/toolkit';
import type { ImageInput } from '../model.ts';
import type { EditBody } from './fields.ts';
import { formatSize, isEqual } from './sizes.ts';

/** Maximum number of pictures in one request. */
export const maxImages = 16;

/** A picture of a request, and the parameter that errors name. */
interface RequestPicture {
	readonly image: RequestImage;
	readonly param: string;
}

/** The pictures of a request before their bytes are loaded. */
export interface RequestInputs {
	/** The field that holds them: `image` or `images`. */
	readonly field: string;
	readonly images: readonly RequestPicture[];
	readonly mask: RequestPicture | undefined;
}

/** The pictures of a request. */
export interface Inputs {
	readonly images: readonly ImageInput[];
	readonly mask: ImageInput | undefined;
}

/**
 * Parses the pictures of a body in every spelling: files, or objects with a data URL, an address or a file
 * id; one or several; under `image` or `images`. Throws 400 errors that name the exact parameter:
 * `images[2].image_url`, `image[1]`, `mask`.
 */
export function findInputs(body: Pick<EditBody, 'image' | 'images' | 'mask'>, files: ReferencedFiles): RequestInputs {
	const { field, values } = findImages(body.image ?? undefined, body.images ?? undefined);
	if (values.length > maxImages) {
		throw invalidValue(field, `${field}: at most ${maxImages} pictures are accepted, but ${values.length} were sent.`);
	}
	const isList = field === 'images' || values.length > 1;
	const images = values.map((value, index) => toRequestPicture(value, isList ? `${field}[${index}]` : field, files));
	const mask = body.mask ?? undefined;
	if (Array.isArray(mask)) throw invalidValue('mask', 'Only one mask is accepted.');
	return {
		field,
		images,
		mask: mask === undefined ? undefined : toRequestPicture(mask, 'mask', files),
	};
}

/** Loads and probes all pictures. Throws 400 errors for unacceptable pictures and for a mask that does not fit. */
export async function readInputs(sent: RequestInputs, codec: ImageCodec, signal: AbortSignal): Promise<Inputs> {
	const failure = new AbortController();
	const combined = AbortSignal.any([signal, failure.signal]);
	const read = (one: RequestPicture) => readInput(one, codec, combined);
	try {
		const [mask, ...images] = await Promise.all([sent.mask && read(sent.mask), ...sent.images.map(read)]);
		if (mask) checkMask(mask, images[0]);
		return { images, mask };
	} catch (error) {
		failure.abort(error);
		throw error;
	}
}

function findImages(image: unknown, images: unknown): { field: string; values: unknown[] } {
	if (image !== undefined && images !== undefined) {
		throw invalidValue('images', 'Send the pictures in image or in images, not in both.');
	}
	const field = images === undefined ? 'image' : 'images';
	const value = image ?? images;
	const values = Array.isArray(value) ? value : value === undefined ? [] : [value];
	if (values.length === 0) {
		throw plinthError('E_VALUE_MISSING', {
			param: field,
			message: `${field}: at least one picture is required.`,
		});
	}
	return { field, values };
}

function toRequestPicture(value: unknown, param: string, files: ReferencedFiles): RequestPicture {
	// A bare data URL is accepted too, because a long one arrives as a file.
	const isUrl = typeof value === 'string' && /^data:/i.test(value);
	return { image: imageFromField(isUrl ? { image_url: value } : value, param, files), param };
}

async function readInput(
	{ image, param }: RequestPicture,
	codec: ImageCodec,
	signal: AbortSignal,
): Promise<ImageInput> {
	const loaded = await image.load(signal);
	return toInput(loaded, await probeImage(loaded, param, codec, signal));
}

function toInput(image: SentImage, info: ImageInfo): ImageInput {
	const { format, width, height, hasAlpha } = info;
	const isFile = isUpload(image);
	return {
		mediaType: `image/${format}`,
		size: isFile ? image.size : image.byteLength,
		width,
		height,
		hasAlpha,
		sha256: isFile ? image.sha256 : createHash('sha256').update(image).digest('hex'),
		source: encodedImage(image),
		// Several calls share the bytes, so each gets a copy. `slice` of a Buffer would not copy.
		bytes: async () => (isFile ? image.bytes() : new Uint8Array(image)),
	};
}

function checkMask(mask: ImageInput, first: ImageInput | undefined): void {
	if (!mask.hasAlpha) {
		throw invalidValue(
			'mask',
			'The mask has no alpha channel. Send a PNG or WebP that is transparent where the picture may change.',
		);
	}
	if (first && !isEqual(mask, first)) {
		throw invalidValue(
			'mask',
			`The mask has ${formatSize(mask)} pixels, but the first picture has ` +
				`${formatSize(first)}. Send a mask of the same size.`,
		);
	}
}
