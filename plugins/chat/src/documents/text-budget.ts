import type { CapacityShare } from '@plinth/toolkit';
import { mediaError } from '@plinth/toolkit';

/** Bounds the document text of one request, which stays in memory until the response is sent. */
export class TextBudget {
	readonly #max: number;
	readonly #share: CapacityShare;

	/** `max` characters per request; `share` bounds the process. */
	constructor(max: number, share: CapacityShare) {
		this.#max = max;
		this.#share = share;
	}

	/** Adds a document. Throws 400 `E_DOCUMENT_TOO_LARGE` above the limit of a request, 503 above that of the process. */
	take(characters: number): void {
		if (this.#share.held + characters > this.#max) {
			throw mediaError('E_DOCUMENT_TOO_LARGE', {
				message:
					`The files of a request may have ${this.#max.toLocaleString('en-US')} characters of text ` +
					'together; these have more.',
			});
		}
		this.#share.take(characters);
	}

	/** Releases the share at the end of the request; may be called several times. */
	release(): void {
		this.#share.release();
	}
}
