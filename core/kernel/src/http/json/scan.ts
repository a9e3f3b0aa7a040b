import { find, meanings, shortString } from './bytes.ts';

/** What a JSON text may consist of. */
export interface JsonBounds {
	/** How deep arrays and objects nest. */
	readonly depth: number;
	/** Members of all objects together. */
	readonly keys: number;
	/** Values of every kind. An empty array or object counts twice. */
	readonly values: number;
}

/** The bound that a text exceeds. */
export type Excess = keyof JsonBounds;

/**
 * Counts the structure of a JSON text while its bytes arrive, so that a text that would take long to parse is known
 * before anything is parsed. Keeps a few numbers, whatever arrives, and takes one or two nanoseconds per byte, far
 * less inside long strings.
 *
 * It is no validator. Up to the first mistake in a text its counts are right, and a parser stops at the first mistake.
 */
export class JsonScan {
	readonly #bounds: JsonBounds;
	#depth = 0;
	#keys = 0;
	#values = 1;
	#inString = false;
	#isEscaped = false;
	/** Positions in the chunk at hand, found by searching; those behind the reader are out of date. */
	#quote = -1;
	#backslash = -1;

	constructor(bounds: JsonBounds) {
		this.#bounds = bounds;
	}

	/** Counts on, and returns the first bound that is exceeded. */
	push(chunk: Buffer): Excess | undefined {
		this.#quote = -1;
		this.#backslash = -1;
		let at = 0;
		while (at < chunk.length) {
			at = this.#inString ? this.#passString(chunk, at) : this.#passStructure(chunk, at);
			if (this.#depth > this.#bounds.depth) return 'depth';
			if (this.#keys > this.#bounds.keys) return 'keys';
			if (this.#values > this.#bounds.values) return 'values';
		}
		return undefined;
	}

	/** Reads up to the next string or opening bracket, and returns the position behind it. */
	#passStructure(chunk: Buffer, start: number): number {
		for (let at = start; at < chunk.length; at++) {
			const byte = chunk[at] ?? 0;
			if (meanings[byte] === 0) continue;
			switch (byte) {
				case 0x22: // "
					this.#inString = true;
					return at + 1;
				case 0x5b: // [
				case 0x7b: // {
					this.#depth++;
					this.#values++;
					return at + 1;
				case 0x5d: // ]
				case 0x7d: // }
					this.#depth--;
					break;
				case 0x2c: // ,
					// Long arrays of numbers have nothing else that would return.
					if (++this.#values > this.#bounds.values) return at + 1;
					break;
				case 0x3a: // :
					this.#keys++;
					break;
			}
		}
		return chunk.length;
	}

	/** Reads up to the end of the string, and returns the position behind it. */
	#passString(chunk: Buffer, start: number): number {
		const { length } = chunk;
		let at = this.#isEscaped ? start + 1 : start;
		this.#isEscaped = false;
		for (let near = at + shortString; at < length; at++) {
			if (at >= near) {
				at = this.#leap(chunk, at);
				near = at + shortString;
				// Reading behind the end would be correct, and slow from then on.
				if (at === length) break;
			}
			const byte = chunk[at];
			if (byte === 0x22) {
				this.#inString = false;
				return at + 1;
			}
			// Of `\u0041` only two bytes matter: the others can neither end the string nor begin an escape.
			if (byte === 0x5c) at++;
		}
		this.#isEscaped = at > length;
		return length;
	}

	/** The next quote or backslash; the length of the chunk when there is none. */
	#leap(chunk: Buffer, at: number): number {
		if (this.#quote < at) this.#quote = find(chunk, 0x22, at);
		if (this.#backslash < at) this.#backslash = find(chunk, 0x5c, at);
		return Math.min(this.#quote, this.#backslash);
	}
}
