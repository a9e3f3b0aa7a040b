import type { CapacityShare, DocumentText } from '@plinth/toolkit';
import { cutText, lengthOf } from './cut.ts';

/** The cost of a page besides its text: a document may have many empty pages. */
const pageWeight = 100;

/** Bounds the text of one response, which stays in memory until it is sent. */
export class TextBudget {
	#remaining: number;
	readonly #share: CapacityShare;

	/** `max` characters per response; `share` bounds the process. */
	constructor(max: number, share: CapacityShare) {
		this.#remaining = max;
		this.#share = share;
	}

	/** Cuts a document to the remaining budget. Throws `E_OVERLOADED`, 503, above the limit of the process. */
	take(read: DocumentText): DocumentText {
		const kept = cutText(read, this.#remaining);
		const length = lengthOf(kept);
		this.#share.take(length + pageWeight * (kept.pages?.length ?? 0));
		this.#remaining -= length;
		return kept;
	}

	/** The characters of the response so far, approximately, without names and errors. */
	get used(): number {
		return this.#share.held;
	}

	/** Releases the share at the end of the response. */
	release(): void {
		this.#share.release();
	}
}
