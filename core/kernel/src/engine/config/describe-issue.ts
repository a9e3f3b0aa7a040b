import type { z } from 'zod';
import { isSecretName } from '../../contract/errors/redact.ts';
import { nearest } from '../../contract/nearest.ts';

/** More names than this are of no help. */
const mostNames = 40;
const longestShown = 60;

/** What is looked at of a schema, which another copy of zod may have made. */
interface Schema {
	readonly shape?: Readonly<Record<PropertyKey, Schema>>;
	readonly def?: { readonly type?: string; readonly innerType?: Schema; readonly defaultValue?: unknown };
}

/**
 * Describes an issue of a schema: with the value that was found, the names that are known, or the default. `variable`
 * is the environment variable that the value came from. Without a remedy the usual one of its code stands.
 */
export function describeIssue(
	issue: z.core.$ZodIssue,
	found: { readonly schema: Schema; readonly value: unknown; readonly variable?: string | undefined },
): { readonly message: string; readonly remedy: string | undefined } {
	const { schema, value, variable } = found;
	let at: Schema | undefined = schema;
	for (const key of issue.path) at = objectIn(at)?.shape?.[key];
	if (issue.code === 'unrecognized_keys') {
		const keys = issue.keys.map((key) => `"${key.slice(0, longestShown)}"`);
		const shape = objectIn(at)?.shape;
		const remedy = shape && unknownNames(issue.keys, Object.keys(shape));
		return { message: `does not know ${keys.join(', ')}.`, remedy };
	}
	const message = `${withValue(issue.message, shown(value, issue.path))}.`;
	const isVariable = variable !== undefined;
	return { message, remedy: isVariable ? `Correct the environment variable ${variable}.` : remedyFor(at) };
}

/** A remedy for names that are not among the known ones. */
export function unknownNames(names: readonly string[], known: readonly string[]): string {
	const meant = names.map((name) => nearest(name, known));
	const question = meant.every((name) => name !== undefined) ? `Did you mean ${meant.join(', ')}? ` : '';
	const listed = known.length === 0 ? 'nothing' : known.slice(0, mostNames).join(', ');
	return `${question}Known here: ${listed}.`;
}

/** The message, with what was found in it. */
function withValue(message: string, value: string | undefined): string {
	if (value === undefined) return message;
	const typed = message.replace(/received (?:NaN|number|string)$/, `received ${value}`);
	return typed === message ? `${message}; it is ${value}` : typed;
}

/** Texts and numbers as they were given; undefined for what is long or might be secret. */
function shown(value: unknown, path: readonly PropertyKey[]): string | undefined {
	if (path.some((key) => isSecretName(String(key)))) return undefined;
	let found = value;
	for (const key of path) found = (found as Record<PropertyKey, unknown> | undefined)?.[key];
	if (typeof found === 'number') return String(found);
	return typeof found === 'string' && found.length <= longestShown ? JSON.stringify(found) : undefined;
}

function remedyFor(schema: Schema | undefined): string | undefined {
	const { type, defaultValue } = schema?.def ?? {};
	if (type === 'default' || type === 'prefault') {
		return `Change it, or leave it out: then it is ${JSON.stringify(defaultValue)}.`;
	}
	return type === 'optional' ? 'Change it, or leave it out.' : undefined;
}

/** The object inside a default, an optional and the like. */
function objectIn(schema: Schema | undefined): Schema | undefined {
	let inner = schema;
	while (inner && !inner.shape) inner = inner.def?.innerType;
	return inner;
}
