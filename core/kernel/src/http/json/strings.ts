import { find, meanings, shortString } from './bytes.ts';

/** A piece of a JSON text. */
export interface JsonPiece {
	readonly bytes: Buffer;
	/**
	 * Whether it belongs to the content of a long string, as it was sent: between its quotes, and cut between its
	 * escapes.
	 */
	readonly isLong: boolean;
	/** Whether the long string ends behind it. */
	readonly isEnd: boolean;
	/** The name of the object's member that it belongs to, as it was sent; of long names only the beginning. */
	readonly name: string;
}

/** Characters that are kept of a name, at least of one that comes in one piece. */
const longestName = 64;

/** What stands where the next byte is looked at. A name is the key of an object's member. */
type Place = 'structure' | 'name' | 'short' | 'long';

/**
 * Takes a JSON text apart while it arrives: into the content of its long strings, those that are values, and
 * everything else. A string counts as long when its content has more than `longest` bytes, or goes on in the next
 * chunk, which its reader may then find short.
 *
 * It is no validator, and wants a text whose depth is bounded. Up to the first mistake in a text it is right, and a
 * parser that reads everything else stops there.
 */
export class JsonStrings {
	readonly #longest: number;
	#place: Place = 'structure';
	/** For each open bracket whether it is an object's. */
	readonly #objects: boolean[] = [];
	#expectsName = false;
	/** Of the member that is read; empty in arrays. */
	#name = '';
	/** An escape that goes on in the next chunk. */
	#carried: Buffer = Buffer.alloc(0);

	constructor(longest: number) {
		this.#longest = longest;
	}

	/** The pieces in their order; together they are the text, but for a few bytes that wait for the next chunk. */
	*split(chunk: Buffer): Generator<JsonPiece> {
		const bytes = this.#carried.length > 0 ? Buffer.concat([this.#carried, chunk]) : chunk;
		let begun = 0;
		let at = 0;
		let left = bytes.length;
		while (at < left) {
			if (this.#place === 'structure') {
				at = this.#passStructure(bytes, at);
				continue;
			}
			const { end, isClosed } = contentOf(bytes, at);
			if (this.#place === 'name') this.#name += bytes.toString('latin1', at, Math.min(end, at + longestName));
			if (this.#place === 'short' && !(isClosed && end - at <= this.#longest)) {
				this.#place = 'long';
				yield this.#plain(bytes.subarray(begun, at));
				begun = at;
			}
			if (this.#place === 'long') {
				yield { bytes: bytes.subarray(at, end), isLong: true, isEnd: isClosed, name: this.#name };
				begun = end;
			}
			if (isClosed) this.#place = 'structure';
			else left = end;
			at = end + 1;
		}
		yield this.#plain(bytes.subarray(begun, left));
		this.#carried = Buffer.from(bytes.subarray(left));
	}

	/** What waits for a chunk that does not come: only a broken text leaves something. */
	rest(): Buffer {
		return this.#carried;
	}

	#plain(bytes: Buffer): JsonPiece {
		return { bytes, isLong: false, isEnd: false, name: '' };
	}

	/** Reads up to the next string, and returns the position of its content. */
	#passStructure(bytes: Buffer, start: number): number {
		for (let at = start; at < bytes.length; at++) {
			const byte = bytes[at] ?? 0;
			if (meanings[byte] === 0) continue;
			switch (byte) {
				case 0x22: // "
					this.#place = this.#expectsName ? 'name' : 'short';
					if (this.#expectsName) this.#name = '';
					return at + 1;
				case 0x5b: // [
				case 0x7b: // {
					this.#objects.push(byte === 0x7b);
					this.#expectsName = byte === 0x7b;
					this.#name = '';
					break;
				case 0x5d: // ]
				case 0x7d: // }
					this.#objects.pop();
					this.#expectsName = false;
					this.#name = '';
					break;
				case 0x2c: // ,
					this.#expectsName = this.#objects.at(-1) === true;
					break;
				case 0x3a: // :
					this.#expectsName = false;
					break;
			}
		}
		return bytes.length;
	}
}

/**
 * Where the content of a string ends: at its quote, or, when that is not there yet, at the end of the bytes or before
 * an escape that goes on behind it.
 */
function contentOf(bytes: Buffer, start: number): { end: number; isClosed: boolean } {
	const { length } = bytes;
	let [quote, backslash] = [-1, -1];
	let near = start + shortString;
	for (let at = start; at < length; ) {
		if (at >= near) {
			if (quote < at) quote = find(bytes, 0x22, at);
			if (backslash < at) backslash = find(bytes, 0x5c, at);
			at = Math.min(quote, backslash);
			near = at + shortString;
			if (at === length) break;
		}
		const byte = bytes[at];
		if (byte === 0x22) return { end: at, isClosed: true };
		if (byte !== 0x5c) {
			at++;
			continue;
		}
		const size = at + 1 < length && bytes[at + 1] === 0x75 ? 6 : 2;
		if (at + size > length) return { end: at, isClosed: false };
		at += size;
	}
	return { end: length, isClosed: false };
}
