import { z } from 'zod';
import { plinthError } from '../../contract/errors/coded-error.ts';
import type { Answer } from '../../contract/http/reply.ts';
import type { Route } from '../../contract/http/route.ts';
import { nearest, pathName } from '../../contract/words.ts';
import { wireForm } from '../answers/base64.ts';
import { AllIssues, countCodePoints, describeIssue, issueError, rootIssue, valueAt } from './issues.ts';

/**
 * Returns the output of the schema. `null` for an optional member that does not accept it is the same as its absence.
 * The first issue decides the error: its code, its `param` as a path (`messages[1].content`) and a sentence that says
 * what is allowed and what was found. `whole` names the input if the path is empty.
 */
export async function validate(schema: z.ZodType, value: unknown, whole = 'The body'): Promise<unknown> {
	const first = await check(schema, value);
	if (first.success) return first.data;
	const nulls = first.error.issues.flatMap(({ path }) => nullMember(value, path));
	const second = nulls.length > 0 ? await checkWithout(nulls, schema, value) : first;
	if (second.success) return second.data;
	const { issues } = second.error;
	const failing = new Set(issues.map(({ path }) => pathName(path)));
	// A required member is described as it was sent, as `null`.
	const found = first.error.issues.filter(({ path }) => failing.has(pathName(path)));
	// For a huge number, zod reports the range of safe integers (`int`) before the limits of the field.
	const issue = found.find((one) => !('origin' in one && one.origin === 'int')) ?? issues[0];
	if (!issue) throw plinthError('E_VALUE_INVALID');
	throw issueError(rootIssue(issue), value, whole, issues.length > 1 ? new AllIssues(issues) : undefined);
}

/** Throws an error with route, status and member when a JSON answer does not match the schema of its route. */
export async function checkAnswer({ method, path, response }: Route, answer: Answer): Promise<void> {
	if (answer.type !== 'json') return;
	const { status = 200, schema, others } = response;
	const declared = answer.status === status ? schema : others?.[answer.status]?.schema;
	if (!declared) return;
	const { error } = await check(declared, wireForm(answer.value));
	const [first] = error?.issues ?? [];
	if (!first) return;
	const issue = rootIssue(first);
	const member = pathName(issue.path) || 'the whole value';
	const answered = `${method} ${path} answered ${answer.status}`;
	throw new Error(`${answered} with JSON that its response schema refuses at ${member}: ${issue.message}.`);
}

/** Whether the schema accepts the absence of a value. */
export function acceptsNothing(schema: z.ZodType): boolean {
	try {
		return schema.safeParse(undefined).success;
	} catch {
		// The schema has an asynchronous check, so it is assumed to need a value.
		return false;
	}
}

/**
 * A string schema that counts Unicode code points, where `z.string().max()` counts UTF-16 units: an emoji is one
 * character. Its errors are `E_STRING_TOO_SHORT` and `E_STRING_TOO_LONG`; OpenAPI shows `minLength` and `maxLength`.
 */
export function codePoints({ min, max }: { readonly min?: number; readonly max?: number }): z.ZodString {
	const check = ({ value, issues }: z.core.ParsePayload<string>) => {
		const issue = { origin: 'string', inclusive: true, input: value };
		// A string has between length / 2 and length code points, so most strings need no counting.
		if (max !== undefined && value.length > max && countCodePoints(value) > max) {
			issues.push({ ...issue, code: 'too_big', maximum: max });
		} else if (min !== undefined && value.length < min * 2 && countCodePoints(value) < min) {
			issues.push({ ...issue, code: 'too_small', minimum: min });
		}
	};
	const lengths = { ...(min !== undefined && { minLength: min }), ...(max !== undefined && { maxLength: max }) };
	return z.string().check(check).meta(lengths);
}

function check(schema: z.ZodType, value: unknown) {
	return schema.safeParseAsync(value, { error: describeIssue, reportInput: true });
}

