import { z } from 'zod';

/** Bounds of a string in characters, that is in Unicode code points. */
export interface CodePointBounds {
	readonly min?: number;
	readonly max?: number;
}

/**
 * A string schema that counts Unicode code points, where `z.string().max()` counts UTF-16 units: an emoji is one
 * character. Answers `E_STRING_TOO_SHORT` and `E_STRING_TOO_LONG`; OpenAPI shows `minLength` and `maxLength`.
 */
export function codePoints({ min, max }: CodePointBounds): z.ZodString {
	return z
		.string()
		.check((ctx) => {
			const { value } = ctx;
			// Between length / 2 and length code points: most strings need no counting.
			if (max !== undefined && value.length > max && countCodePoints(value) > max) {
				ctx.issues.push({
					code: 'too_big',
					origin: 'string',
					maximum: max,
					inclusive: true,
					input: value,
				});
			} else if (min !== undefined && value.length < min * 2 && countCodePoints(value) < min) {
				ctx.issues.push({
					code: 'too_small',
					origin: 'string',
					minimum: min,
					inclusive: true,
					input: value,
				});
			}
		})
		.meta({
			...(min === undefined ? {} : { minLength: min }),
			...(max === undefined ? {} : { maxLength: max }),
		});
}

/** How many Unicode code points a string has. A lone surrogate counts as one. */
export function countCodePoints(text: string): number {
	let pairs = 0;
	for (let i = 0; i < text.length - 1; i++) {
		if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
			pairs++;
			i++;
		}
	}
	return text.length - pairs;
}
