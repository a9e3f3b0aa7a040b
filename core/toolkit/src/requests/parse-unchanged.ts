import type { z } from 'zod';

/**
 * Parses a JSON value with a schema. Undefined unless the schema knows every member, at any depth, and changes none;
 * it may add defaults. For bodies that are forwarded: everything in them has been validated.
 */
export function parseUnchanged<S extends z.ZodType>(schema: S, value: unknown): z.output<S> | undefined {
	const { success, data } = schema.safeParse(value);
	return success && containsAll(data, value) ? data : undefined;
}

function containsAll(data: unknown, value: unknown): boolean {
	if (data === value) return true;
	if (!isObject(value) || !isObject(data)) return false;
	for (const name of Object.keys(value)) {
		if (!Object.hasOwn(data, name) || !containsAll(data[name], value[name])) return false;
	}
	return true;
}

/** Also true for arrays, whose keys are 0, 1, 2, … */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null;
}
