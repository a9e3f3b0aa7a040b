import { isPlinthError, modelError, unsupportedValue } from '@plinth/core';
import type { EncodeOptions, FitOptions, ImageCodec, ImageFormat, RawImage } from '@plinth/toolkit';
import type { ImageAbilities, ImageSize, Picture } from '../model.ts';
import { fitting, formatSize } from '../request/sizes.ts';
import { formatOf } from './magic.ts';

/** What the client asked for, as far as it concerns a picture that is there. */
export interface Finish {
	readonly format: ImageFormat;
	/** 0 to 100. */
	readonly compression: number;
	readonly background: 'transparent' | 'opaque' | 'auto';
	/** In pixels; absent: whatever the model made. */
	readonly size?: ImageSize | undefined;
	readonly abilities: ImageAbilities;
}

/** A picture as the client gets it. */
export interface FinishedPicture extends ImageSize {
	readonly data: Uint8Array;
	/** Whether anything of it is see-through. */
	readonly isTransparent: boolean;
}

/**
 * Brings a picture into the format, size and background that were asked for. A file that is already all of that passes through as
 * it is. Rejects with a `modelError` for a file that cannot be read.
 */
export async function finishPicture(
	picture: Picture,
	finish: Finish,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<FinishedPicture> {
	try {
		return await ('data' in picture
			? finishPixels(picture, finish, images, signal)
			: finishFile(picture.body, finish, images, signal));
	} catch (error) {
		if (!isPlinthError(error) || error.spec.status !== 400 || error.param !== undefined)
			throw error;
		// The codec takes every picture for a client's; this one is the model's.
		throw modelError(`The model made a picture that cannot be used: ${error.message}`, error);
	}
}

/** zlib's level for a compression of 100 (large file, little work) to 0 (small file, much work): 3 to 9. */
export function pngEffort(compression: number): number {
	return Math.round(9 - (compression * 6) / 100);
}

async function finishPixels(
	made: RawImage,
	finish: Finish,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<FinishedPicture> {
	const fit = fitting(finish.abilities, made, finish.size);
	const pixels = fit ? await images.fit(made, fit, signal) : made;
	const { width, height } = pixels;
	const isTransparent = keepsAlpha(finish) && hasTransparency(pixels.data);
	const data = await encodePixels(pixels, encoding(finish, isTransparent), images, signal);
	return { data, width, height, isTransparent };
}

async function finishFile(
	body: Uint8Array,
	finish: Finish,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<FinishedPicture> {
	const { width, height, hasAlpha } = await images.probe(body, signal);
	const fit = fitting(finish.abilities, { width, height }, finish.size);
	const mayBeTransparent = keepsAlpha(finish) && (hasAlpha || fit?.mode === 'contain');
	const isRight = formatOf(body) === finish.format && !fit && (!hasAlpha || keepsAlpha(finish));
	if (!isRight && !mayBeTransparent) {
		const options = { ...encoding(finish, false), ...(fit ? { fit } : {}) };
		return { ...(await images.transcode(body, options, signal)), isTransparent: false };
	}
	if (!mayBeTransparent) return { data: body, width, height, isTransparent: false };
	// Only the pixels tell: many files have an alpha channel in which nothing is see-through.
	const decode: FitOptions = fit ?? { width, height, mode: 'fill' };
	const pixels = await images.fit(body, decode, signal);
	const isTransparent = hasTransparency(pixels.data);
	const data = isRight
		? body
		: await encodePixels(pixels, encoding(finish, isTransparent), images, signal);
	return { data, width: pixels.width, height: pixels.height, isTransparent };
}

/** Formats have sides of their own that they cannot pass: that is the client's choice, and not a fault of the model. */
async function encodePixels(
	pixels: RawImage,
	options: EncodeOptions,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<Uint8Array> {
	try {
		return await images.encode(pixels, options, signal);
	} catch (error) {
		if (!isPlinthError(error) || error.code !== 'E_IMAGE_TOO_LARGE') throw error;
		throw unsupportedValue(
			'output_format',
			`A picture of ${formatSize(pixels)} pixels cannot be stored as ${options.format}: ${error.message}`,
		);
	}
}

/** What is nowhere see-through is stored without alpha, in fewer bytes and less time. */
function encoding({ format, compression }: Finish, isTransparent: boolean): EncodeOptions {
	return {
		format,
		...(format === 'png' ? { effort: pngEffort(compression) } : { quality: compression }),
		...(isTransparent ? {} : { opaque: true }),
	};
}

function keepsAlpha({ format, background }: Finish): boolean {
	return format !== 'jpeg' && background !== 'opaque';
}

function hasTransparency(data: Uint8Array): boolean {
	for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return true;
	return false;
}
