/** A slot of a model that is in use. It is freed once: at `free`, or when its work is done and nobody keeps it. */
export class ModelSlot {
	readonly #onFree: () => void;
	#isDone = false;
	#isFree = false;
	#keepers = 0;

	constructor(onFree: () => void) {
		this.#onFree = onFree;
	}

	/** Keeps the slot after its work is done, until the returned function is called or `signal` aborts. */
	keep(signal: AbortSignal): () => void {
		let isKept = true;
		this.#keepers += 1;
		const release = () => {
			if (!isKept) return;
			isKept = false;
			signal.removeEventListener('abort', release);
			this.#keepers -= 1;
			if (this.#isDone && this.#keepers === 0) this.free();
		};
		if (signal.aborted || this.#isFree) release();
		else signal.addEventListener('abort', release, { once: true });
		return release;
	}

	/** Says that the work is done. */
	done(): void {
		this.#isDone = true;
		if (this.#keepers === 0) this.free();
	}

	/** Frees the slot, also when somebody keeps it. */
	free(): void {
		if (this.#isFree) return;
		this.#isFree = true;
		this.#onFree();
	}
}
