import { createRequire } from 'node:module';
import type { ImageSize } from '@plinth/plugin-image/model';
import type { RawImage } from '@plinth/toolkit';
import sharp, { type Sharp } from 'sharp';
import type { Edit } from './command.ts';

// Applies to the whole process, as in @plinth/sharp. A cache is useless, because no picture is used twice.
sharp.cache(false);

export const transparent = '#00000000';

const fontfile = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf');

/** Characters that the typeface lacks: it covers Latin, Greek, Cyrillic, Armenian, Arabic, Georgian and many signs. */
const missing = /[^ -\u058f\u0600-\u06ff\u10a0-\u10ff\u1e00-\u22ff\u2500-\u27bf]/gu;

/** Writes a text with a shadow, by default at the bottom. */
export async function write({ picture, image, args, value, warn }: Edit): Promise<Sharp | string> {
	const { text = '', color = 'white' } = args;
	const supported = text.replace(missing, '');
	if (supported !== text) warn('The text leaves out characters that the built-in typeface does not have.');
	if (supported.trim() === '') return 'nothing is left to write';
	const room = scaled(picture, 0.9);
	const area = room.width * room.height;
	const size = Math.ceil(Math.min(value || Math.sqrt(area) * 0.08, Math.sqrt(area / supported.length)));
	const style = { font: `DejaVu Sans Bold ${size}`, fontfile, dpi: 72, rgba: true, align: 'centre' } as const;
	const letters = supported.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
	const markup = `<span foreground="${color}" fallback="false">${letters}</span>`;
	const drawn = await pixelsOf(sharp({ text: { ...style, text: markup, width: room.width, wrap: 'word-char' } }));
	const front = await pixelsOf(pipeline(drawn).resize({ ...room, fit: 'inside', withoutEnlargement: true }));
	const shade = color === 'black' ? 255 : 0;
	const shadow = await pixelsOf(pipeline(front).linear([0, 0, 0, 1], [shade, shade, shade, 0]));
	const { left, top } = positionOf(picture, front, { y: args.x === undefined ? 1 : 0, ...args }, picture.height * 0.05);
	const depth = Math.ceil(size / 24);
	const below = { ...layer(shadow), left: left + depth, top: top + depth };
	return image.composite([below, { ...layer(front), left, top }]);
}

/** The position of a part in a picture, `margin` pixels from the sides. */
function positionOf(outer: ImageSize, inner: ImageSize, { x = 0, y = 0 }: Edit['args'], margin = 0) {
	const along = (room: number, at: number) => Math.round((room * (at + 1)) / 2 - at * Math.min(margin, room / 2));
	return { left: along(outer.width - inner.width, x), top: along(outer.height - inner.height, y) };
}

/** Resizes to a size, a share or a width. */
export function resize({ picture, image, args, value, unit, warn }: Edit): Sharp {
	const target = args.size ?? scaled(picture, unit === '%' ? value / 100 : value / picture.width);
	return image.resize({ ...limited(target, warn), fit: 'cover' });
}

/** Crops to a size, to a share, or to the largest part with a ratio. */
export function crop({ picture, image, args, value }: Edit): Sharp {
	const { size, ratio = picture.width / picture.height } = args;
	const high = Math.min(picture.height, picture.width / ratio) * ((value || 100) / 100);
	const target = size ?? scaled({ width: high * ratio, height: high }, 1);
	const part = { width: Math.min(picture.width, target.width), height: Math.min(picture.height, target.height) };
	return image.extract({ ...part, ...positionOf(picture, part, args) });
}

/** Rotates clockwise. The new corners are transparent, or have a colour. */
export function rotate({ picture, image, value, args: { x, color = transparent }, warn }: Edit): Sharp {
	const { width, height } = picture;
	// At any other angle, the result is at most as large as the square of the diagonal.
	const pixels = (8_294_400 * width * height) / (width ** 2 + height ** 2);
	const small = value % 90 === 0 ? image : image.resize(limited(picture, warn, pixels));
	return small.rotate(value * (x || 1), { background: color });
}

