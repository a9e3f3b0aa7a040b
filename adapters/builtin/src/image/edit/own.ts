import type { Bitmap } from './bitmap.ts';

/**
 * Pixels in memory of their own, which goes to another thread without being copied; a codec's may lie in memory that cannot. The given
 * ones are freed.
 */
export function own({ width, height, data }: Bitmap): Bitmap {
	const copied = new Uint8Array(data);
	free(data);
	return { width, height, data: copied };
}

/**
 * Gives memory back that nobody needs any more. The engine counts it until it collects garbage, and a few pictures would make it do so
 * with every edit.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
	if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Of the memory of pixels and masks, what can be handed over: all that is not shared. */
export function memoryOf(parts: readonly { readonly buffer: ArrayBufferLike }[]): ArrayBuffer[] {
	return parts.flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? buffer : []));
}
