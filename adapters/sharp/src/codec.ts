import {
	type EncodedImage,
	type EncodeOptions,
	type FitOptions,
	type ImageCodec,
	type ImageInfo,
	type ImageLayer,
	type RawImage,
	Semaphore,
	type TranscodedImage,
	type TranscodeOptions,
} from '@plinth/core';
import sharp, { type Sharp } from 'sharp';
import { decodingError, maxPixels, maxSeconds } from './failures.ts';
import { type Input, inputFromBytes, inputFromFile } from './input.ts';
import { weigh } from './weight.ts';

const transparent = { r: 0, g: 0, b: 0, alpha: 0 };
const bytesPerPixel = 4;

/** Pictures that weigh more than this are heavy: 64 MiB. */
const maxLight = 67_108_864;

/**
 * `ImageCodec` on sharp. Everything that is read ends as 8-bit sRGB with alpha, turned upright and without metadata; of an animation
 * the first frame counts. At most `concurrency` images are worked on at the same time, and of the heavy ones at most one is decoded.
 */
export class SharpCodec implements ImageCodec {
	readonly #places: Semaphore;
	readonly #heavy = new Semaphore(1);

	constructor(concurrency: number) {
		this.#places = new Semaphore(concurrency);
	}

	async probe(image: EncodedImage, signal?: AbortSignal): Promise<ImageInfo> {
		return this.#places.run(async () => check(await inputFrom(image)), signal);
	}

	async fit(
		image: EncodedImage | RawImage,
		options: FitOptions,
		signal?: AbortSignal,
	): Promise<RawImage> {
		assertSize(options.width, options.height);
		if ('data' in image) {
			return this.#places.run(() => resize(fromPixels(image), options), signal);
		}
		const input = await inputFrom(image);
		const work = () => this.#places.run(() => decode(() => fitPixels(input, options)), signal);
		const isHeavy = await this.#places.run(() => decode(() => isHeavyToTurn(input)), signal);
		return isHeavy ? this.#heavy.run(work, signal) : work();
	}

	async transcode(
		image: EncodedImage,
		options: TranscodeOptions,
		signal?: AbortSignal,
	): Promise<TranscodedImage> {
		const { width, height } = options.fit ?? (await this.probe(image, signal));
		const pixels = await this.fit(image, options.fit ?? { width, height, mode: 'fill' }, signal);
		const data = await this.encode(pixels, options, signal);
		return { data, width: pixels.width, height: pixels.height };
	}

	async composite(
		base: RawImage,
		layers: readonly ImageLayer[],
		signal?: AbortSignal,
	): Promise<RawImage> {
		return this.#places.run(async () => {
			const { data } = await fromPixels(base)
				.composite(
					layers.map(({ image, x, y }) => ({
						input: Buffer.from(image.data.buffer, image.data.byteOffset, image.data.byteLength),
						raw: { width: image.width, height: image.height, channels: bytesPerPixel },
						left: x,
						top: y,
					})),
				)
				.raw()
				.toBuffer({ resolveWithObject: true });
			return { width: base.width, height: base.height, data };
		}, signal);
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

function open({ source }: Input): Sharp {
	return sharp(source, {
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

/**
 * Decodes every row once, in little memory: a heavy picture would need too much of it, and shows its damage only when it is used. To
 * next to nothing in size, so that JPEG and WebP are made smaller while they are decoded.
 */
function check(input: Input): Promise<ImageInfo> {
	return decode(async () => {
		const metadata = await open(input).metadata();
		if (weigh(input.head, metadata) <= maxLight) {
			await open(input).resize(8, 8, { fit: 'fill' }).raw().toBuffer();
		}
		const { width, height } = metadata.autoOrient;
		return { format: input.format, width, height, hasAlpha: metadata.hasAlpha };
	});
}

/** Turning a picture upright by EXIF needs all of its pixels at once. */
async function isHeavyToTurn(input: Input): Promise<boolean> {
	const metadata = await open(input).metadata();
	const { width, height, channels, orientation = 1 } = metadata;
	const turned = orientation > 1 ? width * height * channels : 0;
	return weigh(input.head, metadata) + turned > maxLight;
}

function inputFrom(image: EncodedImage): Input | Promise<Input> {
	return 'path' in image ? inputFromFile(image.path) : inputFromBytes(image);
}

function fromPixels({ width, height, data }: RawImage): Sharp {
	return sharp(data, { raw: { width, height, channels: bytesPerPixel } }).timeout({
		seconds: maxSeconds,
	});
}

function fitPixels(input: Input, options: FitOptions): Promise<RawImage> {
	return resize(open(input).autoOrient(), options);
}

async function resize(from: Sharp, options: FitOptions): Promise<RawImage> {
	const { data, info } = await from
		.resize(options.width, options.height, { fit: options.mode, background: transparent })
		.toColourspace('srgb')
		.ensureAlpha()
		.raw({ depth: 'uchar' })
		.toBuffer({ resolveWithObject: true });
	return { width: info.width, height: info.height, data };
}

async function encodePixels(image: RawImage, options: EncodeOptions): Promise<Uint8Array> {
	const pixels = options.opaque
		? fromPixels(image).flatten({ background: '#ffffff' })
		: fromPixels(image);
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
