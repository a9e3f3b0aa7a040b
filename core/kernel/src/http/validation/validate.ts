import { z } from 'zod';
import { plinthError } from '../../contract/errors/coded-error.ts';
import type { Answer } from '../../contract/http/reply.ts';
import type { Route } from '../../contract/http/route.ts';
import { wireForm } from '../answers/base64.ts';
import { AllIssues, countCodePoints, describeIssue, issueError, pathName, rootIssue, valueAt } from './issues.ts';

/**
 * Checks input against a schema and returns what the schema makes of it. `null` for an optional member that does not
 * take it is the same as its absence. The first issue decides the error: its code, its `param` as a path
 * (`messages[1].content`) and a sentence that says what is allowed and what was found. `whole` names the input where
 * the path is empty.
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
	const issue = first.error.issues.find(({ path }) => failing.has(pathName(path))) ?? issues[0];
	if (!issue) throw plinthError('E_VALUE_INVALID');
	throw issueError(rootIssue(issue), value, whole, issues.length > 1 ? new AllIssues(issues) : undefined);
}

/** Throws an error with route, status and member when a route's schema refuses its answer. */
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

/** Whether the schema takes the absence of a value. */
export function acceptsNothing(schema: z.ZodType): boolean {
	try {
		return schema.safeParse(undefined).success;
	} catch {
		// It checks asynchronously, so it checks something.
		return false;
	}
}

/** Bounds of a string in characters, that is in Unicode code points. */
export interface CodePointBounds {
	readonly min?: number;
	readonly max?: number;
}

/**
 * A string schema that counts Unicode code points, where `z.string().max()` counts UTF-16 units: an emoji is one
 * character. Answers `E_STRING_TOO_SHORT` and `E_STRING_TOO_LONG`; OpenAPI shows `minLength` and `maxLength`.
 */
export function codePoints({ min, max }: CodePointBounds): z.ZodString {
	const check = ({ value, issues }: z.core.ParsePayload<string>) => {
		const issue = { origin: 'string', inclusive: true, input: value };
		// Between length / 2 and length code points: most strings need no counting.
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

/** A member of an object whose value is `null`. */
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

/** Checks as if the members were absent. They are put back, because the fingerprint of a request has them. */
async function checkWithout(members: readonly NullMember[], schema: z.ZodType, value: unknown) {
	for (const { parent, name } of members) delete parent[name];
	const result = await check(schema, value);
	for (const { parent, name } of members) parent[name] = null;
	return result;
}
