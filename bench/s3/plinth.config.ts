import { defineConfig, defineModel, env } from '@plinth/core';
import { type VideoModel, videoModels } from '@plinth/plugin-video/model';
import { z } from 'zod';

const megabyte = 1024 ** 2;
/** The size of a typical socket read. */
const pieceBytes = 65_536;
const piece = Buffer.alloc(pieceBytes, 'plinth');
const start = Buffer.from('\0\0\0\x10ftypisom\0\0\0\0', 'latin1');

/** Responds immediately with a stream of unknown length. `mb=8` in the prompt sets its size in megabytes. */
const streamedVideo = defineModel({
	kind: videoModels,
	name: 'bench.streamed',
	config: z.strictObject({}),
	create: (): VideoModel => ({
		apiVersion: 1,
		async generate({ prompt }) {
			return { body: bytes(Number(/mb=(\d+)/.exec(prompt)?.[1] ?? 8) * megabyte), mediaType: 'video/mp4' };
		},
	}),
});

async function* bytes(size: number): AsyncGenerator<Uint8Array> {
	yield start;
	for (let remaining = size - start.length; remaining > 0; remaining -= pieceBytes) yield piece.subarray(0, remaining);
}

/** The built-in composition with its blobs in a bucket. */
export default defineConfig({
	extends: 'plinth:embedded',
	// All requests use one key, and ten bodies of 512 MB are sent at once.
	server: { drainDelayMs: 0, limits: { inFlightBytes: 8_192 * megabyte } },
	jobs: { concurrency: 10 },
	backends: {
		blobs: { use: '@plinth/s3#s3Blobs', with: { bucket: env('S3_BUCKET'), endpoint: env('S3_ENDPOINT') } },
	},
	models: { 'bench-video': streamedVideo() },
});
