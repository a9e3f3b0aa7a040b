import { z } from 'zod';

/** Bounds of a number, both inclusive. */
export interface NumberBounds {
	readonly min?: number;
	readonly max?: number;
}

/**
 * An integer that may arrive as text, as every field of a multipart form does. Unlike `z.coerce.number()` it takes no empty text,
 * no `true` and no `[]` for a number. In OpenAPI it is an integer.
 */
export function formInteger(bounds: NumberBounds = {}): z.ZodType<number> {
	return z.preprocess(numberFrom, bounded(z.int(), bounds));
}

/** A number that may arrive as text. In OpenAPI it is a number. */
export function formNumber(bounds: NumberBounds = {}): z.ZodType<number> {
	return z.preprocess(numberFrom, bounded(z.number(), bounds));
}

/** A boolean that may arrive as the text `true`, `false`, `1` or `0`. In OpenAPI it is a boolean. */
export function formBoolean(): z.ZodType<boolean> {
	return z.preprocess(
		(value) => (typeof value === 'string' ? (booleans.get(value.toLowerCase()) ?? value) : value),
		z.boolean(),
	);
}

const booleans: ReadonlyMap<string, boolean> = new Map([
	['true', true],
	['1', true],
	['false', false],
	['0', false],
]);

function numberFrom(value: unknown): unknown {
	return typeof value === 'string' && /^[+-]?\d{1,15}(?:\.\d{1,15})?$/.test(value)
		? Number(value)
		: value;
}

function bounded<T extends z.ZodNumber>(schema: T, { min, max }: NumberBounds): T {
	const atLeast = min === undefined ? schema : schema.min(min);
	return max === undefined ? atLeast : atLeast.max(max);
}
