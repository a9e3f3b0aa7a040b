export interface JsonBounds {
	readonly depth: number;
	readonly keys: number;
	/** Values of every kind. An empty array or object counts twice. */
	readonly values: number;
}

export interface JsonPiece {
	readonly bytes: Buffer;
	/** Whether it is content of a long string, as it was sent: without quotes, and not split within an escape. */
	readonly isLong: boolean;
	/** Whether the long string ends with it. */
	readonly isEnd: boolean;
	/** The name of the object's member that contains it, as it was sent; of long names only the beginning. */
	readonly name: string;
}

/** The characters that are kept of a name. A name that is split over several chunks may keep more. */
const maxNameLength = 64;

/** A string is read byte by byte up to this length. The rest is searched, which is faster for long strings only. */
const shortString = 64;

/** 1 for each byte with a meaning outside strings. Blanks, digits and letters are skipped, which is faster. */
const meanings = new Uint8Array(256);
for (const byte of Buffer.from('"[]{},:')) meanings[byte] = 1;

/** What the next byte belongs to. A name is the key of an object's member. */
type State = 'structure' | 'name' | 'short' | 'long';

/**
 * Reads a JSON text while it arrives: counts its structure, so that a text that would take long to parse is refused
 * before, and separates the content of long strings. It takes one or two nanoseconds per byte, far less inside long
 * strings. It does not validate: its results are correct up to the first syntax error, where the parser stops too.
 */
export class JsonScanner {
	/** The first bound that the text exceeds. Nothing is read from there on. */
	excess: keyof JsonBounds | undefined;
	readonly #bounds: JsonBounds;
	readonly #longString: number;
	#state: State = 'structure';
	/** For each open bracket, whether it opens an object. */
	readonly #objects: boolean[] = [];
	#keys = 0;
	#values = 1;
	#expectsName = false;
	/** The name of the member that is read; empty in arrays. */
	#name = '';
	/** The beginning of an escape that continues in the next chunk. */
	#partialEscape: Buffer = Buffer.alloc(0);

	/** A string is long when it has more than `longString` bytes, or when it continues in the next chunk. */
	constructor(bounds: JsonBounds, longString = 0) {
		this.#bounds = bounds;
		this.#longString = longString;
	}

	/** The next pieces. All pieces together are the text, without an incomplete escape at its end, which is not JSON. */
	*split(chunk: Buffer): Generator<JsonPiece> {
		const bytes = this.#partialEscape.length > 0 ? Buffer.concat([this.#partialEscape, chunk]) : chunk;
		let start = 0;
		let at = 0;
		let completeBytes = bytes.length;
		while (at < completeBytes && !this.excess) {
			if (this.#state === 'structure') {
				at = this.#passStructure(bytes, at);
				continue;
			}
			const { end, isClosed } = contentOf(bytes, at);
			if (this.#state === 'name') this.#name += bytes.toString('latin1', at, Math.min(end, at + maxNameLength));
			if (this.#state === 'short' && !(isClosed && end - at <= this.#longString)) {
				this.#state = 'long';
				yield plain(bytes.subarray(start, at));
				start = at;
			}
			if (this.#state === 'long') {
				yield { bytes: bytes.subarray(at, end), isLong: true, isEnd: isClosed, name: this.#name };
				start = end;
			}
			if (isClosed) this.#state = 'structure';
			else completeBytes = end;
			at = end + 1;
		}
		yield plain(bytes.subarray(start, completeBytes));
		this.#partialEscape = Buffer.from(bytes.subarray(completeBytes));
	}

	/** Reads a chunk for its structure alone, and returns the first bound that is exceeded. */
	push(chunk: Buffer): keyof JsonBounds | undefined {
		for (const _ of this.split(chunk));
		return this.excess;
	}

	/** Reads up to the next string, and returns the position of its content. */
	#passStructure(bytes: Buffer, start: number): number {
		for (let at = start; at < bytes.length; at++) {
			const byte = bytes[at] ?? 0;
			if (meanings[byte] === 0) continue;
			switch (byte) {
				case 0x22: // "
					this.#state = this.#expectsName ? 'name' : 'short';
					if (this.#expectsName) this.#name = '';
					return at + 1;
				case 0x5b: // [
				case 0x7b: // {
					this.#open(byte === 0x7b);
					break;
				case 0x5d: // ]
				case 0x7d: // }
					this.#objects.pop();
					this.#expectsName = false;
					this.#name = '';
					break;
				case 0x2c: // ,
					if (++this.#values > this.#bounds.values) this.excess = 'values';
					this.#expectsName = this.#objects.at(-1) === true;
					break;
				case 0x3a: // :
					if (++this.#keys > this.#bounds.keys) this.excess = 'keys';
					this.#expectsName = false;
					break;
			}
			if (this.excess) return at + 1;
		}
		return bytes.length;
	}

	#open(isObject: boolean): void {
		this.#objects.push(isObject);
		this.#expectsName = isObject;
		this.#name = '';
		if (this.#objects.length > this.#bounds.depth) this.excess = 'depth';
		else if (++this.#values > this.#bounds.values) this.excess = 'values';
	}
}

function plain(bytes: Buffer): JsonPiece {
	return { bytes, isLong: false, isEnd: false, name: '' };
}

/** The end of a string's content: its quote, the end of the bytes, or an escape that continues after them. */
function contentOf(bytes: Buffer, start: number): { end: number; isClosed: boolean } {
	const { length } = bytes;
	let [quote, backslash] = [-1, -1];
	let searchAt = start + shortString;
	for (let at = start; at < length; ) {
		if (at >= searchAt) {
			if (quote < at) quote = find(bytes, 0x22, at);
			if (backslash < at) backslash = find(bytes, 0x5c, at);
			at = Math.min(quote, backslash);
			searchAt = at + shortString;
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

/** The position of a byte; the length of the bytes when it is not there. */
function find(bytes: Buffer, byte: number, from: number): number {
	const at = bytes.indexOf(byte, from);
	return at < 0 ? bytes.length : at;
}
