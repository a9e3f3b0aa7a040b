import type { Logger } from '@plinth/core';
import type { VideoRequest, VideoRun } from '@plinth/plugin-video/model';
import type { ImageCodec, ImageFormat, RawImage } from '@plinth/toolkit';

const quiet = (): void => {};

/** A codec that returns the same striped picture for each input and records its calls. */
export function fakeImages() {
	const fitted: string[] = [];
	const encoded: Partial<Record<ImageFormat, RawImage>> = {};
	const codec: ImageCodec & { readonly fitted: string[]; readonly encoded: typeof encoded } = {
		fitted,
		encoded,
		probe: async () => ({ format: 'png', width: 64, height: 64, hasAlpha: false }),
		fit: async (_image, { width, height, mode }) => {
			fitted.push(`${mode} ${width}x${height}`);
			const data = new Uint8Array(width * height * 4).fill(255);
			for (let i = 0; i < width * height; i++) {
				data.fill((i % width) % 16 < 8 ? 40 : 220, i * 4, i * 4 + 3);
			}
			return { width, height, data };
		},
		encode: async (image, { format }) => {
			encoded[format] = image;
			return new TextEncoder().encode(format);
		},
		transcode: () => Promise.reject(new Error('not used')),
		composite: () => Promise.reject(new Error('not used')),
	};
	return codec;
}

/** A request for a small, short video. */
export function request(changes: Partial<VideoRequest> = {}): VideoRequest {
	return {
		prompt: 'A lighthouse at dusk',
		seconds: 2,
		size: { width: 160, height: 96 },
		...changes,
	};
}

/** The context of an attempt; `fractions` collects its progress. */
export function fakeRun(changes: Partial<VideoRun> = {}): VideoRun & { readonly fractions: number[] } {
	const fractions: number[] = [];
	const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
	return {
		signal: new AbortController().signal,
		progress: (fraction) => fractions.push(fraction),
		checkpoint: async () => {},
		seed: 7,
		key: 'key-1',
		log,
		fractions,
		...changes,
	};
}

/** One box of an MP4. */
export interface Box {
	readonly name: string;
	readonly bytes: Uint8Array;
}

/** Lists the boxes of an MP4, or of a container box. */
export function boxesOf(bytes: Uint8Array): readonly Box[] {
	const boxes: Box[] = [];
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	for (let at = 0; at + 8 <= bytes.length; ) {
		const size = view.getUint32(at) || bytes.length - at;
		const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
		boxes.push({ name, bytes: bytes.subarray(at + 8, at + size) });
		at += size;
	}
	return boxes;
}
