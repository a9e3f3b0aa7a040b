/** A document that is made to harm its reader, and what has to come of it. */
export interface HostileDocument {
	readonly name: string;
	/** Gives the same bytes each time, in some milliseconds. */
	make(): Uint8Array;
	/** The label that comes with it; says nothing unless set. */
	readonly filename?: string;
	/** Which pages are asked for. */
	readonly pages?: string;
	/** What its text must hold, or the code of the error, or one of several codes. */
	readonly ends: RegExp | string | readonly string[];
}

/** Bytes that look random and are the same each time. */
export function noise(length: number, seed = 1): Buffer {
	const bytes = Buffer.alloc(length);
	let state = seed;
	for (let at = 0; at < length; at++) {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
		bytes[at] = state >>> 24;
	}
	return bytes;
}
