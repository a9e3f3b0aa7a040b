import { malformed } from '../chunks.ts';
import { dataStart, isAddress } from '../files/data-url.ts';

/** Characters of the longest data URL that stays a string. */
export const longestString = 65_536;

/** A part of a string whose kind is known. */
export interface StringPart {
	/** As it was sent. */
	readonly text?: Buffer;
	/** Base64 of a string that is longer than {@link longestString}, without the header of a data URL. */
	readonly data?: string;
}

/** A string that may be a data URL, or base64 alone where that is accepted. It is held back until its kind is known. */
export class LongString {
	readonly #mayBeBare: boolean;
	#kind: 'unknown' | 'text' | 'file' = 'unknown';
	#held: Buffer[] = [];
	#heldBytes = 0;
	#checkAtBytes = longestString;

	constructor(mayBeBare: boolean) {
		this.#mayBeBare = mayBeBare;
	}

	/** Adds the next piece, which does not split an escape. Throws `E_BODY_MALFORMED` for an invalid JSON string. */
	add(bytes: Buffer, isEnd: boolean): StringPart {
		if (this.#kind === 'text') return { text: bytes };
		if (this.#kind === 'file') return { data: unescaped(bytes.toString('latin1')) };
		if (bytes.length > 0) this.#held.push(bytes);
		this.#heldBytes += bytes.length;
		// A URL whose characters are escaped is shorter than its bytes.
		const data = this.#heldBytes > (isEnd ? longestString : this.#checkAtBytes) ? this.#checkHeld() : undefined;
		if (data !== undefined) return { data };
		if (!isEnd && this.#mayBeFile()) return {};
		this.#kind = 'text';
		const text = Buffer.concat(this.#held);
		this.#held = [];
		return { text };
	}

	/** Returns the data so far if it belongs to a file, and so is longer than a string may be. */
	#checkHeld(): string | undefined {
		this.#checkAtBytes += longestString;
		const url = unescaped(Buffer.concat(this.#held).toString());
		const start = dataStart(url) ?? (this.#mayBeBare && !isAddress(url) ? 0 : undefined);
		if (start === undefined) this.#kind = 'text';
		if (start === undefined || url.length <= longestString) return undefined;
		this.#kind = 'file';
		this.#held = [];
		return url.slice(start);
	}

	/** Decides by the first byte, which may begin an escape, so that most strings are not held back. */
	#mayBeFile(): boolean {
		if (this.#kind !== 'unknown' || this.#mayBeBare) return this.#kind === 'unknown';
		const first = this.#held[0]?.[0];
		return first === undefined || firstBytes.includes(first);
	}
}

/** `d`, `D` and the backslash. */
const firstBytes: readonly number[] = [0x64, 0x44, 0x5c];

/** Decodes the content of a JSON string. Throws `E_BODY_MALFORMED` if it is invalid. */
function unescaped(content: string): string {
	try {
		return JSON.parse(`"${content}"`) as string;
	} catch {
		throw malformed('a string holds an escape or a control character that JSON does not know');
	}
}
