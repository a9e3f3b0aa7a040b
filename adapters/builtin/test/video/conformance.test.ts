import { videoModelSuite } from '@plinth/plugin-video/testing';
import { sharpImages } from '@plinth/sharp';
import { createBackend } from '@plinth/testing';
import type { ImageCodec } from '@plinth/toolkit';
import { afterAll, test } from 'vitest';
import { createVideoModel } from '../../src/video/model.ts';
import { createVideoThreads } from '../../src/video/threads.ts';

const { provided: images, stop } = await createBackend<ImageCodec>(sharpImages());
// Shared by the cases: threads for each of them would take longer than what they do.
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
