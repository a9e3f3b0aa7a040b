import { z } from 'zod';

/** Bounds of an integer, both inclusive. */
export interface NumberBounds {
	readonly min?: number;
	readonly max?: number;
}

/**
 * An integer that may arrive as text, as in multipart forms. Unlike `z.coerce.number()` it rejects empty
 * text, `true` and `[]`. In OpenAPI it is an integer.
 */
export function formInteger({ min, max }: NumberBounds = {}): z.ZodType<number> {
	const atLeast = min === undefined ? z.int() : z.int().min(min);
	return z.preprocess(numberFrom, max === undefined ? atLeast : atLeast.max(max));
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
	return typeof value === 'string' && /^[+-]?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value;
}
