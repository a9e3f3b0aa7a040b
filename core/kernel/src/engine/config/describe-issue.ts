import type { z } from 'zod';
import { isSecretName } from '../../contract/errors/redact.ts';
import { nearest } from './nearest.ts';

/** What is wrong with a value of a config, and what to do about it. */
export interface IssueDescription {
	readonly message: string;
	/** Undefined for the usual one of its code. */
	readonly remedy: string | undefined;
}

/** What an issue was found in. */
export interface IssueContext {
	readonly schema: Schema;
	/** What the schema was given. */
	readonly value: unknown;
	/** The environment variable that the value came from. */
	readonly variable?: string | undefined;
}

/** More names than this are of no help. */
const mostNames = 40;
const longestShown = 60;

/** Describes an issue of a schema: with the value that was found, the names that are known, or the default. */
export function describeIssue(issue: z.core.$ZodIssue, place: IssueContext): IssueDescription {
	if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys, schemaAt(place.schema, issue.path));
	const message = `${withValue(issue.message, shown(place.value, issue.path))}.`;
	if (place.variable !== undefined) {
		return { message, remedy: `Correct the environment variable ${place.variable}.` };
	}
	return { message, remedy: remedyFor(schemaAt(place.schema, issue.path)) };
}

/** What to do about names that nothing has, where these are known. */
export function unknownNames(names: readonly string[], known: readonly string[]): string {
	const meant = names.map((name) => nearest(name, known));
	const question = meant.every((name) => name !== undefined) ? `Did you mean ${meant.join(', ')}? ` : '';
	const listed = known.length === 0 ? 'nothing' : known.slice(0, mostNames).join(', ');
	return `${question}Known here: ${listed}.`;
}

function unknownKeys(keys: readonly string[], schema: Schema | undefined): IssueDescription {
	const message = `does not know ${keys.map((key) => `"${key.slice(0, longestShown)}"`).join(', ')}.`;
	const shape = objectIn(schema)?.shape;
	return { message, remedy: shape && unknownNames(keys, Object.keys(shape)) };
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

/** What is looked at of a schema, which another copy of zod may have made. */
interface Schema {
	readonly shape?: Readonly<Record<PropertyKey, Schema>>;
	readonly def?: {
		readonly type?: string;
		readonly innerType?: Schema;
		readonly defaultValue?: unknown;
	};
}

function schemaAt(schema: Schema, path: readonly PropertyKey[]): Schema | undefined {
	let at: Schema | undefined = schema;
	for (const key of path) at = objectIn(at)?.shape?.[key];
	return at;
}

/** The object behind what stands around it, such as its default. */
function objectIn(schema: Schema | undefined): Schema | undefined {
	let inner = schema;
	while (inner && !inner.shape) inner = inner.def?.innerType;
	return inner;
}
