import type { CapacityShare } from '@plinth/toolkit';
import { mediaError } from '@plinth/toolkit';

/** The text of one request's documents, which stays in memory until the request is answered. */
export class TextBudget {
	readonly #most: number;
	readonly #share: CapacityShare;

	/** A request may bring `most` characters; what the process holds altogether is bounded by `share`. */
	constructor(most: number, share: CapacityShare) {
		this.#most = most;
		this.#share = share;
	}

	/** Counts the text of one more document. Throws 400 `E_DOCUMENT_TOO_LARGE` beyond what a request may bring, 503 beyond what the process holds. */
	take(characters: number): void {
		if (this.#share.held + characters > this.#most) {
			throw mediaError('E_DOCUMENT_TOO_LARGE', {
				message: `The files of a request may hold ${this.#most.toLocaleString('en-US')} characters of text together; these hold more.`,
			});
		}
		this.#share.take(characters);
	}

	/** To be called when the request is answered, or given up; also more than once. */
	release(): void {
		this.#share.release();
	}
}
