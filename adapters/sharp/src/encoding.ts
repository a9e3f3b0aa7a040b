import type { EncodeOptions } from '@plinth/toolkit';
import type { Sharp } from 'sharp';

/** Whether the encoded picture is opaque: on request, or because JPEG has no alpha. */
export function isOpaque({ format, opaque = false }: EncodeOptions): boolean {
	return opaque || format === 'jpeg';
}

/** Adds the encoding to a pipeline, in 8-bit sRGB. An opaque picture has its transparency flattened onto white. */
export function encodeAs(pipeline: Sharp, options: EncodeOptions): Sharp {
	const pixels = pipeline.toColourspace('srgb');
	const flattened = isOpaque(options) ? pixels.flatten({ background: '#ffffff' }) : pixels;
	switch (options.format) {
		case 'png':
			// Above level 3, the time doubles and saves a few percent of size.
			return flattened.png({ compressionLevel: options.effort ?? 3 });
		case 'jpeg':
			return encodeAsJpeg(flattened, options.quality ?? 90);
		case 'webp':
			// Above effort 2, the time doubles and saves a few percent of size.
			return flattened.webp({ quality: atLeastOne(options.quality ?? 80), effort: 2 });
	}
}

function encodeAsJpeg(pixels: Sharp, quality: number): Sharp {
	const chromaSubsampling = quality >= 90 ? '4:4:4' : '4:2:0';
	return pixels.jpeg({ quality: atLeastOne(quality), chromaSubsampling });
}

/** `ImageCodec` counts quality from 0, libvips from 1. */
function atLeastOne(quality: number): number {
	return Math.max(1, quality);
}
