import { after, test } from 'node:test';
import { imageModelSuite } from '@plinth/plugin-image/testing';
import { sharpImages } from '@plinth/sharp';
import { createBackend, createModel } from '@plinth/testing';
import type { ImageCodec } from '@plinth/toolkit';
import { plainPicture } from 'plinth-plain-picture';

const images = await createBackend<ImageCodec>(sharpImages());
after(() => images.stop());

const create = () => createModel(plainPicture());
const supports = { edit: false, deterministic: true };

for (const { name, run } of imageModelSuite({ create, images: images.provided, supports })) {
	test(name, run);
}
