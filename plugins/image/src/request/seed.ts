import { createHash } from 'node:crypto';
import type { ImageEditRequest, ImageRequest } from '../model.ts';

/** The parts of a request that affect its pictures. Number and format do not. */
export type SeededRequest = Omit<ImageRequest, 'count'> &
	Partial<Pick<ImageEditRequest, 'images' | 'mask' | 'fidelity'>>;

/** The first 32 bits of a SHA-256 over everything that affects the pictures: equal requests make equal pictures. */
export function seedOf(model: string, request: SeededRequest): number {
	const { prompt, size, quality, background, style, steps, images = [], mask, fidelity } = request;
	// JSON separates the parts: no prompt can produce the digest input of another request.
	const text = JSON.stringify([
		model,
		prompt,
		size ? [size.width, size.height] : null,
		quality,
		background,
		style ?? null,
		steps ?? null,
		images.map(({ sha256 }) => sha256),
		mask?.sha256 ?? null,
		fidelity ?? null,
	]);
	return createHash('sha256').update(text).digest().readUInt32BE(0);
}

/** The seed of the picture `index` of a request. */
export function nextSeed(seed: number, index: number): number {
	return (seed + index) >>> 0;
}
