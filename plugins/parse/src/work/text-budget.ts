import type { CapacityShare, DocumentText } from '@plinth/toolkit';
import { cutText, lengthOf } from './cut.ts';

/** What a page counts beside its text: a document may have many that are empty. */
const pageWeight = 100;

/** The text of one answer, which stays in memory until the last document is read and the client has it. */
export class TextBudget {
	#left: number;
	readonly #share: CapacityShare;

	/** `most` characters fit into the answer; what the process holds altogether is bounded by `share`. */
	constructor(most: number, share: CapacityShare) {
		this.#left = most;
		this.#share = share;
	}

	/** What of a document's text stays in the answer. Throws `E_OVERLOADED`, 503, when the process holds too much. */
	take(read: DocumentText): DocumentText {
		const kept = cutText(read, this.#left);
		const length = lengthOf(kept);
		this.#share.take(length + pageWeight * (kept.pages?.length ?? 0));
		this.#left -= length;
		return kept;
	}

	/** About how many characters the answer has so far, without names and errors. */
	get held(): number {
		return this.#share.held;
	}

	/** To be called when the answer is sent, or given up. */
	release(): void {
		this.#share.release();
	}
}
