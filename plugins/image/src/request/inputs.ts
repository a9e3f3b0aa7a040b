import { createHash } from 'node:crypto';
import { invalidValue, isUpload, plinthError } from '@plinth/core';
import {
	encodedImage,
	type FoundImage,
	type ImageCodec,
	type ImageInfo,
	type NamedFiles,
	probeSent,
	type SentImage,
	sentImage,
} from '@plinth/toolkit';
import type { ImageInput } from '../model.ts';
import type { EditBody } from './fields.ts';
import { formatSize, isEqual } from './sizes.ts';

/** Most pictures of one request. */
export const maxImages = 16;

/** A picture that was sent, and the parameter that names it in errors. */
interface Sent {
	readonly image: FoundImage;
	readonly param: string;
}

/** The pictures of a request before anybody has looked at their bytes, or brought them from elsewhere. */
export interface SentInputs {
	/** The field that holds them: `image` or `images`. */
	readonly field: string;
	readonly images: readonly Sent[];
	readonly mask: Sent | undefined;
}

/** The pictures of a request. */
export interface Inputs {
	readonly images: readonly ImageInput[];
	readonly mask: ImageInput | undefined;
}

/**
 * Finds the pictures in a body, in every spelling: files and objects with a data URL, an address or the id of a stored file, one or several, under
 * `image` or `images`. Throws 400 errors that name the exact parameter: `images[2].image_url`, `image[1]`, `mask`.
 */
export function findInputs(
	body: Pick<EditBody, 'image' | 'images' | 'mask'>,
	named: NamedFiles,
): SentInputs {
	const { field, values } = findImages(body.image ?? undefined, body.images ?? undefined);
	if (values.length > maxImages) {
		throw invalidValue(
			field,
			`At most ${maxImages} pictures are taken in ${field}, but ${values.length} were sent.`,
		);
	}
	const isList = field === 'images' || values.length > 1;
	const images = values.map((value, index) =>
		find(value, isList ? `${field}[${index}]` : field, named),
	);
	const mask = body.mask ?? undefined;
	if (Array.isArray(mask)) throw invalidValue('mask', 'Only one mask is taken.');
	return { field, images, mask: mask === undefined ? undefined : find(mask, 'mask', named) };
}

/** Brings all pictures, and looks at their bytes. Throws 400 errors for what is no acceptable picture and for a mask that does not fit. */
export async function readInputs(
	sent: SentInputs,
	codec: ImageCodec,
	signal: AbortSignal,
): Promise<Inputs> {
	const stop = new AbortController();
	const either = AbortSignal.any([signal, stop.signal]);
	const read = (one: Sent) => readInput(one, codec, either);
	try {
		const [mask, ...images] = await Promise.all([
			sent.mask && read(sent.mask),
			...sent.images.map(read),
		]);
		if (mask) checkMask(mask, images[0]);
		return { images, mask };
	} catch (error) {
		stop.abort(error);
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

function find(value: unknown, param: string, named: NamedFiles): Sent {
	// A bare data URL is taken too: a long one arrives as a file, and a short one should not be worse off.
	const isUrl = typeof value === 'string' && /^data:/i.test(value);
	return { image: sentImage(isUrl ? { image_url: value } : value, param, named), param };
}

async function readInput(
	{ image, param }: Sent,
	codec: ImageCodec,
	signal: AbortSignal,
): Promise<ImageInput> {
	const brought = await image.bring(signal);
	return toInput(brought, await probeSent(brought, param, codec, signal));
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
		// A copy of bytes in memory, which several calls of a model share; `slice` of a Buffer would be none.
		bytes: async () => (isFile ? image.bytes() : new Uint8Array(image)),
	};
}

function checkMask(mask: ImageInput, first: ImageInput | undefined): void {
	if (!mask.hasAlpha) {
		throw invalidValue(
			'mask',
			'The mask has no alpha channel, so it marks nothing. Send a PNG or WebP that is transparent where the picture may change.',
		);
	}
	if (first && !isEqual(mask, first)) {
		throw invalidValue(
			'mask',
			`The mask has ${formatSize(mask)} pixels, but the first picture has ${formatSize(first)}. Send a mask of the same size.`,
		);
	}
}
