import type { z } from 'zod';

/**
 * What a schema makes of a JSON value, if it knows every member of it, at any depth, and leaves each as it came;
 * defaults may be added. Undefined for anything else. For bodies that are passed on: they hold nothing unchecked.
 */
export function parseUnchanged<S extends z.ZodType>(schema: S, value: unknown): z.output<S> | undefined {
	const { success, data } = schema.safeParse(value);
	return success && holdsAll(data, value) ? data : undefined;
}

function holdsAll(data: unknown, value: unknown): boolean {
	if (data === value) return true;
	if (!isObject(value) || !isObject(data)) return false;
	for (const name of Object.keys(value)) {
		if (!Object.hasOwn(data, name) || !holdsAll(data[name], value[name])) return false;
	}
	return true;
}

/** Arrays too: their members are called 0, 1, 2, … */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null;
}
