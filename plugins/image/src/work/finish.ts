import { isPlinthError, modelError, unsupportedValue } from '@plinth/core';
import type { EncodeOptions, FitOptions, ImageCodec, ImageFormat, RawImage } from '@plinth/toolkit';
import type { ImageAbilities, ImageSize, Picture } from '../model.ts';
import { fitOptionsFor, formatSize } from '../request/sizes.ts';
import { withoutMetadata } from './metadata.ts';

/** The requested properties of a finished picture. */
export interface FinishOptions {
	readonly format: ImageFormat;
	/** 0 to 100. */
	readonly compression: number;
	readonly background: 'transparent' | 'opaque' | 'auto';
	/** In pixels; absent: as generated. */
	readonly size?: ImageSize | undefined;
	readonly abilities: ImageAbilities;
}

type EncodedPicture = Exclude<Picture, RawImage>;

/** A finished picture. */
export interface FinishedPicture extends ImageSize {
	readonly data: Uint8Array;
	/** Whether any pixel is transparent. */
	readonly isTransparent: boolean;
}

/**
 * Converts a picture to the requested format, size and background. A file that already matches is returned
 * unchanged. Rejects with a `modelError` for a file that cannot be read.
 */
export async function finishPicture(
	picture: Picture,
	finish: FinishOptions,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<FinishedPicture> {
	try {
		return await ('data' in picture
			? finishPixels(picture, finish, images, signal)
			: finishFile(picture, finish, images, signal));
	} catch (error) {
		if (!isPlinthError(error) || error.spec.status !== 400 || error.param !== undefined) throw error;
		// The codec reports a client error, but this picture is the model's.
		throw modelError(`The model returned a picture that cannot be used: ${error.message}`, error);
	}
}

/** zlib's level for a compression of 100 (large file, little work) to 0 (small file, much work): 3 to 9. */
export function pngEffort(compression: number): number {
	return Math.round(9 - (compression * 6) / 100);
}

async function finishPixels(
	made: RawImage,
	finish: FinishOptions,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<FinishedPicture> {
	const fit = fitOptionsFor(finish.abilities, made, finish.size);
	const pixels = fit ? await images.fit(made, fit, signal) : made;
	const { width, height } = pixels;
	const isTransparent = keepsAlpha(finish) && hasTransparency(pixels.data);
	const data = await encodePixels(pixels, encoding(finish, isTransparent), images, signal);
	return { data, width, height, isTransparent };
}

async function finishFile(
	{ body, dropMetadata = false }: EncodedPicture,
	finish: FinishOptions,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<FinishedPicture> {
	const { format, width, height, hasAlpha } = await images.probe(body, signal);
	const fit = fitOptionsFor(finish.abilities, { width, height }, finish.size);
	const needsAlpha = finish.background === 'transparent';
	const mayBeTransparent = keepsAlpha(finish) && (hasAlpha || needsAlpha || fit?.mode === 'contain');
	const isMatching = format === finish.format && !fit && (hasAlpha ? keepsAlpha(finish) : !needsAlpha);
	if (!isMatching && !mayBeTransparent) {
		const options = { ...encoding(finish, false), ...(fit ? { fit } : {}) };
		return { ...(await images.transcode(body, options, signal)), isTransparent: false };
	}
	const unchanged = () => (dropMetadata ? withoutMetadata(body, format) : body);
	if (!mayBeTransparent) return { data: unchanged(), width, height, isTransparent: false };
	// Only the pixels show whether it is transparent: many files have an opaque alpha channel.
	const decode: FitOptions = fit ?? { width, height, mode: 'fill' };
	const pixels = await images.fit(body, decode, signal);
	const isTransparent = hasTransparency(pixels.data);
	const data = isMatching ? unchanged() : await encodePixels(pixels, encoding(finish, isTransparent), images, signal);
	return { data, width: pixels.width, height: pixels.height, isTransparent };
}

/** Encodes pixels. A size that the format cannot hold is the client's error, not the model's. */
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

/** Opaque pictures are stored without alpha, in fewer bytes and less time, unless a transparent one was requested. */
function encoding({ format, compression, background }: FinishOptions, isTransparent: boolean): EncodeOptions {
	return {
		format,
		...(format === 'png' ? { effort: pngEffort(compression) } : { quality: compression }),
		...(isTransparent || background === 'transparent' ? {} : { opaque: true }),
	};
}

function keepsAlpha({ format, background }: FinishOptions): boolean {
	return format !== 'jpeg' && background !== 'opaque';
}

function hasTransparency(data: Uint8Array): boolean {
	for (let index = 3; index < data.length; index += 4) if (data[index] !== 255) return true;
	return false;
}
