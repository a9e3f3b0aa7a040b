import type { core } from 'zod';
import { type PlinthError, plinthError } from '../../contract/errors/coded-error.ts';
import { errors } from '../../contract/errors/errors.ts';
import { isUpload } from '../../contract/http/upload.ts';
import { pathName, withArticle } from '../../contract/words.ts';

/** The text of a zod issue for a client: a fragment such as "expected an integer, found a string". */
export function describeIssue(issue: core.$ZodRawIssue): string | undefined {
	switch (issue.code) {
		case 'invalid_type':
			return `expected ${article(issue.expected)}, found ${kindOf(issue.input)}`;
		case 'invalid_value':
			return `expected ${choice(issue.values)}, found ${quote(issue.input)}`;
		case 'too_big':
			return `expected at most ${size(issue.origin, issue.maximum, issue.inclusive)}, found ${amount(issue.input)}`;
		case 'too_small':
			return `expected at least ${size(issue.origin, issue.minimum, issue.inclusive)}, found ${amount(issue.input)}`;
		case 'not_multiple_of':
			return `expected a multiple of ${issue.divisor}`;
		case 'invalid_format':
			if (issue.format !== 'regex') return `expected a string in the format "${issue.format}"`;
			return `expected a string that matches ${String(issue.pattern).slice(0, 200)}`;
		case 'unrecognized_keys':
			return 'there is no such parameter';
		case 'invalid_union': {
			const { options } = issue;
			return Array.isArray(options) ? `expected ${choice(options)}` : 'no form of it matches';
		}
		default:
			return undefined;
	}
}

/** The innermost issue, with an absolute path: of a union's likeliest form, or of the key of a record. */
export function rootIssue(issue: core.$ZodIssue): core.$ZodIssue {
	if (issue.code === 'invalid_key' || issue.code === 'invalid_element') {
		const [inner] = issue.issues;
		return inner ? rootIssue(below(issue, inner)) : issue;
	}
	if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue;
	const forms = issue.errors.filter((form) => form.length > 0);
	const named = mergeNames(forms);
	if (named) return below(issue, named);
	const likeliest = forms.toSorted((a, b) => distance(a) - distance(b))[0];
	if (!likeliest?.[0]) return issue;
	if (isWhole(likeliest[0])) return mergeForms(issue, forms) ?? below(issue, likeliest[0]);
	return rootIssue(below(issue, likeliest[0]));
}

/** The error for the client. `value` is the whole input; `whole` names it where the path of the issue is empty. */
export function issueError(issue: core.$ZodIssue, value: unknown, whole: string, cause?: AllIssues): PlinthError {
	const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
	const param = pathName(path).slice(0, 200);
	const isMissing =
		path.length > 0 && absentCodes.includes(issue.code ?? '') && valueAt(value, issue.path) === undefined;
	const sentence = `${param || whole}: ${isMissing ? 'a value is required' : issue.message}`;
	const message = /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
	return plinthError(isMissing ? 'E_VALUE_MISSING' : codeOf(issue), { ...(param && { param }), message, cause });
}

/** All issues of an input, for the log. It is the cause of the client's error, which has only the first issue. */
export class AllIssues extends Error {
	constructor(issues: readonly core.$ZodIssue[]) {
		const roots = issues.slice(0, 20).map(rootIssue);
		super(roots.map(({ path, message }) => `${pathName(path)}: ${message}`).join('; '));
	}
}

/** The value at a path; the last value on the path if that is not an object. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
	let node = value;
	for (const key of path) {
		if (typeof node !== 'object' || node === null) return node;
		node = (node as Record<PropertyKey, unknown>)[key];
	}
	return node;
}

/** How many Unicode code points a string has. A lone surrogate counts as one. */
export function countCodePoints(text: string): number {
	let count = 0;
	for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
	return count;
}

// With these codes a value may be absent. A coercing schema reports NaN as its input then.
const absentCodes = ['invalid_type', 'invalid_value', 'invalid_union', 'custom'];

type Code = keyof typeof errors;

function codeOf(issue: core.$ZodIssue): Code {
	if (issue.code === 'invalid_type') {
		if (!isInfinite(issue.input) || !['number', 'int'].includes(issue.expected)) return 'E_VALUE_TYPE';
		return issue.input > 0 ? 'E_NUMBER_TOO_LARGE' : 'E_NUMBER_TOO_SMALL';
	}
	if (issue.code === 'unrecognized_keys') return 'E_VALUE_UNKNOWN';
	if (issue.code === 'too_big' || issue.code === 'too_small') {
		const isBig = issue.code === 'too_big';
		if (issue.origin === 'string') return isBig ? 'E_STRING_TOO_LONG' : 'E_STRING_TOO_SHORT';
		if (!['number', 'int', 'bigint'].includes(issue.origin)) return 'E_VALUE_INVALID';
		if (Number.isInteger(Number(issue.input))) return isBig ? 'E_INTEGER_TOO_LARGE' : 'E_INTEGER_TOO_SMALL';
		return isBig ? 'E_NUMBER_TOO_LARGE' : 'E_NUMBER_TOO_SMALL';
	}
	// A custom issue may name its row of the kernel's table: `params: { code: 'E_VALUE_TYPE' }`.
	const code: unknown = issue.code === 'custom' && issue.params?.code;
	return typeof code === 'string' && Object.hasOwn(errors, code) ? (code as Code) : 'E_VALUE_INVALID';
}

