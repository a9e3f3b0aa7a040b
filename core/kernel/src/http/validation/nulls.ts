import type { core, z } from 'zod';

/**
 * Leaves `null` members out of a JSON value where the schema has an optional member that does not take null: many
 * clients write out every field that they know. Objects inside objects and lists are looked at too, the forms of a
 * union are not. The value itself stays as it is.
 */
export function withoutNulls(schema: z.ZodType, value: unknown): unknown {
	if (typeof value !== 'object' || value === null) return value;
	const { def } = (schema as unknown as core.$ZodTypes)._zod;
	switch (def.type) {
		case 'object':
			return isPlain(value) ? withoutNullMembers(def.shape, value) : value;
		case 'array':
			return Array.isArray(value) ? mapped(value, (item) => inside(def.element, item)) : value;
		case 'optional':
		case 'nullable':
		case 'default':
		case 'prefault':
		case 'readonly':
		case 'nonoptional':
			return inside(def.innerType, value);
		case 'pipe':
			return inside(def.in, value);
		default:
			return value;
	}
}

function inside(schema: core.$ZodType, value: unknown): unknown {
	return withoutNulls(schema as z.ZodType, value);
}

// Classes of ours, such as uploads, are none of a client's objects.
function isPlain(value: object): value is Record<string, unknown> {
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}

function withoutNullMembers(
	shape: Readonly<Record<string, core.$ZodType>>,
	value: Record<string, unknown>,
): Record<string, unknown> {
	let copy: Record<string, unknown> | undefined;
	for (const [name, schema] of Object.entries(shape)) {
		if (!Object.hasOwn(value, name)) continue;
		const before = value[name];
		const isAbsent = before === null && meansAbsence(schema as z.ZodType);
		const after = isAbsent ? undefined : inside(schema, before);
		if (after === before) continue;
		copy ??= { ...value };
		if (isAbsent) delete copy[name];
		else copy[name] = after;
	}
	return copy ?? value;
}

function mapped(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
	const changed = list.map(change);
	return changed.some((item, index) => item !== list[index]) ? changed : list;
}

function meansAbsence(schema: z.ZodType): boolean {
	try {
		return !schema.safeParse(null).success && schema.safeParse(undefined).success;
	} catch {
		// It checks asynchronously: whoever wrote it says what null means.
		return false;
	}
}
