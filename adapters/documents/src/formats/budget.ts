import { documentError, type Refusal } from '../refusal.ts';

/** Most bytes that all compressed parts of a document inflate to, in all: 100 MB. */
export const maxInflated = 104_857_600;
/** Most entries of all archives. */
export const maxEntries = 5_000;
/** Most characters of text that a document gives; what is beyond is left out. */
export const maxCharacters = 20_000_000;

/** The limits of one document with everything inside it. Throws `E_DOCUMENT_TOO_LARGE` beyond. */
export class Budget {
	/** Bytes that may still be inflated. */
	inflatable: number;
	#entries = 0;

	constructor(inflatable: number = maxInflated) {
		this.inflatable = inflatable;
	}

	/** Counts inflated bytes. */
	inflate(bytes: number): void {
		this.inflatable -= bytes;
		if (this.inflatable < 0) throw tooLarge('The document holds too many bytes once it is unpacked.');
	}

	/** Counts an entry of an archive. */
	enter(): void {
		this.#entries += 1;
		if (this.#entries > maxEntries) throw tooLarge(`The document holds more than ${maxEntries} files.`);
	}
}

/** A refusal with `E_DOCUMENT_TOO_LARGE`. */
export function tooLarge(message: string, cause?: unknown): Refusal {
	return documentError('E_DOCUMENT_TOO_LARGE', { message, cause });
}
