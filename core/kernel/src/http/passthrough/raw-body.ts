import { isUtf8 } from 'node:buffer';
import { invalidValue } from '../../contract/errors/coded-error.ts';
import type { RawBody } from '../../contract/ports/forward.ts';
import { hasPrototypeKey } from '../bodies/json/json.ts';
import { httpLimits } from '../limits.ts';

/**
 * Parses a JSON body for a route's `forward`. Undefined for what the ordinary reader must check: all but a JSON object
 * in UTF-8 with a text under `model`, within the limits, without repeated names at any depth or keys that could reach
 * a prototype. Throws `E_VALUE_INVALID` when `model` occurs twice, because an upstream might read the other one.
 */
export function scanBody(bytes: Buffer): RawBody | undefined {
	const text = isUtf8(bytes) ? bytes.toString() : '';
	const value = parsed(text);
	if (typeof value?.model !== 'string') return undefined;
	const { strings, keys, isWithinLimits } = structureOf(text);
	if (!isWithinLimits || (suspicious.test(text) && hasPrototypeKey(value))) return undefined;
	const names = new Map<string, OuterString>();
	let model: OuterString | undefined;
	let name = '';
	for (const string of strings) {
		if (string.isName) {
			name = JSON.parse(text.slice(string.start, string.end));
			if (name === 'model' && names.has(name)) {
				throw invalidValue('model', 'model: it is given more than once; one is expected.');
			}
			names.set(name, string);
		} else if (name === 'model') model = string;
	}
	if (keysIn(value) !== keys) return undefined;
	return {
		bytes,
		value,
		model: value.model,
		names: [...names.keys()],
		withModel(newName, [from, to] = ['', '']) {
			if (newName === value.model && from === '') return bytes;
			const renamed = names.get(from);
			let result = '';
			let copied = 0;
			for (const string of strings) {
				if (string !== model && string !== renamed) continue;
				const content = JSON.stringify(string === model ? newName : to);
				result += text.slice(copied, string.start) + content;
				copied = string.end;
			}
			return Buffer.from(result + text.slice(copied));
		},
	};
}

/** The position of a name or a text of the outermost object, quotes included. */
interface OuterString {
	readonly start: number;
	readonly end: number;
	readonly isName: boolean;
}

/** The outermost strings of a JSON object, and its size. The text must be valid JSON. */
function structureOf(text: string) {
	const strings: OuterString[] = [];
	let [depth, deepest, keys, values] = [0, 0, 0, 1];
	let isName = true;
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		if (character === '"') {
			const end = endOfString(text, at);
			if (depth === 1) strings.push({ start: at, end, isName });
			at = end - 1;
		} else if (character === '{' || character === '[') {
			values++;
			deepest = Math.max(deepest, ++depth);
		} else if (character === '}' || character === ']') depth--;
		else if (character === ':') {
			keys++;
			if (depth === 1) isName = false;
		} else if (character === ',') {
			values++;
			if (depth === 1) isName = true;
		}
	}
	const { depth: maxDepth, keys: maxKeys, values: maxValues } = httpLimits;
	const isWithinLimits = deepest <= maxDepth && keys <= maxKeys && values <= maxValues;
	return { strings, keys, isWithinLimits };
}

/** The position after the string that begins at `start`. Its last quote has an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
	for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
		let before = at;
		while (text[before - 1] === '\\') before--;
		if ((at - before) % 2 === 0) return at + 1;
	}
}

/** The number of members of all objects in a value. */
function keysIn(value: unknown): number {
	if (typeof value !== 'object' || value === null) return 0;
	const members: readonly unknown[] = Object.values(value);
	const own = Array.isArray(value) ? 0 : members.length;
	return members.reduce<number>((keys, member) => keys + keysIn(member), own);
}

/** Every text with a key that could reach a prototype contains one of these. */
const suspicious = /__proto__|constructor|\\u/;

function parsed(text: string): Readonly<Record<string, unknown>> | null | undefined {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
