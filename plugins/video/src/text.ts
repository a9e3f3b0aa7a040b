import { z } from 'zod';

/** A string of `min` to `max` characters. A character is a Unicode code point, as in JSON Schema; zod alone counts UTF-16 units. */
export function text(min: number, max: number, description: string): z.ZodType<string, string> {
	return z
		.string()
		.superRefine((value, ctx) => {
			const length = codePoints(value);
			const issue = { origin: 'string', inclusive: true, input: value } as const;
			if (length > max) {
				const message = `at most ${max} characters are allowed, but ${length} were sent`;
				ctx.addIssue({ ...issue, code: 'too_big', maximum: max, message });
			} else if (length < min) {
				const message = `at least ${min} character is needed`;
				ctx.addIssue({ ...issue, code: 'too_small', minimum: min, message });
			}
		})
		.meta({ description, override: { minLength: min, maxLength: max } });
}

function codePoints(value: string): number {
	let count = 0;
	for (const _ of value) count += 1;
	return count;
}
