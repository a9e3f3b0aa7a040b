import {
	type Bitmap,
	type BoundedSize,
	blank,
	type Check,
	clampSize,
	type Size,
	solid,
	unchecked,
	words,
} from '../bitmap.ts';
import type { Place } from '../grammar/parameters.ts';
import { lay, premultiply, unpremultiply } from './alpha.ts';

/** A part of a picture in whole pixels. */
export interface Box extends Size {
	readonly x: number;
	readonly y: number;
}

/** Copies a part; it has to lie inside. */
export function cut(picture: Bitmap, { x, y, width, height }: Box): Bitmap {
	const part = blank(width, height);
	const [from, to] = [words(picture), words(part)];
	for (let row = 0; row < height; row++) {
		const start = (y + row) * picture.width + x;
		to.set(from.subarray(start, start + width), row * width);
	}
	return part;
}

/** Where a smaller box lies in a larger one. */
export function boxAt(outer: Size, inner: Size, place: Place): Box {
	const along = (room: number, side: -1 | 0 | 1): number => Math.round((room * (side + 1)) / 2);
	return {
		width: inner.width,
		height: inner.height,
		x: along(outer.width - inner.width, place.x),
		y: along(outer.height - inner.height, place.y),
	};
}

/** The largest box of a ratio inside a size. */
export function ratioBox({ width, height }: Size, ratio: number): Size {
	return width / height > ratio
		? { width: Math.max(1, Math.round(height * ratio)), height }
		: { width, height: Math.max(1, Math.round(width / ratio)) };
}

/** Turns left and right round. */
export function mirror(picture: Bitmap): void {
	const all = words(picture);
	for (let at = 0; at < all.length; at += picture.width) all.subarray(at, at + picture.width).reverse();
}

/** Turns top and bottom round. */
export function flip(picture: Bitmap): void {
	const { width, height } = picture;
	const all = words(picture);
	for (let top = 0, bottom = height - 1; top < bottom; top++, bottom--) {
		const kept = all.slice(top * width, (top + 1) * width);
		all.copyWithin(top * width, bottom * width, (bottom + 1) * width);
		all.set(kept, bottom * width);
	}
}

/** Turns by quarters, clockwise. */
export function turn(picture: Bitmap, quarters: number, check: Check = unchecked): Bitmap {
	const times = ((quarters % 4) + 4) % 4;
	if (times === 2) {
		words(picture).reverse();
		return picture;
	}
	if (times === 0) return picture;
	const { width, height } = picture;
	const made = blank(height, width);
	const [from, to] = [words(picture), words(made)];
	for (let y = 0; y < height; y++) {
		if ((y & 63) === 0) check();
		const [start, step] = times === 1 ? [height - 1 - y, height] : [(width - 1) * height + y, -height];
		for (let x = 0, at = start; x < width; x++, at += step) to[at] = from[y * width + x] as number;
	}
	return made;
}

/** The size of a picture that was turned by degrees, corners included. */
export function turnedSize({ width, height }: Size, degrees: number): BoundedSize {
	const angle = (degrees * Math.PI) / 180;
	const [c, s] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
	const grown = (length: number): number => Math.max(1, Math.round(length - 1e-6));
	return clampSize({ width: grown(width * c + height * s), height: grown(width * s + height * c) });
}

/** Turns by any angle, clockwise; what the corners uncover is `behind`, or transparent. */
export function rotate(picture: Bitmap, degrees: number, behind: readonly number[] | undefined, check: Check): Bitmap {
	if (degrees % 90 === 0) return turn(picture, degrees / 90, check);
	const size = turnedSize(picture, degrees);
	const angle = (degrees * Math.PI) / 180;
	const full = Math.abs(picture.width * Math.cos(angle)) + Math.abs(picture.height * Math.sin(angle));
	// A picture that would become too large is made smaller on the way.
	const scale = Math.max(1, full / (size.width + 1));
	const [c, s] = [Math.cos(angle) * scale, Math.sin(angle) * scale];
	return warp(picture, size, [c, s, -s, c], behind, check);
}

/**
 * Looks up every pixel of a new picture at `matrix * (its distance from the middle)` from the middle of the old one, bilinear with soft
 * borders.
 */