/** Multiplies red, green and blue around a centre. libvips truncates: adding 0.5 rounds. */
export function toned({ image, value }: Edit, gains: readonly number[], centre = 0): Sharp {
	const changes = gains.map((gain) => (gain * value) / 100);
	const offsets = changes.map((change) => 0.5 - centre * change);
	return image.linear([...changes.map((change) => 1 + change), 1], [...offsets, 0]);
}

/** Draws an input picture over a share of the picture. */
export async function overlay({ picture, image, args, value, sizes, decode }: Edit): Promise<Sharp> {
	const index = (args.input as number) - 1;
	const own = sizes[index] as ImageSize;
	const by = (value / 100) * Math.min(picture.width / own.width, picture.height / own.height);
	const above = await decode(index, scaled(own, by));
	return image.composite([{ ...layer(above), ...positionOf(picture, above, args, picture.height * 0.03) }]);
}

/** Draws all pictures in a row of equal cells. */
export async function sideBySide({ picture, image, sizes, decode, warn }: Edit): Promise<Sharp> {
	const { width, height } = limited({ ...picture, width: picture.width * sizes.length }, warn);
	const cell = { width: Math.max(1, Math.floor(width / sizes.length)), height };
	const first = await pixelsOf(image.resize({ ...cell, fit: 'contain', background: transparent }));
	const others = await Promise.all(sizes.slice(1).map((_, index) => decode(index + 1, cell)));
	const cells = [first, ...others].map((part, index) => ({ ...layer(part), left: index * cell.width, top: 0 }));
	return sharp({ create: { width, height, channels: 4, background: transparent } }).composite(cells);
}

/** A length in pixels, or as a share of the shorter side; always less than half of that side. */
function lengthOf({ picture: { width, height }, value, unit }: Edit): number {
	const side = Math.min(width, height);
	return Math.min(Math.round(unit === '%' ? (value / 100) * side : value), Math.floor((side - 1) / 2));
}

/** Draws a border along the inside of the sides. */
export function border(edit: Edit): Sharp {
	const { width, height } = edit.picture;
	const side = lengthOf(edit);
	const edges = { left: side, top: side, right: side, bottom: side, background: edit.args.color ?? 'black' };
	return edit.image.extract({ ...edges, width: width - 2 * side, height: height - 2 * side }).extend(edges);
}

/** Rounds the corners: outside of a quarter of a circle they become transparent. */
export function roundCorners(edit: Edit): Sharp {
	const { width, height, data } = edit.picture;
	const radius = lengthOf(edit);
	const pixels = new Uint8Array(data);
	for (let y = 0; y < radius; y++) {
		const cut = radius - Math.sqrt(radius ** 2 - (radius - y - 0.5) ** 2);
		for (let x = 0; x < cut; x++) {
			const corners = [y, height - 1 - y].flatMap((row) => [row * width + x, (row + 1) * width - 1 - x]);
			for (const at of corners) pixels[at * 4 + 3] = (data[at * 4 + 3] as number) * Math.max(0, x + 1 - cut);
		}
	}
	return pipeline({ width, height, data: pixels });
}

/** Darkens towards the corners, with a small shade that is enlarged to the size of the picture. */
export async function vignette({ picture: { width, height }, image, value }: Edit): Promise<Sharp> {
	const side = 128;
	const data = new Uint8Array(side * side * 4);
	for (let at = 0; at < side * side; at++) {
		const radius = Math.hypot((at % side) / (side - 1) - 0.5, Math.floor(at / side) / (side - 1) - 0.5);
		const distance = Math.max(0, radius / Math.SQRT1_2 - 0.35) / 0.65;
		data[at * 4 + 3] = 2.55 * value * distance ** 2 * (3 - 2 * distance);
	}
	const shade = await pixelsOf(pipeline({ width: side, height: side, data }).resize({ width, height, fit: 'fill' }));
	return image.composite([{ ...layer(shade), blend: 'atop' }]);
}

