import { imageModelSuite } from '@plinth/plugin-image/testing';
import { sharpImages } from '@plinth/sharp';
import { createBackend, createModel } from '@plinth/testing';
import type { ImageCodec } from '@plinth/toolkit';
import { afterAll, expect, test } from 'vitest';
import { plainPicture } from '../src/index.ts';

// The suite encodes and decodes pictures with this backend.
const backend = await createBackend(sharpImages());
afterAll(() => backend.stop());

const suite = imageModelSuite({
	create: () => createModel(plainPicture()),
	images: backend.provided as ImageCodec,
	// What the model promises. Each promise adds cases.
	supports: { edit: false, deterministic: true },
});

for (const { name, run } of suite) test(name, run);

test('an opacity above 1 is refused', async () => {
	await expect(createModel(plainPicture({ opacity: 2 }))).rejects.toThrow('opacity');
});