interface NullMember {
	readonly parent: Record<PropertyKey, unknown>;
	readonly name: PropertyKey;
}

function nullMember(value: unknown, path: readonly PropertyKey[]): NullMember[] {
	const name = path.at(-1);
	if (name === undefined || valueAt(value, path) !== null) return [];
	const parent = valueAt(value, path.slice(0, -1)) as NullMember['parent'] | null;
	return parent === null || Array.isArray(parent) ? [] : [{ parent, name }];
}

/** Checks as if the members were absent. Then restores them, because the fingerprint of a request includes them. */
async function checkWithout(members: readonly NullMember[], schema: z.ZodType, value: unknown) {
	for (const { parent, name } of members) delete parent[name];
	const result = await check(schema, value);
	for (const { parent, name } of members) parent[name] = null;
	return result;
}

/** The path of a member, as in `param`, and a hint to a known member with a similar name; empty when there is none. */
type UnknownMember = Readonly<Record<'name' | 'hint', string>>;

/** The part of a schema that is read here. Another copy of zod may have created the schema. */
interface Schema {
	readonly _zod: {
		readonly def: Partial<Readonly<Record<'catchall' | 'element' | 'innerType' | 'in', Schema>>> & {
			readonly type: string;
			readonly shape?: Readonly<Record<string, Schema>>;
			readonly options?: readonly Schema[];
			readonly values?: readonly unknown[];
		};
	};
}

/**
 * The members that a schema does not know and would drop, at any depth, ten at most. Members of a value that a schema
 * transforms before it checks them count as known, and so do all members of a loose object.
 */
export function unknownMembers(schema: z.ZodType, value: unknown): readonly UnknownMember[] {
	const unknown = unknownPaths(schema as unknown as Schema, value, []).slice(0, 10);
	return unknown.map(({ path, shape }) => {
		const similar = nearest(String(path.at(-1)).slice(0, 100), Object.keys(shape));
		return { name: pathName(path).slice(0, 200), hint: similar === undefined ? '' : ` Did you mean ${similar}?` };
	});
}

/** The path of an unknown member, and the members that its object may have. */
type UnknownPath = { readonly path: readonly PropertyKey[]; readonly shape: object };

function unknownPaths({ _zod: { def } }: Schema, value: unknown, path: UnknownPath['path']): readonly UnknownPath[] {
	if (typeof value !== 'object' || value === null) return [];
	const { shape, catchall, element, options } = def;
	if (shape) {
		return Object.entries(value).flatMap(([name, member]) => {
			// As for a known member, `null` means that it is absent.
			if (member === null || member === undefined) return [];
			const at = [...path, name];
			const known = Object.hasOwn(shape, name) ? shape[name] : catchall;
			return known ? unknownPaths(known, member, at) : [{ path: at, shape }];
		});
	}
	if (element && Array.isArray(value)) {
		return value.flatMap((item, index) => unknownPaths(element, item, [...path, index]));
	}
	if (options) {
		const forms = options
			.filter((option) => mayMatch(option, value))
			.map((option) => unknownPaths(option, value, path));
		return forms.sort((a, b) => a.length - b.length)[0] ?? [];
	}
	const inner = def.innerType ?? def.in;
	return inner ? unknownPaths(inner, value, path) : [];
}

/** Whether an object or array may have this form: by its kind, and by members with a fixed value such as `type`. */
function mayMatch({ _zod: { def } }: Schema, value: object): boolean {
	if (def.type === 'array') return Array.isArray(value);
	if (!def.shape) return !['string', 'number', 'boolean', 'enum', 'literal', 'null'].includes(def.type);
	const members = value as Readonly<Record<string, unknown>>;
	const isOther = ([name, { _zod }]: [string, Schema]) => _zod.def.values?.includes(members[name]) === false;
	return !Array.isArray(value) && !Object.entries(def.shape).some(isOther);
}
