import type { FitOptions } from '@plinth/toolkit';
import type { ImageAbilities, ImageSize } from '../model.ts';

/** The rules for a requested size, in pixels. */
export const sizeRules = {
	step: 16,
	minSide: 64,
	maxSide: 3840,
	maxRatio: 3,
	maxPixels: 8_294_400,
};

/** Reads `WIDTHxHEIGHT`; undefined for `auto` and for invalid texts. */
export function parseSize(text: string): ImageSize | undefined {
	const [, width, height] = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(text) ?? [];
	return width && height ? { width: Number(width), height: Number(height) } : undefined;
}

/** Formats a size as `WIDTHxHEIGHT`. */
export function formatSize({ width, height }: ImageSize): string {
	return `${width}x${height}`;
}

/** The rule that a text breaks, as the end of a sentence; undefined for `auto` and for valid sizes. */
export function sizeError(text: string): string | undefined {
	if (text === 'auto') return undefined;
	const size = parseSize(text);
	if (!size) return 'expected "auto" or WIDTHxHEIGHT, such as "1024x1024"';
	const { step, minSide, maxSide, maxRatio, maxPixels } = sizeRules;
	const short = Math.min(size.width, size.height);
	const long = Math.max(size.width, size.height);
	const actual = formatSize(size);
	if (short < minSide || long > maxSide) {
		return `each side must have ${minSide} to ${maxSide} pixels, found ${actual}`;
	}
	if (size.width % step !== 0 || size.height % step !== 0) {
		return `width and height must be multiples of ${step}, found ${actual}`;
	}
	if (long > maxRatio * short) {
		return `the shape must be between 1:${maxRatio} and ${maxRatio}:1, found ${actual}`;
	}
	if (size.width * size.height > maxPixels) {
		return `at most ${maxPixels} pixels are allowed, found ${actual}, which has ${size.width * size.height}`;
	}
	return undefined;
}

/** Whether the model supports a size natively. */
export function isSupportedSize({ sizes }: ImageAbilities, size: ImageSize): boolean {
	return !sizes || sizes.some((made) => isEqual(made, size));
}

/**
 * The size to request from a model: the requested one or, among those that it lists, the one with the
 * closest shape, then the closest area.
 */
export function closestSize(abilities: ImageAbilities, requested: ImageSize): ImageSize {
	if (isSupportedSize(abilities, requested)) return requested;
	const sorted = (abilities.sizes ?? []).toSorted(
		(a, b) =>
			distance(shape(a), shape(requested)) - distance(shape(b), shape(requested)) ||
			distance(area(a), area(requested)) - distance(area(b), area(requested)),
	);
	return sorted[0] ?? requested;
}

/** How a picture is resized to `target`; undefined when it has this size or the model allows no resizing. */
export function fitOptionsFor(
	{ fit }: ImageAbilities,
	made: ImageSize,
	target: ImageSize | undefined,
): FitOptions | undefined {
	if (!fit || !target || isEqual(made, target)) return undefined;
	return { width: target.width, height: target.height, mode: fit };
}

/** Whether two sizes are the same. */
export function isEqual(a: ImageSize, b: ImageSize): boolean {
	return a.width === b.width && a.height === b.height;
}

// In logarithms, twice and half have the same distance.
function shape({ width, height }: ImageSize): number {
	return Math.log(width / height);
}

function area({ width, height }: ImageSize): number {
	return Math.log(width * height);
}

/** Rounded, so that equal shapes with unequal floating-point noise count as equal. */
function distance(a: number, b: number): number {
	return Math.round(Math.abs(a - b) * 1e6);
}
