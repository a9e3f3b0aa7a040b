import type { Bitmap } from '../bitmap.ts';
import { blank } from '../bitmap.ts';
import { lay } from './alpha.ts';
import { boxColumns, boxRows } from './blur.ts';

/** How much of a pixel lies inside a shape: 0 to 1 from its distance to the border, negative inside. */
function coverage(distance: number): number {
	return Math.min(1, Math.max(0, 0.5 - distance));
}

/** Distance to the border of a rectangle with round corners whose middle is the origin. */
function roundDistance(
	x: number,
	y: number,
	halfWidth: number,
	halfHeight: number,
	radius: number,
): number {
	const [dx, dy] = [Math.abs(x) - halfWidth + radius, Math.abs(y) - halfHeight + radius];
	return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(0, Math.max(dx, dy)) - radius;
}

/** Makes everything outside an upright rectangle with round corners transparent; a radius of half the side makes a circle. */
export function keepRounded(picture: Bitmap, width: number, height: number, radius: number): void {
	const { data } = picture;
	for (let y = 0; y < picture.height; y++) {
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
export function strokeInside(
	picture: Bitmap,
	from: number,
	to: number,
	color: readonly number[],
): void {
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
export function vignette(picture: Bitmap, amount: number, color: readonly number[]): void {
	const { width, height, data } = picture;
	for (let y = 0; y < height; y++) {
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

/** The picture with its soft shadow behind it, shifted right and down. The shadow falls from what is not transparent. */
export function withShadow(
	picture: Bitmap,
	{
		shift,
		soft,
		strength,
		color,
	}: { shift: number; soft: number; strength: number; color: readonly number[] },
	check: () => void,
): Bitmap {
	const { width, height, data } = picture;
	const [shadow, other] = [blank(width, height), blank(width, height)];
	for (let y = shift; y < height; y++) {
		for (let x = shift; x < width; x++) {
			const at = (y * width + x) * 4 + 3;
			shadow.data[at] = (data[at - (shift * width + shift) * 4] as number) * strength;
		}
	}
	const radius = Math.max(1, Math.round(soft * 0.8));
	for (let pass = 0; pass < 3; pass++) {
		boxRows(shadow, other, radius, check);
		boxColumns(other, shadow, radius, check);
	}
	const [r = 0, g = 0, b = 0] = color;
	for (let i = 0; i < shadow.data.length; i += 4) {
		shadow.data[i] = r;
		shadow.data[i + 1] = g;
		shadow.data[i + 2] = b;
	}
	lay(shadow, picture, 0, 0);
	return shadow;
}
