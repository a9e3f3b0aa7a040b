import type { ImageModel } from '@plinth/plugin-image/model';
import { imageModelSuite } from '@plinth/plugin-image/testing';
import { sharpImages } from '@plinth/sharp';
import { createBackend } from '@plinth/testing';
import type { ImageCodec } from '@plinth/toolkit';
import { afterAll, test } from 'vitest';
import { createEditor, createEditPool } from '../../src/image/edit/editor.ts';
import { createDrawPool, createGenerator } from '../../src/image/model.ts';

const { provided: images, stop } = await createBackend<ImageCodec>(sharpImages());
// Shared by the cases: a thread for each of them would take longer than what it does.
const [drawers, editors] = [createDrawPool(1), createEditPool(1)];

afterAll(async () => {
	await Promise.all([drawers.close(), editors.close(), stop()]);
});

const model: ImageModel = {
	apiVersion: 1,
	abilities: { count: 1 },
	generate: createGenerator(drawers),
	edit: createEditor({ images, pool: editors }),
};

for (const { name, run } of imageModelSuite({
	create: async () => ({ model, close: async () => {} }),
	images,
	supports: { deterministic: true, transparency: true, mask: true, partials: true },
})) {
	test(name, run, 60_000);
}
