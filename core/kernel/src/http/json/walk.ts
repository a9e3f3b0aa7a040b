import { find, shortString } from './bytes.ts';
import type { JsonBounds } from './scan.ts';

/**
 * What a string of a JSON text is: the name of an object's member, the value behind the last name, or an element of
 * an array.
 */
export type StringRole = 'name' | 'member' | 'element';

/**
 * Told of each string of a text: where its content begins and ends between the quotes, what it is, and how many
 * brackets are open around it.
 */
export type StringVisit = (start: number, end: number, role: StringRole, depth: number) => void;

/** What may come next. The order matters: values up to `valueOrEnd`, then names. */
const value = 0;
const valueOrEnd = 1;
const name = 2;
const nameOrEnd = 3;
const colon = 4;
const separator = 5;

/** Bytes of numbers, and of `true`, `false` and `null`. */
const scalars = new Uint8Array(256);
for (const byte of Buffer.from('+-.0123456789Eaeflnrstu')) scalars[byte] = 1;

/**
 * Visits the strings of a whole JSON text in their order. False when its brackets, commas and colons do not stand as
 * in RFC 8259, when a byte outside strings belongs to no JSON, or when a bound is exceeded; what was visited then
 * means nothing. Numbers, literals and the insides of strings are not checked. Takes linear time, and far less than a
 * nanosecond per byte of long strings.
 */
export function walkStrings(bytes: Buffer, bounds: JsonBounds, visit: StringVisit): boolean {
	const ends = new StringEnds(bytes);
	const open: number[] = [];
	let expected = value;
	let keys = 0;
	let values = 1;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] as number;
		switch (byte) {
			case 0x20:
			case 0x09:
			case 0x0a:
			case 0x0d:
				break;
			case 0x22: {
				if (expected > nameOrEnd) return false;
				const end = ends.after(at + 1);
				if (end === bytes.length) return false;
				const role = open.at(-1) === 0x7b ? 'member' : 'element';
				visit(at + 1, end, expected >= name ? 'name' : role, open.length);
				expected = expected >= name ? colon : separator;
				at = end;
				break;
			}
			case 0x5b: // [
			case 0x7b: // {
				if (expected > valueOrEnd || ++values > bounds.values) return false;
				if (open.push(byte) > bounds.depth) return false;
				expected = byte === 0x7b ? nameOrEnd : valueOrEnd;
				break;
			case 0x5d: // ]
			case 0x7d: // }
				if (expected !== separator && expected !== nameOrEnd && expected !== valueOrEnd)
					return false;
				// In ASCII a closing bracket is two behind its opening one.
				if (open.pop() !== byte - 2) return false;
				expected = separator;
				break;
			case 0x2c: // ,
				if (expected !== separator || open.length === 0) return false;
				if (++values > bounds.values) return false;
				expected = open.at(-1) === 0x7b ? name : value;
				break;
			case 0x3a: // :
				if (expected !== colon || ++keys > bounds.keys) return false;
				expected = value;
				break;
			default:
				if (expected > valueOrEnd || scalars[byte] === 0) return false;
				while (scalars[bytes[at + 1] ?? 0] === 1) at++;
				expected = separator;
		}
	}
	return expected === separator && open.length === 0;
}

/** Finds where strings end. Quotes and backslashes that lie ahead are remembered, so that many searches stay linear. */
class StringEnds {
	readonly #bytes: Buffer;
	#quote = -1;
	#backslash = -1;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
	}

	/**
	 * The position of the quote that ends the content that begins at `start`; the length of the bytes when there is
	 * none.
	 */
	after(start: number): number {
		const bytes = this.#bytes;
		const { length } = bytes;
		for (let at = start, near = at + shortString; at < length; at++) {
			if (at >= near) {
				at = this.#leap(at);
				near = at + shortString;
			}
			const byte = bytes[at];
			if (byte === 0x22) return at;
			if (byte === 0x5c) at++;
		}
		return length;
	}

	#leap(at: number): number {
		if (this.#quote < at) this.#quote = find(this.#bytes, 0x22, at);
		if (this.#backslash < at) this.#backslash = find(this.#bytes, 0x5c, at);
		return Math.min(this.#quote, this.#backslash);
	}
}
