import {
	type EncodeOptions,
	type FitOptions,
	type ImageCodec,
	type ImageFormat,
	type ImageInfo,
	plinthError,
	type RawImage,
	Semaphore,
} from '@plinth/core';
import sharp, { type Sharp } from 'sharp';
import { decodingError, maxBytes, maxPixels, maxSeconds } from './failures.ts';
import { sniffFormat } from './sniff.ts';

const transparent = { r: 0, g: 0, b: 0, alpha: 0 };
const bytesPerPixel = 4;

/**
 * `ImageCodec` on sharp. Everything that is read ends as 8-bit sRGB with alpha, turned upright and without metadata; of an animation
 * the first frame counts. At most `concurrency` images are worked on at the same time.
 */
export class SharpCodec implements ImageCodec {
	readonly #places: Semaphore;

	constructor(concurrency: number) {
		this.#places = new Semaphore(concurrency);
	}

	async probe(image: Uint8Array, signal?: AbortSignal): Promise<ImageInfo> {
		const format = acceptedFormat(image);
		const metadata = await this.#places.run(() => decode(() => open(image).metadata()), signal);
		const { width, height } = metadata.autoOrient;
		return { format, width, height, hasAlpha: metadata.hasAlpha };
	}

	async fit(image: Uint8Array, options: FitOptions, signal?: AbortSignal): Promise<RawImage> {
		acceptedFormat(image);
		assertSize(options.width, options.height);
		return this.#places.run(() => decode(() => fitPixels(image, options)), signal);
	}

	async encode(image: RawImage, options: EncodeOptions, signal?: AbortSignal): Promise<Uint8Array> {
		assertSize(image.width, image.height);
		if (image.data.byteLength !== image.width * image.height * bytesPerPixel) {
			throw new RangeError(
				`${image.data.byteLength} bytes are not ${image.width}x${image.height} RGBA pixels.`,
			);
		}
		return this.#places.run(() => encodePixels(image, options), signal);
	}
}

/** Decides before any decoder sees the bytes. */
function acceptedFormat(image: Uint8Array): ImageFormat {
	if (image.byteLength > maxBytes) {
		throw plinthError('E_IMAGE_TOO_LARGE', {
			message: `The image has more than ${maxBytes.toLocaleString('en')} bytes.`,
		});
	}
	const format = sniffFormat(image);
	if (!format) throw plinthError('E_IMAGE_UNREADABLE');
	return format;
}

function open(image: Uint8Array): Sharp {
	return sharp(image, {
		limitInputPixels: maxPixels,
		failOn: 'error',
		pages: 1,
		sequentialRead: true,
	}).timeout({ seconds: maxSeconds });
}

async function decode<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw decodingError(error);
	}
}

async function fitPixels(image: Uint8Array, options: FitOptions): Promise<RawImage> {
	const { data, info } = await open(image)
		.autoOrient()
		.resize(options.width, options.height, { fit: options.mode, background: transparent })
		.toColourspace('srgb')
		.ensureAlpha()
		.raw({ depth: 'uchar' })
		.toBuffer({ resolveWithObject: true });
	return { width: info.width, height: info.height, data };
}

async function encodePixels(image: RawImage, options: EncodeOptions): Promise<Uint8Array> {
	const { width, height, data } = image;
	const pixels = sharp(data, { raw: { width, height, channels: bytesPerPixel } }).timeout({
		seconds: maxSeconds,
	});
	switch (options.format) {
		case 'png':
			return pixels.png({ compressionLevel: options.effort ?? 6 }).toBuffer();
		case 'jpeg':
			return encodeJpeg(pixels, options.quality ?? 90);
		case 'webp':
			// Above effort 2 time doubles for a few percent of size.
			return pixels.webp({ quality: positive(options.quality ?? 80), effort: 2 }).toBuffer();
	}
}

/** JPEG has no alpha: what is transparent becomes white, as on a page. */
function encodeJpeg(pixels: Sharp, quality: number): Promise<Uint8Array> {
	const chromaSubsampling = quality >= 90 ? '4:4:4' : '4:2:0';
	return pixels
		.flatten({ background: '#ffffff' })
		.jpeg({ quality: positive(quality), chromaSubsampling })
		.toBuffer();
}

/** The contract's scale starts at 0, libvips' at 1. */
function positive(quality: number): number {
	return Math.max(1, quality);
}

function assertSize(width: number, height: number): void {
	const whole = Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0;
	if (!whole || width * height > maxPixels) {
		throw new RangeError(`${width}x${height} is not a size of 1 to ${maxPixels} pixels.`);
	}
}
