import type { core } from 'zod';
import { isUpload } from '../../contract/http/upload.ts';
import { countCodePoints } from './text.ts';

/** What one issue of zod says to a client: a fragment such as "expected an integer, found a string". */
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
			return `expected ${formatName(issue)}`;
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

/**
 * Finds the issue behind the issue: for a union the failure of the form that the sender most likely meant, for a
 * record the failure of its key. Paths are absolute.
 */
export function rootIssue(issue: core.$ZodIssue): core.$ZodIssue {
	if (issue.code === 'invalid_key' || issue.code === 'invalid_element') {
		const [inner] = issue.issues;
		return inner ? rootIssue(below(issue, inner)) : issue;
	}
	if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue;
	const forms = issue.errors.filter((form) => form.length > 0);
	const named = mergeNames(forms);
	if (named) return below(issue, named);
	const meant = forms.toSorted((a, b) => distance(a) - distance(b))[0];
	if (!meant?.[0]) return issue;
	if (isWhole(meant[0])) return mergeForms(issue, forms) ?? below(issue, meant[0]);
	return rootIssue(below(issue, meant[0]));
}

function below(outer: core.$ZodIssue, inner: core.$ZodIssue): core.$ZodIssue {
	return { ...inner, path: [...outer.path, ...inner.path] };
}

// A form is far from what was meant when the value as a whole has the wrong type, less so when a member with fixed
// values, such as `type`, has another one; after that, the fewest failures win, and a wrong member is nearer than an
// absent one.
function distance(form: readonly core.$ZodIssue[]): number {
	if (form.some(isOtherKind)) return 10_000;
	if (form.some((issue) => issue.code === 'invalid_value' && issue.path.length === 1)) return 1_000;
	return form.length + (form[0]?.input === undefined ? 0.5 : 0);
}

function isOtherKind(issue: core.$ZodIssue): boolean {
	if (issue.path.length > 0) return false;
	return issue.code === 'invalid_type' || (issue.code === 'custom' && !!issue.params?.code);
}

function isWhole(issue: core.$ZodIssue): boolean {
	return issue.path.length === 0 && issue.code !== 'invalid_union' && issue.code !== 'custom';
}

/** Objects that a member such as `type` tells apart, none of which is meant: one sentence with all its values. */
function mergeNames(forms: readonly (readonly core.$ZodIssue[])[]): core.$ZodIssue | undefined {
	const names = forms.map((form) => form.find((issue) => issue.code === 'invalid_value' && issue.path.length === 1));
	const [first] = names;
	if (!first || names.some((issue) => issue?.path[0] !== first.path[0])) return undefined;
	const values = names.flatMap((issue) => (issue?.code === 'invalid_value' ? issue.values : []));
	const message = `expected ${choice(values)}, found ${quote(first.input)}`;
	return { ...first, code: 'invalid_value', values, message };
}

/** One sentence for "a string or an array" and for "'auto' or one of …". */
function mergeForms(union: core.$ZodIssue, forms: readonly (readonly core.$ZodIssue[])[]): core.$ZodIssue | undefined {
	const firsts = forms.flatMap(([first]) => (first && isWhole(first) ? [first] : []));
	const { path, input } = union;
	const base = { path, input, message: '' };
	const values = firsts.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values : []));
	if (values.length > 0 && firsts.every(({ code }) => code === 'invalid_value')) {
		const message = `expected ${choice(values)}, found ${quote(input)}`;
		return { ...base, code: 'invalid_value', values, message };
	}
	const types = firsts.flatMap((issue) => (issue.code === 'invalid_type' ? [article(issue.expected)] : []));
	if (types.length !== forms.length) return undefined;
	const message = `expected ${[...new Set(types)].join(' or ')}, found ${kindOf(input)}`;
	return { ...base, code: 'invalid_type', expected: '', message };
}

const articles: Readonly<Record<string, string>> = {
	int: 'an integer',
	array: 'an array',
	object: 'an object',
	record: 'an object',
	boolean: 'true or false',
	stringbool: 'true or false',
	null: 'null',
	undefined: 'nothing',
	never: 'nothing',
	nonoptional: 'a value',
};

function article(type: string): string {
	return articles[type] ?? `a ${type}`;
}

function kindOf(value: unknown): string {
	if (value === undefined) return 'nothing';
	if (value === null) return 'null';
	if (isUpload(value)) return 'a file';
	if (Array.isArray(value)) return 'an array';
	if (typeof value === 'number' && !Number.isInteger(value)) {
		return Number.isNaN(value) ? 'something else' : 'a fraction';
	}
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function choice(values: readonly unknown[]): string {
	const [only] = values;
	return values.length === 1 ? quoteValue(only) : `one of ${values.map(quoteValue).join(', ')}`;
}

// Only values that stand against a list are shown: those are no secrets.
function quote(value: unknown): string {
	if (typeof value !== 'string') return kindOf(value);
	return value.length > 60 ? 'another string' : quoteValue(value);
}

function quoteValue(value: unknown): string {
	return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

const units: Readonly<Record<string, string>> = {
	string: ' character',
	array: ' item',
	set: ' item',
	file: ' byte',
};

function size(origin: string, bound: number | bigint, inclusive: boolean | undefined): string {
	const strictly = inclusive === false ? ' (exclusive)' : '';
	const unit = units[origin] ?? '';
	const plural = unit === '' || bound === 1 ? '' : 's';
	return `${bound}${unit}${plural}${strictly}`;
}

function amount(value: unknown): string {
	if (typeof value === 'string') return String(countCodePoints(value));
	if (Array.isArray(value)) return String(value.length);
	return typeof value === 'number' ? String(value) : 'another';
}

function formatName(issue: core.$ZodRawIssue<core.$ZodIssueInvalidStringFormat>): string {
	return issue.format === 'regex'
		? `a string that matches ${String(issue.pattern).slice(0, 200)}`
		: `a string in the format "${issue.format}"`;
}
