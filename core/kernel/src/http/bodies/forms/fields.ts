import { invalidValue, plinthError } from '../../../contract/errors/coded-error.ts';

/** One part of a form: its field name and its text or file. */
export interface FormEntry {
	readonly name: string;
	readonly value: unknown;
}

/**
 * Folds the parts of a form into one object without a prototype. `image`, `image[]` and `image[0]` are the same
 * field; a field that occurs once is a scalar, a field that occurs several times an array in the order of the parts;
 * `a[b]` is `{ a: { b } }`.
 */
export function foldFields(entries: readonly FormEntry[]): Record<string, unknown> {
	const root: Branch = Object.create(null);
	for (const { name, value } of entries) insert(root, fieldPath(name), value);
	return unwrap(root);
}

/** The path that a field name stands for. Throws `E_VALUE_UNKNOWN` for names that no route can have. */
export function fieldPath(name: string): readonly string[] {
	const [, base = name, brackets = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? [];
	const nested = brackets.slice(1, -1).split('][');
	const path = [base, ...nested.filter((key) => !/^\d*$/.test(key))];
	if (name === '' || name.length > 256 || path.length > 8 || reachesPrototype(path)) {
		const param = name.slice(0, 100);
		const message = param ? `${param}: there is no such field.` : 'A part of the form has no name.';
		throw plinthError('E_VALUE_UNKNOWN', { ...(param && { param }), message });
	}
	return path;
}

/** Whether a careless merge along the path would change every object of the process. */
function reachesPrototype(path: readonly string[]): boolean {
	const isChain = (key: string, at: number) => key === 'prototype' && path[at - 1] === 'constructor';
	return path.includes('__proto__') || path.some(isChain);
}

// All values are gathered in arrays first, so an array is a leaf and an object is a branch.
interface Branch {
	[key: string]: Branch | unknown[];
}

function insert(root: Branch, path: readonly string[], value: unknown): void {
	let branch = root;
	for (const key of path.slice(0, -1)) {
		branch[key] ??= Object.create(null) as Branch;
		const next = branch[key];
		if (Array.isArray(next)) throw contradiction(path);
		branch = next;
	}
	const last = path.at(-1) ?? '';
	branch[last] ??= [];
	const leaf = branch[last];
	if (!Array.isArray(leaf)) throw contradiction(path);
	leaf.push(value);
}

function unwrap(branch: Branch): Record<string, unknown> {
	const result: Record<string, unknown> = Object.create(null);
	for (const [key, node] of Object.entries(branch)) {
		if (Array.isArray(node)) result[key] = node.length === 1 ? node[0] : node;
		else result[key] = unwrap(node);
	}
	return result;
}

function contradiction(path: readonly string[]): Error {
	const param = path[0] ?? '';
	return invalidValue(param, `${param}: sent both as one value and as an object; send one of them.`);
}
