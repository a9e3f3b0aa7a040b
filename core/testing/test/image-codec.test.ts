import { sharpImages } from '@plinth/sharp';
import { createBackend, imageCodecSuite } from '@plinth/testing';
import { type EncodedImage, type ImageCodec, type ImageLayer, mediaError, type RawImage } from '@plinth/toolkit';
import { describe, expect, test } from 'vitest';
import { type Sabotage, testSabotage } from './sabotage.ts';

const suite = (spoil: (right: ImageCodec) => ImageCodec) =>
	imageCodecSuite({
		async create() {
			const { provided, stop } = await createBackend<ImageCodec>(sharpImages());
			return { codec: spoil(provided), close: stop };
		},
	});

/** The pixels, each changed. */
function changed(image: RawImage, change: (channel: number, value: number, alpha: number) => number): RawImage {
	const alphaOf = (index: number) => image.data[index - (index % 4) + 3] ?? 0;
	const data = image.data.map((value, index) => change(index % 4, value, alphaOf(index)));
	return { ...image, data };
}

const multiplied = (image: RawImage) =>
	changed(image, (channel, value, alpha) => (channel === 3 ? value : (value * alpha) / 255));

/** Composites with other layers than requested. */
const withLayers =
	(change: (layers: readonly ImageLayer[], base: RawImage) => readonly ImageLayer[]) =>
	(right: ImageCodec): Partial<ImageCodec> => ({
		composite: (base, layers, signal) => right.composite(base, change(layers, base), signal),
	});

const isFile = (image: EncodedImage | RawImage) => 'path' in image;

const wrong: Sabotage<ImageCodec>[] = [
	[
		'alpha that is always there',
		(right) => ({
			probe: async (...call) => ({ ...(await right.probe(...call)), hasAlpha: true }),
		}),
		'probe returns whether there is an alpha channel',
	],
	[
		'a size from before the rotation',
		(right) => ({
			async probe(...call) {
				const { width, height, ...info } = await right.probe(...call);
				const [short, long] = [Math.min(width, height), Math.max(width, height)];
				return { ...info, width: long, height: short };
			},
		}),
		'probe returns the size after EXIF rotation',
	],
	[
		'files that are never read',
		(right) => ({
			fit: (image, options) => {
				const { width, height } = options;
				const blank = { width, height, data: new Uint8Array(width * height * 4) };
				return isFile(image) ? Promise.resolve(blank) : right.fit(image, options);
			},
		}),
		'a file is fitted as its bytes are',
	],
	[
		'a view that is taken for its whole buffer',
		(right) => ({
			probe: (image) => right.probe(image instanceof Uint8Array ? new Uint8Array(image.buffer) : image),
		}),
		'a picture is read from the middle of a larger buffer',
	],
	[
		'a signal that is ignored',
		(right) => ({ encode: (image, options) => right.encode(image, options) }),
		'encode rejects with the reason of an aborted signal',
	],
	[
		'a probe that believes the header',
		(right) => ({
			probe: (image, signal) =>
				right.probe(image, signal).catch(() => ({
					format: 'png',
					width: 80,
					height: 60,
					hasAlpha: false,
				})),
		}),
		'a png that was cut off is unreadable',
	],
	[
		'the first frame of an animation',
		(right) => ({
			fit: (image, options, signal) =>
				right.fit(image, options, signal).catch(() => ({ width: 8, height: 8, data: new Uint8Array(256) })),
		}),
		'an animation is unreadable',
	],
	[
		'one code for everything',
		(right) => ({
			probe: (image, signal) =>
				right.probe(image, signal).catch((cause: unknown) => {
					throw mediaError('E_IMAGE_UNREADABLE', { cause });
				}),
		}),
		'more than 50 megapixels are too large',
	],
	[
		'a cover that distorts',
		(right) => ({
			fit: (image, options, signal) => right.fit(image, { ...options, mode: 'fill' }, signal),
		}),
		'contain shows all of pixels and pads with transparency',
	],
	[
		'colours that are multiplied',
		(right) => ({ fit: async (...call) => multiplied(await right.fit(...call)) }),
		'colours of half transparent pixels are not multiplied',
	],
	[
		'opaque that is ignored',
		(right) => ({
			encode: (image, { opaque: _opaque, ...options }, signal) => right.encode(image, options, signal),
		}),
		'opaque puts white behind a png',
	],
	[
		'black behind a JPEG',
		(right) => ({
			encode: (image, options, signal) => {
				const onBlack = changed(multiplied(image), (channel, value) => (channel === 3 ? 255 : value));
				return right.encode(options.format === 'jpeg' ? onBlack : image, options, signal);
			},
		}),
		'JPEG has white in transparent places',
	],
	[
		'one quality for all',
		(right) => ({
			encode: (image, options, signal) => right.encode(image, { ...options, quality: 80 }, signal),
		}),
		'more quality gives a larger jpeg, from 0 to 100',
	],
	[
		'a transcode that keeps the size',
		(right) => ({
			transcode: (image, { fit: _fit, ...options }, signal) => right.transcode(image, options, signal),
		}),
		'transcode to webp resizes on request, and returns the size',
	],
	[
		'a transcode that hands on what has the format already',
		(right) => ({
			async transcode(image, options, signal) {
				const made = await right.transcode(image, options, signal);
				const isDone = image instanceof Uint8Array && !options.fit && options.format === 'jpeg';
				return isDone ? { ...made, data: image } : made;
			},
		}),
		'transcode to jpeg turns upright and drops metadata',
	],
	[
		'opacity that is ignored',
		withLayers((layers) => layers.map(({ opacity: _opacity, ...layer }) => layer)),
		'opacity mixes a layer with what is below',
	],
	['layers upside down', withLayers((layers) => layers.toReversed()), 'a later layer covers an earlier one'],
	[
		'layers that are pushed inside',
		withLayers((layers) => layers.map((layer) => ({ ...layer, x: Math.max(0, layer.x), y: Math.max(0, layer.y) }))),
		'a layer over the left and upper border covers exactly what lies below it',
	],
	[
		'layers that must fit in',
		withLayers((layers, base) =>
			layers.filter(
				({ image, x, y }) => x >= 0 && y >= 0 && x + image.width <= base.width && y + image.height <= base.height,
			),
		),
		'a layer over the right and lower border covers exactly what lies below it',
	],
	[
		'a result that is multiplied with its alpha',
		(right) => ({ composite: async (...call) => multiplied(await right.composite(...call)) }),
		'the result is not multiplied with its alpha',
	],
	[
		'layers that are drawn into the base',
		(right) => ({
			async composite(base, layers, signal) {
				base.data.set((await right.composite(base, layers, signal)).data);
				return base;
			},
		}),
		'base and layers stay as they are',
	],
	[
		'a base that is handed back',
		(right) => ({
			composite: async (base, layers, signal) => (layers.length === 0 ? base : right.composite(base, layers, signal)),
		}),
		'without layers the result is a copy of the base',
	],
];

describe('imageCodecSuite', () => testSabotage(wrong, suite));

test('the suite names every case once', () => {
	const names = suite((right) => right).map(({ name }) => name);
	expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
