import assert from 'node:assert/strict';
import type { ImageLayer } from '@plinth/toolkit';
import type { ConformanceCase } from '../conformance.ts';
import { assertPixel, assertSize, type CodecCase, colours, type Pixel, pixelAt, raw } from './subject.ts';

const { red, green, blue, clear } = colours;
const square = raw(4, 4, blue);

/** Positions of a 4x4 layer on a 10x8 base, and the pixels it covers: first and last column and row. */
const places = [
	['in the middle', [3, 2], [3, 6], [2, 5]],
	['over the left and upper border', [-2, -1], [0, 1], [0, 2]],
	['over the right and lower border', [8, 6], [8, 9], [6, 7]],
] as const;

const outside = [
	['left of', -4, 2],
	['right of', 10, 2],
	['above', 3, -4],
	['below', 3, 8],
	['far away from', -1_000_000, 1_000_000],
] as const;

/** Cases on drawing pictures over each other. */
export function compositeCases(it: CodecCase): ConformanceCase[] {
	const base = raw(10, 8, red);
	return [
		...places.map(([name, [x, y], columns, rows]) =>
			it(`a layer ${name} covers exactly what lies below it`, async ({ codec }) => {
				const result = await codec.composite(base, [{ image: square, x, y }]);
				assertSize(result, 10, 8);
				const isCovered = (left: number, top: number) =>
					left >= columns[0] && left <= columns[1] && top >= rows[0] && top <= rows[1];
				const expected = raw(10, 8, (left, top) => (isCovered(left, top) ? blue : red));
				assert.deepEqual(Buffer.from(result.data), Buffer.from(expected.data));
			}),
		),
		...outside.map(([where, x, y]) =>
			it(`a layer ${where} the base is not seen`, async ({ codec }) => {
				const result = await codec.composite(base, [{ image: square, x, y }]);
				assertSize(result, 10, 8);
				assert.deepEqual(Buffer.from(result.data), Buffer.from(base.data));
			}),
		),
		it('a layer may be larger than the base, and is cut at its edges', async ({ codec }) => {
			const image = raw(30, 30, (x, y) => (x === 12 && y === 13 ? green : blue));
			const result = await codec.composite(base, [{ image, x: -10, y: -10 }]);
			assertSize(result, 10, 8);
			assertPixel(result, [2, 3], green);
			assertPixel(result, [9, 7], blue);
		}),
		it('opacity mixes a layer with what is below', async ({ codec }) => {
			for (const [opacity, expected] of [
				[1, blue],
				[0.5, [128, 0, 128, 255]],
				[0.25, [191, 0, 64, 255]],
				[0, red],
			] as const) {
				const result = await codec.composite(base, [{ image: square, x: 0, y: 0, opacity }]);
				assertPixel(result, [1, 1], expected);
				assertPixel(result, [8, 7], red);
			}
		}),
		it('opacity also applies to a layer that exceeds the base', async ({ codec }) => {
			const result = await codec.composite(base, [{ image: square, x: -2, y: -2, opacity: 0.5 }]);
			assertPixel(result, [1, 1], [128, 0, 128, 255]);
			assertPixel(result, [2, 2], red);
		}),
		it("opacity comes on top of a layer's own transparency", async ({ codec }) => {
			const image = raw(4, 4, [0, 0, 255, 128]);
			const result = await codec.composite(base, [{ image, x: 0, y: 0, opacity: 0.5 }]);
			assertPixel(result, [1, 1], [191, 0, 64, 255], 3);
		}),
		it('the result is not multiplied with its alpha', async ({ codec }) => {
			const half: Pixel = [200, 100, 50, 128];
			const below = raw(10, 8, clear);
			const result = await codec.composite(below, [{ image: raw(4, 4, half), x: 0, y: 0 }]);
			assertPixel(result, [1, 1], half);
			assertPixel(result, [8, 7], clear);
			const two = await codec.composite(raw(10, 8, half), [{ image: square, x: 0, y: 0 }]);
			assertPixel(two, [1, 1], blue);
			assertPixel(two, [8, 7], half);
		}),
		it('two transparent layers add up', async ({ codec }) => {
			const layer = (colour: Pixel): ImageLayer => ({ image: raw(4, 4, colour), x: 0, y: 0 });
			const layers = [layer([255, 0, 0, 128]), layer([0, 0, 255, 128])];
			const result = await codec.composite(raw(4, 4, clear), layers);
			assertPixel(result, [1, 1], [85, 0, 170, 192], 3);
		}),
		it('a later layer covers an earlier one', async ({ codec }) => {
			const layer = (colour: Pixel, x: number) => ({ image: raw(4, 4, colour), x, y: 0 });
			const result = await codec.composite(base, [layer(blue, 0), layer(green, 2)]);
			const row = [0, 2, 5, 6].map((x) => pixelAt(result, x, 1));
			assert.deepEqual(row, [blue, green, green, red]);
		}),
		it('there may be hundreds of layers', async ({ codec }) => {
			const dot = raw(1, 1, green);
			const layers = Array.from({ length: 300 }, (_, i) => ({ image: dot, x: i % 20, y: Math.floor(i / 20) }));
			const result = await codec.composite(raw(20, 16, red), layers);
			const expected = raw(20, 16, (_, y) => (y < 15 ? green : red));
			assert.deepEqual(Buffer.from(result.data), Buffer.from(expected.data));
		}),
		it('the same picture may be several layers', async ({ codec }) => {
			const layers = [0, 6].map((x) => ({ image: square, x, y: 0 }));
			const result = await codec.composite(base, layers);
			const row = [0, 5, 6].map((x) => pixelAt(result, x, 1));
			assert.deepEqual(row, [blue, red, blue]);
		}),
		it('base and layers stay as they are', async ({ codec }) => {
			const below = raw(10, 8, red);
			const image = raw(4, 4, blue);
			const layers = [{ image, x: -1, y: 1, opacity: 0.5 }];
			const result = await codec.composite(below, layers);
			result.data.fill(7);
			assert.deepEqual([below, image], [raw(10, 8, red), raw(4, 4, blue)]);
		}),
		it('without layers the result is a copy of the base', async ({ codec }) => {
			const below = raw(10, 8, red);
			const result = await codec.composite(below, []);
			assertSize(result, 10, 8);
			assert.deepEqual(Buffer.from(result.data), Buffer.from(below.data));
			result.data.fill(7);
			assert.deepEqual(below, raw(10, 8, red));
		}),
	];
}
