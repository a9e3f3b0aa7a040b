import { isUtf8 } from 'node:buffer';
import { invalidValue } from '../../contract/errors/coded-error.ts';
import type { RawBody } from '../../contract/ports/forward.ts';
import { hasPoison } from '../json/value.ts';
import { walkStrings } from '../json/walk.ts';
import { httpLimits } from '../limits.ts';

/** The longest body that is parsed before a route's `forward` sees it, in bytes. */
export const parsedBytes = 262_144;

/**
 * Looks through a JSON body that is at hand. Undefined for what the ordinary reader should judge: what is no JSON object in UTF-8 with a text under `model`,
 * exceeds a bound, names one member twice, or carries a key that could reach a prototype. Throws `E_VALUE_INVALID` when `model` is given twice: whoever
 * reads the bytes later might take the other one.
 */
export function scanBody(bytes: Buffer): JsonBody | undefined {
	if (!isUtf8(bytes)) return undefined;
	const isShort = bytes.length <= parsedBytes;
	const whole = isShort ? bytes.toString() : '';
	// Of ASCII the characters lie where the bytes do, and need not be read once more.
	const text = whole.length === bytes.length ? whole : bytes;
	const names: (string | undefined)[] = [];
	const places: Span[] = [];
	let model: Span | undefined;
	let longest = 0;
	const isWhole = walkStrings(bytes, httpLimits, (start, end, role, depth) => {
		if (end - start > longest) longest = end - start;
		if (depth > 1) return;
		if (role === 'name') {
			names.push(textOf(text, start, end));
			places.push({ start, end });
		} else if (names.at(-1) === 'model') model = { start, end };
	});
	if (!isWhole) return undefined;
	if (names.indexOf('model') !== names.lastIndexOf('model')) {
		throw invalidValue('model', 'model: it is given more than once; one is expected.');
	}
	if (!model || !areDistinct(names)) return undefined;
	const named = textOf(text, model.start, model.end);
	if (named === undefined) return undefined;
	const value = isShort ? parsed(whole) : undefined;
	if (isShort && !value) return undefined;
	return new JsonBody(bytes, { names, places, value, model: named, span: model, longest });
}

/** Undefined is a name that no string can mean. */
function areDistinct(names: readonly (string | undefined)[]): names is readonly string[] {
	return new Set(names).size === names.length && !names.includes(undefined);
}

/** Where a string's content lies between its quotes. */
interface Span {
	readonly start: number;
	readonly end: number;
}

interface Found {
	readonly names: readonly string[];
	/** Of the names. */
	readonly places: readonly Span[];
	readonly value: Readonly<Record<string, unknown>> | undefined;
	readonly model: string;
	/** Of the model's name. */
	readonly span: Span;
	readonly longest: number;
}

/** A body that has been looked through. */
export class JsonBody implements RawBody {
	readonly bytes: Buffer;
	readonly model: string;
	readonly names: readonly string[];
	readonly value: Readonly<Record<string, unknown>> | undefined;
	/** Bytes of its longest string, as it was sent. */
	readonly longestString: number;
	readonly #model: Span;
	readonly #places: readonly Span[];

	constructor(bytes: Buffer, { names, places, value, model, span, longest }: Found) {
		this.bytes = bytes;
		this.model = model;
		this.names = names;
		this.value = value;
		this.longestString = longest;
		this.#model = span;
		this.#places = places;
	}

	mentions(words: readonly string[]): boolean {
		const { bytes } = this;
		const sought = words.map(latin1);
		let found = false;
		let isType = false;
		walkStrings(bytes, httpLimits, (start, end, role) => {
			if (found || !(role === 'name' || (role === 'member' && isType))) return;
			const text = bytes.toString('latin1', start, end);
			found = text.includes('\\') || sought.includes(text);
			isType = role === 'name' && text === 'type';
		});
		return found;
	}

	withModel(name: string, renamed?: readonly [from: string, to: string]): Buffer {
		const place = renamed && this.#places[this.names.indexOf(renamed[0])];
		const changes = [
			...(name === this.model ? [] : [{ at: this.#model, text: name }]),
			...(place ? [{ at: place, text: renamed[1] }] : []),
		];
		return changes.length === 0 ? this.bytes : spliced(this.bytes, changes);
	}
}

interface Change {
	readonly at: Span;
	readonly text: string;
}

/** The same bytes with other strings in some places. */
function spliced(bytes: Buffer, changes: Change[]): Buffer {
	const parts: Buffer[] = [];
	let from = 0;
	for (const { at, text } of changes.sort((one, other) => one.at.start - other.at.start)) {
		parts.push(bytes.subarray(from, at.start - 1), Buffer.from(JSON.stringify(text)));
		from = at.end + 1;
	}
	parts.push(bytes.subarray(from));
	return Buffer.concat(parts);
}

/** A word as UTF-8 that is read as Latin-1, the fastest way to read it, spells it. */
function latin1(word: string): string {
	return Buffer.from(word).toString('latin1');
}

/** What a string means. Undefined when it cannot stand in JSON. */
function textOf(from: Buffer | string, start: number, end: number): string | undefined {
	const text =
		typeof from === 'string' ? from.slice(start, end) : from.toString('utf8', start, end);
	if (!text.includes('\\')) return text;
	try {
		return JSON.parse(`"${text}"`) as string;
	} catch {
		return undefined;
	}
}

/** Only with these can a text spell a key that could reach a prototype. */
const suspicious = /__proto__|constructor|\\u/;

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const value = JSON.parse(text) as Record<string, unknown>;
		return suspicious.test(text) && hasPoison(value) ? undefined : value;
	} catch {
		return undefined;
	}
}
