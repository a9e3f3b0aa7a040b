import { setImmediate as turn } from 'node:timers/promises';
import type { ImageInput } from '@plinth/plugin-image/model';
import type { ImageCodec } from '@plinth/toolkit';

/** Bytes processed per tick of the event loop. */
const sliceBytes = 16_777_216;

/** Converts a mask with a transparent editable area to one with a white editable area: a PNG of the same size. */
export async function whiteMask(mask: ImageInput, images: ImageCodec, signal: AbortSignal): Promise<Uint8Array> {
	const { width, height, source } = mask;
	const pixels = await images.fit(source, { width, height, mode: 'fill' }, signal);
	const { data } = pixels;
	for (let at = 0; at < data.length; at += 4) {
		if (at % sliceBytes === 0) await turn();
		const light = 255 - (data[at + 3] ?? 0);
		// Single assignments: fifty million calls of `fill` would block the event loop.
		data[at] = light;
		data[at + 1] = light;
		data[at + 2] = light;
		data[at + 3] = 255;
	}
	return images.encode(pixels, { format: 'png', opaque: true }, signal);
}
