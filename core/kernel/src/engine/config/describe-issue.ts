import type { z } from 'zod';
import { isSecretName } from '../../contract/errors/redact.ts';
import { nearest, pathName } from '../../contract/words.ts';

const maxNames = 40;
const maxShown = 60;

/** The inspected members of a schema, which another copy of zod may have made. */
interface Schema {
	readonly shape?: Readonly<Record<PropertyKey, Schema>>;
	readonly def?: { readonly type?: string; readonly innerType?: Schema; readonly defaultValue?: unknown };
}

/**
 * Describes an issue of a schema, with the invalid value, the known names, or the default. `at` is its config path;
 * `variables` has the variables of values by path. Without a remedy, the caller uses that of the error code.
 */
export function describeIssue(
	issue: z.core.$ZodIssue,
	context: Readonly<{ schema: Schema; value: unknown; at: string; variables?: ReadonlyMap<string, string> }>,
): { readonly message: string; readonly remedy: string | undefined } {
	const { schema, value, at, variables } = context;
	let node: Schema | undefined = schema;
	for (const key of issue.path) node = objectIn(node)?.shape?.[key];
	if (issue.code === 'unrecognized_keys') {
		const keys = issue.keys.map((key) => `"${key.slice(0, maxShown)}"`);
		const shape = objectIn(node)?.shape;
		const remedy = shape && unknownNames(issue.keys, Object.keys(shape));
		return { message: `does not know ${keys.join(', ')}.`, remedy };
	}
	const given = issue.path.reduce<unknown>((node, key) => Object(node)[key], value);
	if (given === undefined && issue.path.length > 0 && /^invalid_(?:type|union)$/.test(issue.code ?? ''))
		return { message: `${pathName(issue.path)} is missing.`, remedy: `Set ${at}.` };
	const isSecret = issue.path.some((key) => isSecretName(String(key)));
	const message = `${withValue(issue.message, isSecret ? undefined : shown(given))}.`;
	const variable = variables?.get(at);
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

/** Strings and numbers as they are in the config; undefined for long values. */
function shown(value: unknown): string | undefined {
	if (typeof value === 'number') return String(value);
	return typeof value === 'string' && value.length <= maxShown ? JSON.stringify(value) : undefined;
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
