import { videoModelSuite } from '@plinth/plugin-video/testing';
import { sharpImages } from '@plinth/sharp';
import { createBackend } from '@plinth/testing';
import type { ImageCodec } from '@plinth/toolkit';
import { afterAll, test } from 'vitest';
import { createVideoModel } from '../../src/video/model.ts';
import { createVideoThreads } from '../../src/video/threads.ts';

const { provided: images, stop } = await createBackend<ImageCodec>(sharpImages());
// The cases share the threads: starting them per case takes longer than the case.
const threads = createVideoThreads(2);
const model = createVideoModel(threads, images);

afterAll(async () => {
	await Promise.all([threads.close(), stop()]);
});

for (const { name, run } of videoModelSuite({
	create: async () => ({ model, close: async () => {} }),
	supports: { deterministic: true, progress: true, reference: true },
	request: { size: { width: 160, height: 96 } },
})) {
	test(name, run, 60_000);
}