function below(outer: core.$ZodIssue, inner: core.$ZodIssue): core.$ZodIssue {
	return { ...inner, path: [...outer.path, ...inner.path] };
}

type Form = readonly core.$ZodIssue[];

// How far a form is from the value: farthest if the whole has the wrong type, less far if a member with fixed values,
// such as `type`, has another value, else by the number of issues. A wrong member is nearer than an absent one.
function distance(form: Form): number {
	if (form.some(isOtherKind)) return 10_000;
	if (form.some((issue) => issue.code === 'invalid_value' && issue.path.length === 1)) return 1_000;
	return form.length + (form[0]?.input === undefined ? 0.5 : 0);
}

function isOtherKind(issue: core.$ZodIssue): boolean {
	if (issue.path.length > 0) return false;
	if (issue.code === 'invalid_value') return kindOf(issue.input) === 'an object';
	return issue.code === 'invalid_type' || (issue.code === 'custom' && !!issue.params?.code);
}

function isWhole(issue: core.$ZodIssue): boolean {
	return issue.path.length === 0 && issue.code !== 'invalid_union' && issue.code !== 'custom';
}

/** For objects that a member such as `type` distinguishes, if none matches: one sentence with all its values. */
function mergeNames(forms: readonly Form[]): core.$ZodIssue | undefined {
	const names = forms.map((form) => form.find((issue) => issue.code === 'invalid_value' && issue.path.length === 1));
	const [first] = names;
	if (!first || names.some((issue) => issue?.path[0] !== first.path[0])) return undefined;
	return { ...first, ...oneOf(names, first.input) };
}

/** One sentence for "a string or an array" and for "'auto' or one of …". */
function mergeForms({ path, input }: core.$ZodIssue, forms: readonly Form[]): core.$ZodIssue | undefined {
	const firsts = forms.flatMap(([first]) => (first && isWhole(first) ? [first] : []));
	if (firsts.every(({ code }) => code === 'invalid_value')) return { path, input, ...oneOf(firsts, input) };
	const types = firsts.flatMap((issue) => (issue.code === 'invalid_type' ? [article(issue.expected)] : []));
	if (types.length !== forms.length) return undefined;
	const message = `expected ${[...new Set(types)].join(' or ')}, found ${kindOf(input)}`;
	return { path, input, code: 'invalid_type', expected: '', message };
}

function oneOf(issues: readonly (core.$ZodIssue | undefined)[], input: unknown) {
	const values = issues.flatMap((issue) => (issue?.code === 'invalid_value' ? issue.values : []));
	return { code: 'invalid_value' as const, values, message: `expected ${choice(values)}, found ${quote(input)}` };
}

const articles: Readonly<Record<string, string>> = {
	int: 'an integer',
	record: 'an object',
	boolean: 'true or false',
	stringbool: 'true or false',
	null: 'null',
	undefined: 'nothing',
	never: 'nothing',
	nonoptional: 'a value',
};

function article(type: string): string {
	return articles[type] ?? withArticle(type);
}

function kindOf(value: unknown): string {
	if (value === undefined) return 'nothing';
	if (value === null) return 'null';
	if (isUpload(value)) return 'a file';
	if (Array.isArray(value)) return 'an array';
	if (isInfinite(value)) return `a number that is too ${value > 0 ? 'large' : 'small'}`;
	if (typeof value === 'number' && !Number.isInteger(value)) {
		return Number.isNaN(value) ? 'something else' : 'a fraction';
	}
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Whether a value is infinite, as `JSON.parse` returns it for `1e999`. */
function isInfinite(value: unknown): value is number {
	return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}

function choice(values: readonly unknown[]): string {
	const [only] = values;
	return values.length === 1 ? quoteValue(only) : `one of ${values.map(quoteValue).join(', ')}`;
}

// Only values that are compared with a list are shown, because they are not secrets.
function quote(value: unknown): string {
	if (typeof value !== 'string') return kindOf(value);
	return value.length > 60 ? 'another string' : quoteValue(value);
}

function quoteValue(value: unknown): string {
	return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item', set: 'item', file: 'byte' };

function size(origin: string, bound: number | bigint, inclusive: boolean | undefined): string {
	const unit = units[origin] === undefined ? '' : ` ${units[origin]}${bound === 1 ? '' : 's'}`;
	return `${bound}${unit}${inclusive === false ? ' (exclusive)' : ''}`;
}

function amount(value: unknown): string {
	if (typeof value === 'string') return String(countCodePoints(value));
	if (Array.isArray(value)) return String(value.length);
	return typeof value === 'number' ? String(value) : 'another';
}
