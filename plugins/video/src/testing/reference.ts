import assert from 'node:assert/strict';
import { assertClientError, type ConformanceCase } from '@plinth/testing';
import type { MediaInput } from '../model.ts';
import type { ModelCaseMaker, VideoModelSuiteOptions } from './subject.ts';

/** Cases about the reference picture. */
export function referenceCases(it: ModelCaseMaker, { supports = {} }: VideoModelSuiteOptions): ConformanceCase[] {
	return [
		it('the model does not change the bytes of the reference picture', async (model, caller) => {
			const bytes = Uint8Array.from(png);
			await caller.make(model, { request: { reference: mediaOf(bytes) } }).catch(assertClientError);
			assert(png.equals(bytes), 'the model changed the bytes');
		}),
		...(supports.reference
			? [
					it('a reference picture changes the video', async (model, caller) => {
						const without = await caller.make(model);
						const { bytes } = await caller.make(model, { request: { reference: mediaOf(png) } });
						assert(!bytes.equals(without.bytes), 'the video is the same as without the picture');
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
