import type { z } from 'zod';
import { isSecretName } from '../../contract/errors/redact.ts';
import { nearest } from '../../contract/words.ts';

const maxNames = 40;
const maxShown = 60;

/** The inspected members of a schema, which another copy of zod may have made. */
interface Schema {
	readonly shape?: Readonly<Record<PropertyKey, Schema>>;
	readonly def?: { readonly type?: string; readonly innerType?: Schema; readonly defaultValue?: unknown };
}

/**
 * Describes an issue of a schema, with the invalid value, the known names, or the default. `variable` is the
 * environment variable that the value came from. Without a remedy, the caller uses that of the error code.
 */
export function describeIssue(
	issue: z.core.$ZodIssue,
	context: { readonly schema: Schema; readonly value: unknown; readonly variable?: string | undefined },
): { readonly message: string; readonly remedy: string | undefined } {
	const { schema, value, variable } = context;
	let node: Schema | undefined = schema;
	for (const key of issue.path) node = objectIn(node)?.shape?.[key];
	if (issue.code === 'unrecognized_keys') {
		const keys = issue.keys.map((key) => `"${key.slice(0, maxShown)}"`);
		const shape = objectIn(node)?.shape;
		const remedy = shape && unknownNames(issue.keys, Object.keys(shape));
		return { message: `does not know ${keys.join(', ')}.`, remedy };
	}
	const message = `${withValue(issue.message, shown(value, issue.path))}.`;
	const remedy = variable === undefined ? remedyFor(node) : `Correct the environment variable ${variable}.`;
	return { message, remedy };
}

export function unknownNames(names: readonly string[], known: readonly string[]): string {
	const suggestions = names.map((name) => nearest(name, known));
	const question = suggestions.every((name) => name !== undefined) ? `Did you mean ${suggestions.join(', ')}? ` : '';
	const listed = known.length === 0 ? 'nothing' : known.slice(0, maxNames).join(', ');
	return `${question}Known here: ${listed}.`;
}

function withValue(message: string, value: string | undefined): string {
	if (value === undefined) return message;
	const replaced = message.replace(/received (?:NaN|number|string)$/, `received ${value}`);
	return replaced === message ? `${message}; it is ${value}` : replaced;
}

/** Strings and numbers as they are in the config; undefined for long values and for possible secrets. */
function shown(value: unknown, path: readonly PropertyKey[]): string | undefined {
	if (path.some((key) => isSecretName(String(key)))) return undefined;
	let node = value;
	for (const key of path) node = (node as Record<PropertyKey, unknown> | undefined)?.[key];
	if (typeof node === 'number') return String(node);
	return typeof node === 'string' && node.length <= maxShown ? JSON.stringify(node) : undefined;
}

function remedyFor(schema: Schema | undefined): string | undefined {
	const { type, defaultValue } = schema?.def ?? {};
	if (type === 'default' || type === 'prefault') {
		return `Change it, or leave it out: then it is ${JSON.stringify(defaultValue)}.`;
	}
	return type === 'optional' ? 'Change it, or leave it out.' : undefined;
}

/** The object schema inside a default, an optional or another wrapper. */
function objectIn(schema: Schema | undefined): Schema | undefined {
	let inner = schema;
	while (inner && !inner.shape) inner = inner.def?.innerType;
	return inner;
}
