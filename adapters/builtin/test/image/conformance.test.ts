import type { ImageModel } from '@plinth/plugin-image/model';
import { imageModelSuite } from '@plinth/plugin-image/testing';
import { sharpImages } from '@plinth/sharp';
import { createBackend } from '@plinth/testing';
import type { ImageCodec, RawImage } from '@plinth/toolkit';
import { afterAll, test } from 'vitest';
import { edit } from '../../src/image/edit/edit.ts';
import { createGenerator } from '../../src/image/generate.ts';
import type { DrawJob } from '../../src/image/worker.ts';
import { Threads } from '../../src/threads.ts';

const { provided: images, stop } = await createBackend<ImageCodec>(sharpImages());
// The cases share one thread: starting one per case takes longer than the case.
const threads = new Threads<DrawJob, RawImage>({
	file: new URL('../../src/image/worker.ts', import.meta.url),
	threads: 1,
});

afterAll(async () => {
	await Promise.all([threads.close(), stop()]);
});

const model: ImageModel = {
	apiVersion: 1,
	abilities: { count: 1 },
	generate: createGenerator({ images, threads }),
	edit: (...call) => edit(images, ...call),
};

for (const { name, run } of imageModelSuite({
	create: async () => ({ model, close: async () => {} }),
	images,
	supports: { deterministic: true, transparency: true, mask: true, partials: true },
})) {
	test(name, run, 60_000);
}
