import { errorOf } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { storedFiles, webPictures } from '../../../test/support/stored-files.ts';
import { answerOf, dataUrl, formOf, harness } from './harness.ts';
import { file, pixels } from './pictures.ts';

const first = file('png', pixels(64, 48, [1, 1, 1, 255]));
const second = file('jpeg', pixels(32, 32, [2, 2, 2, 255]));
const mask = file('png', pixels(64, 48, [0, 0, 0, 0]));
const address = 'https://example.org/a.png';

const backends = {
	files: storedFiles({ first, second, mask, text: 'no picture' }),
	web: webPictures({ [address]: first, 'https://example.org/page': '<html>' }),
};

/** The bytes that the model received, with the mask last. */
async function shown(body: Record<string, unknown> | FormData) {
	const h = await harness({ backends });
	const paint = h.model.edit;
	const seen: Buffer[] = [];
	h.model.edit = async (request, run) => {
		for (const image of [...request.images, ...(request.mask ? [request.mask] : [])]) {
			seen.push(Buffer.from(await image.bytes()));
		}
		return paint(request, run);
	};
	await answerOf(await h.editing(body));
	return seen;
}

describe('the pictures of an edit', () => {
	it('may be stored files, in JSON', async () => {
		const images = [{ file_id: 'first' }, { image_url: dataUrl(second) }, { file_id: 'second' }];
		expect(await shown({ images, mask: { file_id: 'mask' } })).toEqual([first, second, second, mask]);
		expect(await shown({ image: { file_id: 'first', image_url: null } })).toEqual([first]);
	});

	it('may be stored files, in a form', async () => {
		const form = formOf(['image[file_id]', 'first'], ['mask[file_id]', 'mask'], ['prompt', 'a hat']);
		expect(await shown(form)).toEqual([first, mask]);
	});

	it('may be fetched from URLs', async () => {
		expect(await shown({ images: [{ image_url: address }, { image_url: address }] })).toEqual([first, first]);
	});

	it.each<readonly [object, string, string]>([
		[{ images: [{ file_id: 'first' }, { file_id: 'nothing' }] }, 'invalid_value', 'images[1].file_id'],
		[{ image: { file_id: { toString: 'x' } } }, 'invalid_type', 'image.file_id'],
		[{ image: { file_id: ['first', 'second'] } }, 'invalid_type', 'image.file_id'],
		[{ image: { file_id: 'first', image_url: address } }, 'invalid_value', 'image'],
		[{ image: { file_id: 'text' } }, 'invalid_image', 'image'],
		[{ image: { file_id: 'first' }, mask: { file_id: 'second' } }, 'invalid_value', 'mask'],
		[{ image: { file_id: 'first' }, mask: { file_id: 'x' } }, 'invalid_value', 'mask.file_id'],
		[{ image: { image_url: 'https://example.org/page' } }, 'invalid_image', 'image'],
		[{ image: { image_url: 'ftp://example.org/a.png' } }, 'invalid_value', 'image.image_url'],
		[{ image: address }, 'invalid_type', 'image'],
	])('are rejected with their parameter: %j', async (body, code, param) => {
		const h = await harness({ backends });
		const failure = await errorOf(await h.editing(body as Record<string, unknown>));
		expect(failure).toMatchObject({ status: 400, code, param });
		expect(h.edits).toEqual([]);
	});
});