/** Makes connected pixels of the borders' colour transparent. Searches a reduced copy, because it blocks the thread. */
export async function cutOut({ picture, picture: { width, height }, image }: Edit): Promise<Sharp | string> {
	const small = await pixelsOf(pipeline(picture).resize({ ...limited(picture, undefined, 524_288), fit: 'fill' }));
	const share = flood(small);
	if (share < 0.01) return 'no even background touches the borders';
	if (share > 0.99) return 'the whole picture has the colour of its borders';
	const subject = await pixelsOf(pipeline(small).resize({ width, height, fit: 'fill' }));
	return image.composite([{ ...layer(subject), blend: 'dest-in' }]);
}

/** Writes the opacity of the subject into the alpha channel. Returns the share of the background, 0 to 1. */
function flood({ width, height, data }: RawImage): number {
	const waiting: number[] = [];
	for (let x = 0; x < width; x++) waiting.push(x, (height - 1) * width + x);
	for (let y = 0; y < height; y++) waiting.push(y * width, (y + 1) * width - 1);
	const sorted = (channel: number) => waiting.map((at) => data[at * 4 + channel] as number).sort((a, b) => a - b);
	const [r = 0, g = 0, b = 0] = [0, 1, 2].map((channel) => sorted(channel)[waiting.length >> 1]);
	const opacity = new Uint8Array(width * height).fill(255);
	let removed = 0;
	for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
		if (opacity[at] !== 255) continue;
		const distance = (channel: number, color: number) => Math.abs((data[at * 4 + channel] as number) - color);
		// A distance up to 30 is the background, up to 60 its edge.
		const largest = (data[at * 4 + 3] as number) < 16 ? 0 : Math.max(distance(0, r), distance(1, g), distance(2, b));
		opacity[at] = 255 * Math.min(1, Math.max(0, largest / 30 - 1));
		if (largest > 30) continue;
		removed++;
		// The pixel beyond a side is a pixel of the opposite border, which is visited anyway.
		for (const next of [at - 1, at + 1, at - width, at + width]) if (opacity[next] === 255) waiting.push(next);
	}
	for (const [at, value] of opacity.entries()) data[at * 4 + 3] = value;
	return removed / opacity.length;
}

/** A multiple of a size, in whole pixels. The small addend is larger than the error of a division. */
export function scaled({ width, height }: ImageSize, by: number): ImageSize {
	return { width: Math.max(1, Math.floor(width * by + 0.001)), height: Math.max(1, Math.floor(height * by + 0.001)) };
}

/** Reduces a size to at most `side` pixels a side and `pixels` in all, with a warning. Keeps the ratio. */
export function limited(size: ImageSize, warn?: (sentence: string) => void, pixels = 8_294_400, side = 3840) {
	const by = Math.min(side / size.width, side / size.height, Math.sqrt(pixels / (size.width * size.height)));
	const result = scaled(size, Math.min(1, by));
	if (by < 1) warn?.(`The picture was reduced to ${result.width}x${result.height} pixels, the limit.`);
	return result;
}

/** RGBA pixels as a layer of `composite`. They are not copied. */
function layer({ width, height, data }: RawImage) {
	const input = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
	return { input, raw: { width, height, channels: 4 } } as const;
}

export function pipeline(picture: RawImage): Sharp {
	return sharp(layer(picture).input, { raw: layer(picture).raw });
}

export async function pixelsOf(output: Sharp): Promise<RawImage> {
	const rgba = output.toColourspace('srgb').ensureAlpha().raw();
	const { data, info } = await rgba.toBuffer({ resolveWithObject: true });
	return { width: info.width, height: info.height, data };
}

/** The original where the mask is opaque, the edited picture where it is transparent, a mixture between. */
export function masked(original: RawImage, edited: RawImage, mask: RawImage): RawImage {
	const data = new Uint8Array(original.data);
	for (let index = 0; index < data.length; index++) {
		const share = 255 - (mask.data[index | 3] as number);
		const from = data[index] as number;
		if (share > 0) data[index] = from + Math.round((((edited.data[index] as number) - from) * share) / 255);
	}
	return { ...original, data };
}
