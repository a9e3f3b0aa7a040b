import type { Bitmap } from './bitmap.ts';

/** Pixels of more bytes than this count when garbage is collected. */
const LARGE = 16_777_216;

/**
 * Pixels in memory of their own, which can go to another thread without being copied; a codec's may lie in memory that cannot.
 * Large ones are handed over, so that they are freed soon. Others are shared: the engine does not count those, and counting 4 MB
 * at a time would make it collect garbage with every edit.
 */
export function own({ width, height, data }: Bitmap): Bitmap {
	const { byteLength } = data;
	const memory =
		byteLength > LARGE ? new ArrayBuffer(byteLength) : new SharedArrayBuffer(byteLength);
	const copied = new Uint8Array(memory);
	copied.set(data);
	return { width, height, data: copied };
}

/** Of the memory of pictures, what has to be handed over: all that is not shared. */
export function memoryOf(pictures: readonly Bitmap[]): readonly ArrayBuffer[] {
	return pictures.flatMap(({ data: { buffer } }) => (buffer instanceof ArrayBuffer ? buffer : []));
}
