import assert from 'node:assert/strict';
import type { ImageCodec, ImageFormat, RawImage } from '@plinth/toolkit';
import type { CaseMaker, Subject } from '../conformance.ts';

/** A codec that no other case uses. */
export interface ImageCodecSubject extends Subject {
	readonly codec: ImageCodec;
}

/** Makes the cases of a codec. */
export type CodecCase = CaseMaker<ImageCodecSubject>;

/** All formats of the port. */
export const formats: readonly ImageFormat[] = ['png', 'jpeg', 'webp'];

/** Red, green, blue, alpha. */
export type Pixel = readonly [number, number, number, number];

/** Opaque colours by name. */
export const colours = {
	red: [255, 0, 0, 255],
	green: [0, 255, 0, 255],
	blue: [0, 0, 255, 255],
	yellow: [255, 255, 0, 255],
	white: [255, 255, 255, 255],
	black: [0, 0, 0, 255],
	clear: [0, 0, 0, 0],
} as const satisfies Readonly<Record<string, Pixel>>;

/** Pixels of one colour, or of a colour for each position. */
export function raw(width: number, height: number, pixel: Pixel | ((x: number, y: number) => Pixel)): RawImage {
	const data = new Uint8Array(width * height * 4);
	for (let index = 0; index < width * height; index++) {
		const [x, y] = [index % width, Math.floor(index / width)];
		data.set(typeof pixel === 'function' ? pixel(x, y) : pixel, index * 4);
	}
	return { width, height, data };
}

/** Four coloured quarters, clockwise from the top left: red, green, blue, yellow. */
export function quarters(width = 40, height = 20): RawImage {
	const { red, green, blue, yellow } = colours;
	return raw(width, height, (x, y) => {
		const [isLeft, isTop] = [x < width / 2, y < height / 2];
		return isTop ? (isLeft ? red : green) : isLeft ? yellow : blue;
	});
}

/** Random pixels, which no encoder can compress. */
export function noise(width: number, height: number): RawImage {
	let state = 1;
	const next = () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state >>> 24;
	};
	return raw(width, height, () => [next(), next(), next(), 255]);
}

/** One pixel. */
export function pixelAt({ width, data }: RawImage, x: number, y: number): Pixel {
	const at = (y * width + x) * 4;
	const [r = 0, g = 0, b = 0, a = 0] = data.subarray(at, at + 4);
	return [r, g, b, a];
}

/** Checks one pixel: each channel is within `tolerance`. The colours of transparent pixels are not compared. */
export function assertPixel(image: RawImage, [x, y]: readonly [number, number], expected: Pixel, tolerance = 2): void {
	const actual = pixelAt(image, x, y);
	const differences = actual.map((value, channel) => Math.abs(value - (expected[channel] ?? 0)));
	const compared = expected[3] === 0 ? differences.slice(3) : differences;
	assert.ok(Math.max(...compared) <= tolerance, `(${x}, ${y}) is ${actual} and not ${expected}`);
}

/** The names of the colours near the corners, clockwise from the top left. */
export function corners(image: RawImage): string[] {
	const [right, bottom] = [image.width - 2, image.height - 2];
	const places = [[1, 1] as const, [right, 1] as const, [right, bottom] as const, [1, bottom] as const];
	return places.map(([x, y]) => nameOf(pixelAt(image, x, y)));
}

/** Checks that a picture has a size and shows {@link quarters}. */
export function assertQuarters(image: RawImage, width: number, height: number): void {
	assertSize(image, width, height);
	assert.deepEqual(corners(image), ['red', 'green', 'blue', 'yellow']);
}

function nameOf(pixel: Pixel): string {
	const distance = (other: Pixel) => Math.hypot(...other.map((value, i) => value - (pixel[i] ?? 0)));
	const [first] = Object.entries(colours).sort((a, b) => distance(a[1]) - distance(b[1]));
	return first?.[0] ?? 'none';
}

/** Checks the size, and that the number of bytes matches it. */
export function assertSize(image: RawImage, width: number, height: number): void {
	const { data, ...size } = image;
	assert.deepEqual(size, { width, height });
	assert.equal(data.length, width * height * 4);
}
