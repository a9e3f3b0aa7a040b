import { unsupportedValue } from '@plinth/core';
import type { ImageEditRequest, ImageInput } from '@plinth/plugin-image/model';
import type { ImageCodec } from '@plinth/toolkit';
import type { FormPart } from '../upstream/request.ts';
import type { ImageDialect } from './dialects.ts';
import { whiteMask } from './mask.ts';

/** The pictures of an edit as parts of a form. Throws 400 when the server needs a mask and there is none. */
export async function pictureParts(
	{ images: inputs, mask }: ImageEditRequest,
	dialect: ImageDialect,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<FormPart[]> {
	if (dialect.edits.needsMask && !mask) {
		throw unsupportedValue('mask', 'This model changes only the area that a mask selects. Send a mask.');
	}
	const { one, many } = dialect.inputs;
	const name = inputs.length > 1 ? many : one;
	const parts = await Promise.all(
		inputs.map((input, index) => picturePart(name, `image-${index + 1}`, input, { dialect, images, signal })),
	);
	return mask && dialect.mask ? [...parts, await maskPart(mask, dialect.mask, images, signal)] : parts;
}

interface PartTools {
	readonly dialect: ImageDialect;
	readonly images: ImageCodec;
	readonly signal: AbortSignal;
}

async function picturePart(
	name: string,
	stem: string,
	{ mediaType, source }: ImageInput,
	{ dialect, images, signal }: PartTools,
): Promise<FormPart> {
	if (mediaType !== 'image/webp' || dialect.inputs.webp) {
		return { name, file: source, filename: `${stem}.${mediaType.slice('image/'.length)}`, mediaType };
	}
	const { data } = await images.transcode(source, { format: 'png' }, signal);
	return { name, file: data, filename: `${stem}.png`, mediaType: 'image/png' };
}

async function maskPart(
	mask: ImageInput,
	{ name, opens }: NonNullable<ImageDialect['mask']>,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<FormPart> {
	const file = opens === 'white' ? await whiteMask(mask, images, signal) : mask.source;
	const mediaType = opens === 'white' ? 'image/png' : mask.mediaType;
	return { name, file, filename: `mask.${mediaType.slice('image/'.length)}`, mediaType };
}
