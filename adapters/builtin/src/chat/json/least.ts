import type { Json, JsonObject } from '@plinth/core';
import { textFor } from './pattern.ts';
import { typesOf } from './schema.ts';

const examples: Readonly<Record<string, string>> = {
	date: '1970-01-01',
	time: '00:00:00Z',
	'date-time': '1970-01-01T00:00:00Z',
	email: 'unknown@example.invalid',
	'idn-email': 'unknown@example.invalid',
	uri: 'about:blank',
	'uri-reference': 'about:blank',
	iri: 'about:blank',
	url: 'about:blank',
	hostname: 'example.invalid',
	uuid: '00000000-0000-0000-0000-000000000000',
	ipv4: '0.0.0.0',
	ipv6: '::',
	duration: 'PT0S',
};

/** Texts are not made longer than this, whatever a schema wants. */
const longest = 100_000;

/** What says least of the values that a resolved schema takes: empty, zero, false or null. */
export function leastValue(schema: JsonObject): Json {
	if (Array.isArray(schema.enum)) return leastOf(schema.enum);
	const [type] = typesOf(schema);
	switch (type) {
		case 'string':
			return leastString(schema);
		case 'number':
		case 'integer':
			return leastNumber(schema, type === 'integer');
		case 'boolean':
			return false;
		case 'array':
			return [];
		case 'object':
			return {};
		default:
			return null;
	}
}

/** The least string that a schema takes: empty, when it may be. */
function leastString({ minLength, pattern, format }: JsonObject): string {
	const made = typeof pattern === 'string' ? textFor(pattern) : undefined;
	const base = made ?? (typeof format === 'string' ? examples[format] : undefined) ?? '';
	const missing = (typeof minLength === 'number' ? minLength : 0) - [...base].length;
	return missing > 0 ? longer(base, Math.min(missing, longest), pattern) : base;
}

/** The number nearest to zero that a schema takes. */
function leastNumber(schema: JsonObject, isWhole: boolean): number {
	const step =
		typeof schema.multipleOf === 'number' && schema.multipleOf > 0 ? schema.multipleOf : isWhole ? 1 : undefined;
	const low = bound(schema.minimum, schema.exclusiveMinimum, Number.NEGATIVE_INFINITY, Math.max);
	const high = bound(schema.maximum, schema.exclusiveMaximum, Number.POSITIVE_INFINITY, Math.min);
	const inside = (value: number) =>
		value >= low && value <= high && value !== schema.exclusiveMinimum && value !== schema.exclusiveMaximum;
	if (inside(0)) return 0;
	const edge = low > 0 || (low === 0 && schema.exclusiveMinimum === 0) ? low : high;
	const upward = edge === low ? 1 : -1;
	if (!step) return inside(edge) ? edge : between(edge, upward > 0 ? high : low, upward);
	const steps = upward > 0 ? Math.ceil(edge / step) : Math.floor(edge / step);
	return [steps, steps + upward].map((count) => count * step).find(inside) ?? steps * step;
}

/** Null where it is allowed, otherwise what says least. */
function leastOf(members: readonly Json[]): Json {
	return members.find((member) => member === null) ?? members[0] ?? null;
}

function bound(
	closed: Json | undefined,
	open: Json | undefined,
	none: number,
	stricter: (...values: number[]) => number,
): number {
	return stricter(typeof closed === 'number' ? closed : none, typeof open === 'number' ? open : none);
}

function between(edge: number, other: number, upward: number): number {
	return Number.isFinite(other) ? (edge + other) / 2 : edge + upward;
}

/** Makes a text longer; a pattern decides with which letters. */
function longer(base: string, missing: number, pattern: Json | undefined): string {
	const last = [...base].at(-1) ?? '-';
	return typeof pattern === 'string' ? base + last.repeat(missing) : base + ' '.repeat(missing);
}
