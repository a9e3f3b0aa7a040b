import { after, test } from 'node:test';
import { createBackend } from '@plinth/core/testing';
import { imageModelSuite } from '@plinth/plugin-image/testing';
import { sharpImages } from '@plinth/sharp';
import { plainPicture } from 'plinth-plain-picture';

const images = await createBackend(sharpImages());
after(() => images.stop());

const { definition } = plainPicture();
const create = async () => ({
	model: definition.create({ config: definition.config.parse({}) }),
	close: async () => {},
});
const supports = { edit: false, deterministic: true };

for (const { name, run } of imageModelSuite({ create, images: images.provided, supports })) {
	test(name, run);
}
