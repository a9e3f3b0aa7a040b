import type { core, z } from 'zod';
import { type PlinthError, plinthError } from '../../contract/errors/coded-error.ts';
import { errors } from '../../contract/errors/errors.ts';
import { describeIssue, rootIssue } from './issues.ts';
import { withoutNulls } from './nulls.ts';

/**
 * Checks input against a schema and returns what the schema makes of it. `null` for an optional member that does not
 * take it is the same as its absence. The first issue decides the error: its code, its `param` as a path
 * (`messages[1].content`) and a sentence that says what is allowed and what was found. `whole` names the input where
 * the path is empty.
 */
export async function validate(schema: z.ZodType, value: unknown, whole = 'The body'): Promise<unknown> {
	const sent = withoutNulls(schema, value);
	const result = await schema.safeParseAsync(sent, { error: describeIssue, reportInput: true });
	if (result.success) return result.data;
	const [issue] = result.error.issues;
	throw issue ? issueError(rootIssue(issue), sent, whole) : plinthError('E_VALUE_INVALID');
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

type Code = keyof typeof errors;

function issueError(issue: core.$ZodIssue, value: unknown, whole: string): PlinthError {
	const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
	const param = pathName(path).slice(0, 200);
	const missing = path.length > 0 && isMissing(issue, value);
	const code = missing ? 'E_VALUE_MISSING' : codeOf(issue);
	const reason = missing ? 'a value is required' : issue.message;
	const sentence = `${param === '' ? whole : param}: ${reason}`;
	return plinthError(code, {
		...(param === '' ? {} : { param }),
		message: /[.!?]$/.test(sentence) ? sentence : `${sentence}.`,
	});
}

function codeOf(issue: core.$ZodIssue): Code {
	switch (issue.code) {
		case 'invalid_type':
			return 'E_VALUE_TYPE';
		case 'too_big':
			if (issue.origin === 'string') return 'E_STRING_TOO_LONG';
			return isNumeric(issue.origin) ? 'E_INTEGER_TOO_LARGE' : 'E_VALUE_INVALID';
		case 'too_small':
			if (issue.origin === 'string') return 'E_STRING_TOO_SHORT';
			return isNumeric(issue.origin) ? 'E_INTEGER_TOO_SMALL' : 'E_VALUE_INVALID';
		case 'unrecognized_keys':
			return 'E_VALUE_UNKNOWN';
		case 'custom':
			return customCode(issue.params?.code);
		default:
			return 'E_VALUE_INVALID';
	}
}

/**
 * A custom issue may name its row of the kernel's table: `ctx.addIssue({ code: 'custom', params: { code:
 * 'E_VALUE_TYPE' } })`.
 */
function customCode(code: unknown): Code {
	return typeof code === 'string' && Object.hasOwn(errors, code) ? (code as Code) : 'E_VALUE_INVALID';
}

function isNumeric(origin: string): boolean {
	return ['number', 'int', 'bigint'].includes(origin);
}

const absentCodes = ['invalid_type', 'invalid_value', 'invalid_union', 'custom'];

// By the path and not by the issue's input: a coercing schema reports NaN for what is not there.
function isMissing(issue: core.$ZodIssue, value: unknown): boolean {
	if (!absentCodes.includes(issue.code ?? '')) return false;
	let node = value;
	for (const key of issue.path) {
		if (typeof node !== 'object' || node === null) return node === undefined;
		node = (node as Record<PropertyKey, unknown>)[key];
	}
	return node === undefined;
}

/** A path as `param` spells it: `images[3].image_url`. Empty for the whole. */
export function pathName(path: readonly PropertyKey[]): string {
	return path
		.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
		.join('')
		.replace(/^\./, '');
}
