import { dataStart, isAddress } from '../files/data-url.ts';
import { malformed } from './json.ts';

/** Characters of the longest data URL that stays a string. */
export const longestString = 65_536;

/** What can be handed on of a string. */
export interface StringPart {
	/** As it was sent. */
	readonly text?: Buffer;
	/** Base64 that is longer than {@link longestString}, without what stands before it. */
	readonly data?: string;
}

/** A string that may be a data URL, or base64 alone where that is taken. It is held back until that is known. */
export class LongString {
	readonly #mayBeBare: boolean;
	#kind: 'unknown' | 'text' | 'file' = 'unknown';
	#held: Buffer[] = [];
	#heldBytes = 0;
	#lookAt = longestString;

	constructor(mayBeBare: boolean) {
		this.#mayBeBare = mayBeBare;
	}

	/** Takes the next piece, which ends at no escape. Throws `E_BODY_MALFORMED` for what no string may hold. */
	add(bytes: Buffer, isEnd: boolean): StringPart {
		if (this.#kind === 'text') return { text: bytes };
		if (this.#kind === 'file') return { data: unescaped(bytes.toString('latin1')) };
		if (bytes.length > 0) this.#held.push(bytes);
		this.#heldBytes += bytes.length;
		// A URL whose characters are escaped is shorter than its bytes.
		const data = this.#heldBytes > (isEnd ? longestString : this.#lookAt) ? this.#look() : undefined;
		if (data !== undefined) return { data };
		if (!isEnd && this.#mayBeFile()) return {};
		this.#kind = 'text';
		return { text: this.held() };
	}

	/** What is held back so far. */
	held(): Buffer {
		const held = Buffer.concat(this.#held);
		this.#held = [];
		return held;
	}

	/** The data so far, when it has more characters than may stay a string. */
	#look(): string | undefined {
		this.#lookAt += longestString;
		const url = unescaped(Buffer.concat(this.#held).toString());
		const start = dataStart(url) ?? (this.#mayBeBare && !isAddress(url) ? 0 : undefined);
		if (start === undefined) this.#kind = 'text';
		if (start === undefined || url.length <= longestString) return undefined;
		this.#kind = 'file';
		this.#held = [];
		return url.slice(start);
	}

	/** By its first byte, which may be an escape's: most strings need not be held back. */
	#mayBeFile(): boolean {
		if (this.#kind !== 'unknown' || this.#mayBeBare) return this.#kind === 'unknown';
		const first = this.#held[0]?.[0];
		return first === undefined || beginnings.includes(first);
	}
}

/** `d`, `D` and the backslash. */
const beginnings: readonly number[] = [0x64, 0x44, 0x5c];

/** What stands between two quotes of a JSON text means this. Throws `E_BODY_MALFORMED` for what cannot stand there. */
function unescaped(content: string): string {
	try {
		return JSON.parse(`"${content}"`) as string;
	} catch {
		throw malformed('a string holds an escape or a control character that JSON does not know');
	}
}
