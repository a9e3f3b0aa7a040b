import type { Bitmap } from './bitmap.ts';

/** Pixels in shared memory, which go between threads without being copied; those that lie there already stay. */
export function share({ width, height, data }: Bitmap): Bitmap {
	return { width, height, data: shareBytes(data) };
}

/** Bytes in shared memory. */
export function shareBytes(data: Uint8Array): Uint8Array {
	if (data.buffer instanceof SharedArrayBuffer) return data;
	const shared = new Uint8Array(new SharedArrayBuffer(data.byteLength));
	shared.set(data);
	return shared;
}
