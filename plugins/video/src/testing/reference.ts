import assert from 'node:assert/strict';
import { assertClientError, type ConformanceCase } from '@plinth/testing';
import type { MediaInput } from '../model.ts';
import type { ModelCaseMaker, VideoModelSuiteOptions } from './subject.ts';

/** A picture to start from. */
export function referenceCases(it: ModelCaseMaker, { supports = {} }: VideoModelSuiteOptions): ConformanceCase[] {
	return [
		it('the bytes of a picture to start from stay as they are', async (model, caller) => {
			const bytes = Uint8Array.from(png);
			await caller.make(model, { request: { reference: mediaOf(bytes) } }).catch(assertClientError);
			assert(png.equals(bytes), 'the model has written into them');
		}),
		...(supports.reference
			? [
					it('a picture to start from makes another video', async (model, caller) => {
						const without = await caller.make(model);
						const { bytes } = await caller.make(model, { request: { reference: mediaOf(png) } });
						assert(!bytes.equals(without.bytes), 'it is the video of the words alone');
					}),
				]
			: []),
	];
}

function mediaOf(bytes: Uint8Array): MediaInput {
	return { mediaType: 'image/png', size: bytes.byteLength, bytes: async () => bytes };
}

/** 64 by 64 pixels of one colour. */
const png = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAeklEQVR4nO3PUQkAIBTAwBfHOMY2liH8OITBAtzm7P' +
		'V1wwUNaEEDWtCAFjSgBQ1oQQNa0IAWNKAFDWhBA1rQgBY0oAUNaEEDWtCAFjSgBQ1oQQNa0IAWNKAFDWhBA1rQgBY0' +
		'oAUNaEEDWtCAFjSgBQ1oQQNa0IAWPHYBd/oBLbmWUAcAAAAASUVORK5CYII=',
	'base64',
);
