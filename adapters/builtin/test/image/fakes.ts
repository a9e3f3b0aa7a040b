import type { Logger } from '@plinth/core';
import type { ImageRequest, ImageRun, Picture } from '@plinth/plugin-image/model';
import type { RawImage } from '@plinth/toolkit';

const quiet = (): void => {};

/** A request for a small picture. */
export function imageRequest(changes: Partial<ImageRequest> = {}): ImageRequest {
	return {
		prompt: 'A lighthouse at dusk',
		count: 1,
		size: { width: 96, height: 64 },
		quality: 'auto',
		background: 'auto',
		format: 'png',
		compression: 100,
		moderation: 'auto',
		...changes,
	};
}

/** The context of a call; `shown` collects the partial images. */
export function imageRun(changes: Partial<ImageRun> = {}): ImageRun & { readonly shown: RawImage[] } {
	const shown: RawImage[] = [];
	const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
	return {
		signal: new AbortController().signal,
		seed: 7,
		partials: 0,
		partial: (picture) => shown.push(rawOf(picture)),
		log,
		shown,
		...changes,
	};
}

/** The raw pixels of a picture; throws if it has none. */
export function rawOf(picture: Picture | undefined): RawImage {
	if (picture && 'data' in picture) return picture;
	throw new Error('The model gave no pixels.');
}

/** The mean difference of two pictures of the same size, from 0 to 1. */
export function distance(a: RawImage, b: RawImage): number {
	let sum = 0;
	for (const [i, part] of a.data.entries()) sum += Math.abs(part - (b.data[i] as number));
	return sum / a.data.length / 255;
}

/** The alpha value at a position, given in fractions of the width and height. */
export function alphaAt({ width, height, data }: RawImage, x: number, y: number): number {
	const column = Math.min(width - 1, Math.floor(x * width));
	return data[(Math.min(height - 1, Math.floor(y * height)) * width + column) * 4 + 3] as number;
}
