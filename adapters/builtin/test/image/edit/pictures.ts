import type { ImageEditRequest, ImageInput, ImageSize } from '@plinth/plugin-image/model';
import { sharpImages } from '@plinth/sharp';
import { createBackend } from '@plinth/testing';
import type { ImageCodec, RawImage } from '@plinth/toolkit';
import { afterAll } from 'vitest';
import { edit } from '../../../src/image/edit/edit.ts';
import { imageRequest, imageRun, rawOf } from '../fakes.ts';

const { provided: images, stop } = await createBackend<ImageCodec>(sharpImages());
afterAll(stop);

export type Pixel = readonly [number, number, number, number];

/** Draws a picture from a function of the coordinates. */
export function paint(width: number, height: number, color: (x: number, y: number) => Pixel): RawImage {
	const data = new Uint8Array(width * height * 4);
	for (let at = 0; at < width * height; at++) data.set(color(at % width, Math.floor(at / width)), at * 4);
	return { width, height, data };
}

/** Four quarters, clockwise from the top left: red, green, blue, yellow. */
export function quarters(width = 60, height = 40): RawImage {
	return paint(width, height, (x, y) => {
		const isLeft = x < width / 2;
		if (y < height / 2) return isLeft ? [200, 40, 40, 255] : [40, 160, 40, 255];
		return isLeft ? [220, 200, 40, 255] : [40, 40, 200, 255];
	});
}

/** A dark disc in the middle of a light background. */
export function disc(side = 60): RawImage {
	const isDisc = (x: number, y: number) => Math.hypot(x - side / 2 + 0.5, y - side / 2 + 0.5) < side / 4;
	return paint(side, side, (x, y) => (isDisc(x, y) ? [90, 30, 30, 255] : [230, 235, 240, 255]));
}

export function at({ width, data }: RawImage, x: number, y: number): readonly number[] {
	return [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

/** A picture as the image plugin passes it to a model. */
export async function inputOf(picture: RawImage): Promise<ImageInput> {
	const source = await images.encode(picture, { format: 'png' });
	const { width, height } = picture;
	const file = { size: source.length, sha256: '', source, bytes: async () => source };
	return { mediaType: 'image/png', width, height, hasAlpha: true, ...file };
}

export type Changes = Partial<Omit<ImageEditRequest, 'size' | 'images' | 'mask'>> & {
	readonly size?: ImageSize;
	readonly images?: readonly RawImage[];
	readonly mask?: RawImage;
};

/** Edits a picture. Defaults to {@link quarters} at its own size. */
export async function edited(prompt: string, changes: Changes = {}, run = imageRun(), codec = images) {
	const { images: pictures = [quarters()], mask, ...rest } = changes;
	const { size: _, ...plain } = imageRequest({ prompt });
	const inputs = await Promise.all(pictures.map(inputOf));
	const request = { ...plain, fidelity: 'high', images: inputs, ...rest } as const;
	const result = await edit(codec, mask ? { ...request, mask: await inputOf(mask) } : request, run);
	const words = result.images[0]?.revisedPrompt;
	return { picture: rawOf(result.images[0]), words, warnings: result.warnings ?? [], quality: result.quality };
}

export { images };
