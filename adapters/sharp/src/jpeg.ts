import { open } from 'node:fs/promises';

/** The marker EOI (ITU-T T.81 §B.1.1.3), which never appears among coded pixels. */
const endMarker = Buffer.from([0xff, 0xd9]);

const sliceBytes = 131_072;

/**
 * Whether a JPEG has an end marker. Without one it is truncated, which a decoder would notice only at the
 * last pixels. Searches backwards, because the marker is near the end, possibly before appended data.
 */
export async function hasEndMarker(image: Uint8Array | string): Promise<boolean> {
	if (typeof image === 'string') return fileHasEndMarker(image);
	return Buffer.from(image.buffer, image.byteOffset, image.byteLength).lastIndexOf(endMarker) >= 0;
}

async function fileHasEndMarker(path: string): Promise<boolean> {
	const file = await open(path);
	try {
		const slice = Buffer.alloc(sliceBytes);
		let end = (await file.stat()).size;
		while (end > 1) {
			const start = Math.max(0, end - sliceBytes);
			const { bytesRead } = await file.read(slice, 0, end - start, start);
			if (slice.subarray(0, bytesRead).lastIndexOf(endMarker) >= 0) return true;
			// The marker may span two slices.
			end = start === 0 ? 0 : start + 1;
		}
		return false;
	} finally {
		await file.close();
	}
}
