import { after, test } from 'node:test';
import { imageModelSuite } from '@plinth/plugin-image/testing';
import { sharpImages } from '@plinth/sharp';
import { createBackend, createModel } from '@plinth/testing';
import { plainPicture } from 'plinth-plain-picture';

const images = await createBackend(sharpImages());
after(() => images.stop());

const create = () => createModel(plainPicture());
const supports = { edit: false, deterministic: true };

for (const { name, run } of imageModelSuite({ create, images: images.provided, supports })) {
	test(name, run);
}
