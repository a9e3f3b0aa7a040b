import type {
	ImageEditRequest,
	ImageInput,
	ImageModel,
	ImageRequest,
	ImageResult,
	Picture,
} from '@plinth/plugin-image/model';
import { sharpImages } from '@plinth/sharp';
import { createBackend, silentLogger } from '@plinth/testing';
import type { ImageCodec, RawImage } from '@plinth/toolkit';
import { afterAll } from 'vitest';

/** An image codec that stops after the tests of the file. */
export async function codec(): Promise<ImageCodec> {
	const { provided, stop } = await createBackend<ImageCodec>(sharpImages());
	afterAll(stop);
	return provided;
}

/** Draws pixels by a function of the coordinates. */
export function paint(
	width: number,
	height: number,
	color: (x: number, y: number) => readonly [number, number, number, number],
): RawImage {
	const data = new Uint8Array(width * height * 4);
	for (let at = 0; at < width * height; at++) {
		data.set(color(at % width, Math.floor(at / width)), at * 4);
	}
	return { width, height, data };
}

/** A different picture for each seed. */
export function colors(width: number, height: number, seed: number): RawImage {
	return paint(width, height, (x, y) => [(x * 3 + seed) % 256, (y * 5 + seed) % 256, seed % 256, 255]);
}

/** A picture as a model receives it. */
export async function inputOf(
	images: ImageCodec,
	pixels: RawImage,
	format: 'png' | 'webp' = 'png',
): Promise<ImageInput> {
	const bytes = await images.encode(pixels, { format });
	return {
		mediaType: `image/${format}`,
		size: bytes.length,
		width: pixels.width,
		height: pixels.height,
		hasAlpha: true,
		sha256: '0'.repeat(64),
		source: bytes,
		bytes: async () => bytes,
	};
}

/** A request for one picture. */
export function imageRequest(part: Partial<ImageRequest> = {}): ImageRequest {
	return {
		prompt: 'a cat',
		count: 1,
		quality: 'auto',
		background: 'auto',
		format: 'png',
		compression: 100,
		moderation: 'auto',
		...part,
	};
}

/** The result of a call and its partial images. */
export interface Made extends ImageResult {
	readonly shown: readonly { readonly image: number; readonly picture: Picture }[];
}

/** Calls a model; a request with pictures is an edit. */
export async function make(
	model: ImageModel,
	request: ImageRequest | ImageEditRequest,
	{ partials = 0, signal = new AbortController().signal } = {},
): Promise<Made> {
	const shown: { image: number; picture: Picture }[] = [];
	const run = {
		signal,
		seed: 7,
		partials,
		partial: (picture: Picture, image = 0) => void shown.push({ image, picture }),
		log: silentLogger(),
	};
	const result = 'images' in request ? await model.edit?.(request, run) : await model.generate?.(request, run);
	if (!result) throw new Error('The model does not do that.');
	return { ...result, shown };
}
