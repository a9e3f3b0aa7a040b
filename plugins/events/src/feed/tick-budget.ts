/**
 * Shares the event loop between those who have much to do: so many go in one of its turns, the others in later ones, in the order in which they
 * asked. A store that answers at once and a socket that takes at once would otherwise let nobody else in until all is done.
 */
export class TickBudget {
	readonly #perTurn: number;
	#left: number;
	#isCounting = false;
	readonly #waiting: (() => void)[] = [];

	constructor(perTurn: number) {
		this.#perTurn = perTurn;
		this.#left = perTurn;
	}

	/** Resolves when the caller may go. */
	async take(): Promise<void> {
		if (!this.#isCounting) this.#count();
		if (this.#left === 0) return new Promise((resolve) => this.#waiting.push(resolve));
		this.#left -= 1;
	}

	#count(): void {
		this.#isCounting = true;
		setImmediate(() => this.#next());
	}

	#next(): void {
		const going = this.#waiting.splice(0, this.#perTurn);
		this.#left = this.#perTurn - going.length;
		this.#isCounting = false;
		if (going.length > 0) this.#count();
		for (const go of going) go();
	}
}
