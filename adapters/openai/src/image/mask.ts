import type { ImageCodec } from '@plinth/core';
import type { ImageInput } from '@plinth/plugin-image/model';

/** A mask whose see-through parts may change, as one whose white parts may. A PNG of the same size. */
export async function whiteMask(
	mask: ImageInput,
	images: ImageCodec,
	signal: AbortSignal,
): Promise<Uint8Array> {
	const { width, height, source } = mask;
	const pixels = await images.fit(source, { width, height, mode: 'fill' }, signal);
	const { data } = pixels;
	for (let at = 0; at < data.length; at += 4) {
		const light = 255 - (data[at + 3] ?? 0);
		data.fill(light, at, at + 3);
		data[at + 3] = 255;
	}
	return images.encode(pixels, { format: 'png', opaque: true }, signal);
}
