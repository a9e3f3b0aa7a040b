/** A document that attacks its reader, and the expected result. */
export interface HostileDocument {
	readonly name: string;
	/** Returns the same bytes each time, within some milliseconds. */
	make(): Uint8Array;
	/** The media type that is sent with it; none by default. */
	readonly filename?: string;
	/** The requested pages. */
	readonly pages?: string;
	/** Text that the result must contain, or one or several allowed error codes. */
	readonly ends: RegExp | string | readonly string[];
}

/** Pseudo-random bytes that are the same each time. */
export function noise(length: number, seed = 1): Buffer {
	const bytes = Buffer.alloc(length);
	let state = seed;
	for (let at = 0; at < length; at++) {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
		bytes[at] = state >>> 24;
	}
	return bytes;
}
