import { orAbort } from '@plinth/core';
import type { DocumentRun, DocumentText } from '@plinth/toolkit';

/** One read for everybody who asks for the same. It is aborted when all of them are gone. */
export class SharedRead {
	readonly #waiting = new Set<{ readonly run: DocumentRun }>();
	readonly #abort = new AbortController();
	readonly #text: Promise<DocumentText>;

	constructor(read: (run: DocumentRun) => Promise<DocumentText>) {
		const run: DocumentRun = {
			signal: this.#abort.signal,
			progress: (done, of) => {
				for (const waiter of this.#waiting) waiter.run.progress?.(done, of);
			},
		};
		this.#text = Promise.resolve().then(() => read(run));
		// Nobody may be left to hear of it.
		this.#text.catch(() => {});
	}

	/** Whether it was aborted: it is too late to join then. */
	get isAbandoned(): boolean {
		return this.#abort.signal.aborted;
	}

	/** Waits for the text, and rejects with the reason of a signal that aborts before. */
	async join(run: DocumentRun): Promise<DocumentText> {
		const waiter = { run };
		this.#waiting.add(waiter);
		try {
			return await (run.signal ? orAbort(run.signal, this.#text) : this.#text);
		} finally {
			this.#waiting.delete(waiter);
			if (this.#waiting.size === 0) this.#abort.abort(run.signal?.reason);
		}
	}
}
