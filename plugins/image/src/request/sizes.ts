import type { FitOptions } from '@plinth/toolkit';
import type { ImageAbilities, ImageSize } from '../model.ts';

/** What a size of the wire keeps to, in pixels. */
export const sizeRules = {
	step: 16,
	minSide: 64,
	maxSide: 3840,
	maxRatio: 3,
	maxPixels: 8_294_400,
};

/** Reads `WIDTHxHEIGHT`; undefined for `auto` and for what is no size. */
export function parseSize(text: string): ImageSize | undefined {
	const [, width, height] = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(text) ?? [];
	return width && height ? { width: Number(width), height: Number(height) } : undefined;
}

/** A size as the wire has it. */
export function formatSize({ width, height }: ImageSize): string {
	return `${width}x${height}`;
}

/** Tells which rule a text breaks, as the rest of a sentence; undefined when it is `auto` or an acceptable size. */
export function brokenRule(text: string): string | undefined {
	if (text === 'auto') return undefined;
	const size = parseSize(text);
	if (!size) return 'expected "auto" or WIDTHxHEIGHT, such as "1024x1024"';
	const { step, minSide, maxSide, maxRatio, maxPixels } = sizeRules;
	const short = Math.min(size.width, size.height);
	const long = Math.max(size.width, size.height);
	const shown = formatSize(size);
	if (short < minSide || long > maxSide) {
		return `each side must have ${minSide} to ${maxSide} pixels, found ${shown}`;
	}
	if (size.width % step !== 0 || size.height % step !== 0) {
		return `width and height must be multiples of ${step}, found ${shown}`;
	}
	if (long > maxRatio * short) {
		return `the shape must lie between 1:${maxRatio} and ${maxRatio}:1, found ${shown}`;
	}
	if (size.width * size.height > maxPixels) {
		return `at most ${maxPixels} pixels are allowed, found ${shown}, which has ${size.width * size.height}`;
	}
	return undefined;
}

/** Whether the model makes pictures of this size by itself. */
export function isMade({ sizes }: ImageAbilities, size: ImageSize): boolean {
	return !sizes || sizes.some((made) => isEqual(made, size));
}

/** The size to ask a model for: the wanted one, or, of those that it lists, the one of the closest shape, then of the closest area. */
export function sizeToAsk(abilities: ImageAbilities, wanted: ImageSize): ImageSize {
	if (isMade(abilities, wanted)) return wanted;
	const sorted = (abilities.sizes ?? []).toSorted(
		(a, b) =>
			distance(shape(a), shape(wanted)) - distance(shape(b), shape(wanted)) ||
			distance(area(a), area(wanted)) - distance(area(b), area(wanted)),
	);
	return sorted[0] ?? wanted;
}

/** How a picture of another size than `target` is brought to it; undefined when there is nothing to do, or the model allows nothing. */
export function fitting(
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

// Logarithms, so that twice and half are equally far.
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