export function warp(
	picture: Bitmap,
	{ width, height }: Size,
	[xx, xy, yx, yy]: readonly [number, number, number, number],
	behind: readonly number[] | undefined,
	check: Check,
): Bitmap {
	premultiply(picture);
	const made = behind ? solid(width, height, behind) : blank(width, height);
	const [ox, oy] = [(picture.width - 1) / 2, (picture.height - 1) / 2];
	for (let y = 0; y < height; y++) {
		if ((y & 63) === 0) check();
		const dy = y - (height - 1) / 2;
		for (let x = 0; x < width; x++) {
			const dx = x - (width - 1) / 2;
			mixIn(made.data, (y * width + x) * 4, picture, ox + xx * dx + xy * dy, oy + yx * dx + yy * dy);
		}
	}
	unpremultiply(made);
	return made;
}

/** Lays one sample over a pixel; outside the picture everything is transparent. */
function mixIn(out: Uint8Array, at: number, { width, height, data }: Bitmap, x: number, y: number): void {
	if (x <= -1 || y <= -1 || x >= width || y >= height) return;
	const x0 = Math.floor(x);
	const y0 = Math.floor(y);
	const l = x0 >= 0 ? 1 - x + x0 : 0;
	const r = x0 + 1 < width ? x - x0 : 0;
	const t = y0 >= 0 ? 1 - y + y0 : 0;
	const b = y0 + 1 < height ? y - y0 : 0;
	let i = (Math.max(0, y0) * width + Math.max(0, x0)) * 4;
	const right = x0 >= 0 && x0 + 1 < width ? 4 : 0;
	const down = y0 >= 0 && y0 + 1 < height ? width * 4 : 0;
	const alpha =
		((data[i + 3] as number) * l + (data[i + right + 3] as number) * r) * t +
		((data[i + down + 3] as number) * l + (data[i + right + down + 3] as number) * r) * b;
	const rest = 1 - alpha / 255;
	for (let c = at; c < at + 4; c++, i++) {
		const value =
			((data[i] as number) * l + (data[i + right] as number) * r) * t +
			((data[i + down] as number) * l + (data[i + right + down] as number) * r) * b;
		out[c] = value + (out[c] as number) * rest + 0.5;
	}
}

/** The part that is left when an even border is taken away; all of it when everything is even. */
export function contentBox({ width, height, data }: Bitmap, tolerance: number): Box {
	const differs = (i: number): boolean => {
		let far = 0;
		for (let c = 0; c < 4; c++) far = Math.max(far, Math.abs((data[i + c] as number) - (data[c] as number)));
		return far > tolerance && !(data[i + 3] === 0 && data[3] === 0);
	};
	let [left, right, top, bottom] = [width, -1, height, -1];
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			if (!differs((y * width + x) * 4)) continue;
			if (y < top) top = y;
			bottom = y;
			if (x < left) left = x;
			if (x > right) right = x;
		}
	}
	if (right < 0) return { x: 0, y: 0, width, height };
	return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** Repeats a small copy `across` times in both directions; every second one may be turned round, so that no seams show. */
export function tile(small: Bitmap, { width, height }: Size, mirrored: boolean, check: Check = unchecked): Bitmap {
	const made = blank(width, height);
	const [from, to] = [words(small), words(made)];
	const lookUp = (at: number, length: number): number => {
		const inside = at % length;
		return mirrored && Math.floor(at / length) % 2 === 1 ? length - 1 - inside : inside;
	};
	const columns = Int32Array.from({ length: width }, (_, x) => lookUp(x, small.width));
	for (let y = 0; y < height; y++) {
		if ((y & 63) === 0) check();
		const row = lookUp(y, small.height) * small.width;
		for (let x = 0; x < width; x++) to[y * width + x] = from[row + (columns[x] as number)] as number;
	}
	return made;
}

/** The picture in the middle of a larger one, on a colour or on nothing. */
export function onCanvas(
	picture: Bitmap,
	{ width, height }: Size,
	behind: readonly number[] | undefined,
	check: Check = unchecked,
): Bitmap {
	const made = behind ? solid(width, height, behind) : blank(width, height);
	const [x, y] = [Math.floor((width - picture.width) / 2), Math.floor((height - picture.height) / 2)];
	lay(made, picture, x, y, 1, check);
	return made;
}
