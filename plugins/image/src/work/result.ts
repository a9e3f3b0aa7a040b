import { modelError } from '@plinth/core';
import { type ImageResult, pictureTypeOf } from '../model.ts';

/** Models may be written in JavaScript, so results are unchecked. */
type Unchecked<T> = { readonly [K in keyof T]?: unknown };

/**
 * Validates the result of a model for `count` pictures. Throws a `modelError` whose message or cause tells the
 * model's author what to fix.
 */
export function checkResult(id: string, result: unknown, count: number): ImageResult {
	const { images, filtered = 0, quality, warnings = [], usage } = members<ImageResult>(result);
	if (!Array.isArray(images)) {
		throw modelError(
			`The model ${id} must return { images }, an array of pictures with { width, height, data } or { body, mediaType }.`,
		);
	}
	if (!isCount(filtered)) {
		throw modelError(`The model ${id} must return filtered as a whole number of pictures.`);
	}
	if (images.length + filtered !== count) {
		const withheld = filtered > 0 ? ` and withheld ${filtered}` : '';
		const hint = `The model ${id} must return as many pictures as requested, and count withheld ones in filtered.`;
		throw modelError(`The model returned ${images.length} of ${count} pictures${withheld}.`, new Error(hint));
	}
	for (const [index, image] of images.entries()) {
		const fault = pictureFault(image);
		if (fault) throw modelError(`The model ${id} returned ${fault} as images[${index}].`);
	}
	const fault = detailFault(quality, warnings, usage);
	if (fault) throw modelError(`The model ${id} must return ${fault}.`);
	return result as ImageResult;
}

function detailFault(quality: unknown, warnings: unknown, usage: unknown): string | undefined {
	if (quality !== undefined && !['low', 'medium', 'high'].includes(quality as string)) {
		return 'quality as low, medium or high';
	}
	if (!Array.isArray(warnings) || !warnings.every((warning) => typeof warning === 'string')) {
		return 'warnings as an array of sentences';
	}
	if (usage !== undefined && !isUsage(usage)) {
		return 'usage as { inputTextTokens, inputImageTokens, outputTokens }, whole numbers';
	}
	return undefined;
}

/** The fault of a picture as a noun phrase, such as "a picture without pixels"; undefined when it is valid. */
export function pictureFault(picture: unknown): string | undefined {
	const { data, width, height, body, mediaType, revisedPrompt } = members<PictureFields>(picture);
	if (revisedPrompt !== undefined && typeof revisedPrompt !== 'string') {
		return 'a picture whose revisedPrompt is no text';
	}
	if (data !== undefined) return pixelFault(data, width, height);
	if (!(body instanceof Uint8Array)) {
		return (
			'something without pixels ({ width, height, data } or { body, mediaType } ' +
			'with bytes in data or body is expected)'
		);
	}
	const actualType = pictureTypeOf(body);
	if (!actualType) return `bytes that are no PNG, JPEG or WebP, as ${String(mediaType).slice(0, 100)}`;
	if (mediaType === actualType) return undefined;
	return (
		`${actualType}, but calls it ` +
		`${mediaType === undefined ? 'nothing (mediaType is missing)' : String(mediaType).slice(0, 100)},`
	);
}

interface PictureFields {
	data: unknown;
	width: unknown;
	height: unknown;
	body: unknown;
	mediaType: unknown;
	revisedPrompt: unknown;
}

function pixelFault(data: unknown, width: unknown, height: unknown): string | undefined {
	if (!isSide(width) || !isSide(height)) return 'pixels whose width and height are no whole numbers';
	const expected = width * height * 4;
	if (data instanceof Uint8Array && data.length === expected) return undefined;
	const actual = data instanceof Uint8Array ? `${data.length} bytes` : 'something else';
	return `${actual} as data, where ${width}x${height} RGBA pixels have ${expected} bytes in a Uint8Array,`;
}

function members<T>(value: unknown): Unchecked<T> {
	return typeof value === 'object' && value !== null ? value : {};
}

function isSide(value: unknown): value is number {
	return Number.isInteger(value) && (value as number) > 0;
}

function isCount(value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isUsage(value: unknown): boolean {
	const { inputTextTokens, inputImageTokens, outputTokens } = members<NonNullable<ImageResult['usage']>>(value);
	return [inputTextTokens, inputImageTokens, outputTokens].every(isCount);
}
