import type { Bitmap, Check } from '../bitmap.ts';
import { boxPlaneColumns, boxPlaneRows } from './plane.ts';

/** How much of a pixel lies inside a shape: 0 to 1 from its distance to the border, negative inside. */
function coverage(distance: number): number {
	return Math.min(1, Math.max(0, 0.5 - distance));
}

/** Distance to the border of a rectangle with round corners whose middle is the origin. */
function roundDistance(x: number, y: number, halfWidth: number, halfHeight: number, radius: number): number {
	const [dx, dy] = [Math.abs(x) - halfWidth + radius, Math.abs(y) - halfHeight + radius];
	return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(0, Math.max(dx, dy)) - radius;
}

/** Makes everything outside an upright rectangle with round corners transparent; a radius of half the side makes a circle. */
export function keepRounded(picture: Bitmap, width: number, height: number, radius: number, check: Check): void {
	const { data } = picture;
	for (let y = 0; y < picture.height; y++) {
		if ((y & 63) === 0) check();
		for (let x = 0; x < picture.width; x++) {
			const [cx, cy] = [x + 0.5 - picture.width / 2, y + 0.5 - picture.height / 2];
			const share = coverage(roundDistance(cx, cy, width / 2, height / 2, radius));
			if (share === 1) continue;
			const at = (y * picture.width + x) * 4 + 3;
			data[at] = Math.round((data[at] as number) * share);
		}
	}
}

/** Draws a line along the inside of the border, from `from` to `to` pixels of distance. */
export function strokeInside(picture: Bitmap, from: number, to: number, color: readonly number[]): void {
	const { width, height, data } = picture;
	const [r = 0, g = 0, b = 0] = color;
	for (let y = 0; y < height; y++) {
		const fromEnds = Math.min(y, height - 1 - y);
		for (let x = 0; x < width; x++) {
			const depth = Math.min(fromEnds, x, width - 1 - x);
			if (depth < from || depth >= to) continue;
			const at = (y * width + x) * 4;
			data[at] = r;
			data[at + 1] = g;
			data[at + 2] = b;
			data[at + 3] = 255;
		}
	}
}

/** Darkens (or colours) towards the corners, from the middle on; `amount` is 0 to 1. */
export function vignette(picture: Bitmap, amount: number, color: readonly number[], check: Check): void {
	const { width, height, data } = picture;
	for (let y = 0; y < height; y++) {
		if ((y & 63) === 0) check();
		const dy = (y + 0.5) / height - 0.5;
		for (let x = 0; x < width; x++) {
			const dx = (x + 0.5) / width - 0.5;
			const out = Math.max(0, Math.sqrt(dx * dx + dy * dy) / 0.7072 - 0.35) / 0.65;
			const share = Math.min(1, amount * out * out * (3 - 2 * out) * 1.1);
			const at = (y * width + x) * 4;
			for (let c = 0; c < 3; c++) {
				const value = data[at + c] as number;
				data[at + c] = value + ((color[c] as number) - value) * share;
			}
		}
	}
}

/** A soft shadow. */
export interface Shadow {
	/** How far it falls to the right and down, in pixels. */
	readonly shift: number;
	readonly soft: number;
	/** 0 to 1. */
	readonly strength: number;
	readonly color: readonly number[];
}

/** Puts a soft shadow behind what is not transparent, in place. */
export function addShadow(picture: Bitmap, look: Shadow, check: Check): void {
	const { width, height, data } = picture;
	const shadow = shadowOf(picture, look);
	const other = new Uint8Array(shadow.length);
	const radius = Math.max(1, Math.round(look.soft * 0.8));
	for (let pass = 0; pass < 3; pass++) {
		boxPlaneRows(shadow, other, width, radius, check);
		boxPlaneColumns(other, shadow, width, radius, check);
	}
	const [r = 0, g = 0, b = 0] = look.color;
	for (let y = 0, i = 0; y < height; y++) {
		if ((y & 63) === 0) check();
		for (let x = 0; x < width; x++, i += 4) {
			const a = data[i + 3] as number;
			if (a === 255) continue;
			const rest = ((255 - a) * (shadow[i >> 2] as number)) / 255;
			const sum = a + rest;
			if (sum === 0) continue;
			data[i] = ((data[i] as number) * a + r * rest) / sum + 0.5;
			data[i + 1] = ((data[i + 1] as number) * a + g * rest) / sum + 0.5;
			data[i + 2] = ((data[i + 2] as number) * a + b * rest) / sum + 0.5;
			data[i + 3] = sum + 0.5;
		}
	}
}

/** The alpha of a picture, shifted and weakened. */
function shadowOf({ width, height, data }: Bitmap, { shift, strength }: Shadow): Uint8Array {
	const shadow = new Uint8Array(width * height);
	for (let y = shift; y < height; y++) {
		const from = (y - shift) * width - shift;
		for (let x = shift; x < width; x++) {
			shadow[y * width + x] = (data[(from + x) * 4 + 3] as number) * strength;
		}
	}
	return shadow;
}
