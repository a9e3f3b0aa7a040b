import { documentError, type Refusal } from '../refusal.ts';

/** Maximum total size of all compressed parts of a document after inflating: 100 MB. */
export const maxInflated = 104_857_600;
/** Maximum number of entries in all archives of a document. */
export const maxEntries = 5_000;
/** Maximum number of characters of a document's text. Further text is left out. */
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
