import { documentError } from '../refusal.ts';

/** Most bytes that all compressed parts of a document inflate to, in all: 100 MB. */
export const maxInflated = 104_857_600;
/** Most entries of all archives. */
export const maxEntries = 5_000;
/** Most characters of text that a document gives; what is beyond is left out. */
export const maxCharacters = 20_000_000;

/** What one document, with everything inside it, may take. */
export class Budget {
	readonly #most: number;
	#inflated: number;
	#entries = maxEntries;

	/** `most`: bytes that may be inflated. */
	constructor(most: number = maxInflated) {
		this.#most = most;
		this.#inflated = most;
	}

	/** Bytes that may still be inflated. */
	get inflatable(): number {
		return this.#inflated;
	}

	/** Counts inflated bytes. */
	inflate(bytes: number): void {
		this.#inflated -= bytes;
		if (this.#inflated < 0) {
			throw documentError('E_DOCUMENT_TOO_LARGE', {
				message: `The document holds more than ${this.#most} bytes once it is unpacked.`,
			});
		}
	}

	/** Counts the entries of an archive. */
	enter(entries: number): void {
		this.#entries -= entries;
		if (this.#entries < 0) {
			throw documentError('E_DOCUMENT_TOO_LARGE', {
				message: `The document holds more than ${maxEntries} files.`,
			});
		}
	}
}
