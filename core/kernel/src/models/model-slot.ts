/** A taken place of a model. It is given back once: when the work in it is over and nobody holds it, or at once. */
export class ModelSlot {
	readonly #back: () => void;
	#isOver = false;
	#isBack = false;
	#holds = 0;

	/** `back` hears of it when the place is free again. */
	constructor(back: () => void) {
		this.#back = back;
	}

	/** Keeps the place when the work is over, until the returned function is called or `signal` aborts. */
	keepSlot(signal: AbortSignal): () => void {
		let isHeld = true;
		this.#holds += 1;
		const release = () => {
			if (!isHeld) return;
			isHeld = false;
			signal.removeEventListener('abort', release);
			this.#holds -= 1;
			if (this.#isOver && this.#holds === 0) this.giveBack();
		};
		if (signal.aborted || this.#isBack) release();
		else signal.addEventListener('abort', release, { once: true });
		return release;
	}

	/** Says that the work has been done. */
	over(): void {
		this.#isOver = true;
		if (this.#holds === 0) this.giveBack();
	}

	/** Gives the place back whoever holds it. */
	giveBack(): void {
		if (this.#isBack) return;
		this.#isBack = true;
		this.#back();
	}
}
