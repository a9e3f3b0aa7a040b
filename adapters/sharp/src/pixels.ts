import type { FitOptions, ImageLayer, RawImage } from '@plinth/toolkit';
import sharp, { type Sharp } from 'sharp';
import { maxPixels, maxSeconds } from './failures.ts';

const bytesPerPixel = 4;
const transparent = { r: 0, g: 0, b: 0, alpha: 0 };
const white = '#ffffff';

/** A pipeline from raw pixels, which are not copied. Throws a RangeError when their number does not match the size. */
export function fromPixels({ width, height, data }: RawImage): Sharp {
	assertSize(width, height);
	if (data.byteLength !== width * height * bytesPerPixel) {
		throw new RangeError(`${data.byteLength} bytes are not ${width}x${height} RGBA pixels.`);
	}
	return sharp(data, { raw: { width, height, channels: bytesPerPixel } }).timeout({
		seconds: maxSeconds,
	});
}

/** The pixels at the end of a pipeline. */
export async function rawFrom(pipeline: Sharp): Promise<RawImage> {
	const { data, info } = await pipeline
		.toColourspace('srgb')
		.ensureAlpha()
		.raw({ depth: 'uchar' })
		.toBuffer({ resolveWithObject: true });
	return { width: info.width, height: info.height, data };
}

/** Resizes a pipeline; the padding of `contain` is transparent, or white. */
export function resized(pipeline: Sharp, options: FitOptions, isOpaque = false): Sharp {
	const { width, height, mode } = options;
	const background = isOpaque ? white : transparent;
	return pipeline.resize(width, height, { fit: mode, background });
}

/** Draws layers over a picture, in order. */
export async function compositeLayers(base: RawImage, layers: readonly ImageLayer[]): Promise<RawImage> {
	const background = fromPixels(base);
	const visible = await Promise.all(layers.map((layer) => overlay(base, layer)));
	return rawFrom(background.composite(visible.filter((layer) => layer !== undefined)));
}

/** The visible part of a layer: libvips accepts none that is larger than the base. */
async function overlay(base: RawImage, { image, opacity = 1, ...position }: ImageLayer) {
	if (!(opacity >= 0 && opacity <= 1)) throw new RangeError(`${opacity} is not an opacity from 0 to 1.`);
	const [x, y] = [Math.round(position.x), Math.round(position.y)];
	const [left, top] = [Math.max(0, x), Math.max(0, y)];
	const width = Math.min(base.width, x + image.width) - left;
	const height = Math.min(base.height, y + image.height) - top;
	const pixels = fromPixels(image);
	// Also false when an offset is NaN.
	if (!(width > 0 && height > 0) || opacity === 0) return undefined;
	const isWhole = width === image.width && height === image.height;
	const cut = isWhole ? pixels : pixels.extract({ left: left - x, top: top - y, width, height });
	// libvips truncates: adding 0.5 rounds.
	if (opacity < 1) cut.linear([1, 1, 1, opacity], [0, 0, 0, 0.5]);
	const input = isWhole && opacity === 1 ? bufferOf(image.data) : await cut.raw().toBuffer();
	return { input, raw: { width, height, channels: bytesPerPixel }, left, top } as const;
}

/** The same memory as a Buffer, which sharp requires. */
function bufferOf(data: Uint8Array): Buffer {
	return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

/** Throws a RangeError for an invalid size, which is a mistake of the caller. */
export function assertSize(width: number, height: number): void {
	const isValid = Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0;
	if (!isValid || width * height > maxPixels) {
		throw new RangeError(`${width}x${height} is not a size of 1 to ${maxPixels} pixels.`);
	}
}
