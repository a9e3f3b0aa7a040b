/**
 * Limits the work per tick of the event loop: callers above the limit wait for later ticks, in order.
 * Otherwise, with a store and a socket that respond at once, one caller would block the others until it has finished.
 */
export class TickBudget {
	readonly #perTick: number;
	#remaining: number;
	#isScheduled = false;
	readonly #queue: (() => void)[] = [];

	constructor(perTick: number) {
		this.#perTick = perTick;
		this.#remaining = perTick;
	}

	/** Resolves when the caller may continue. */
	async take(): Promise<void> {
		if (!this.#isScheduled) this.#schedule();
		if (this.#remaining === 0) return new Promise((resolve) => this.#queue.push(resolve));
		this.#remaining -= 1;
	}

	#schedule(): void {
		this.#isScheduled = true;
		setImmediate(() => this.#nextTick());
	}

	#nextTick(): void {
		const granted = this.#queue.splice(0, this.#perTick);
		this.#remaining = this.#perTick - granted.length;
		this.#isScheduled = false;
		if (granted.length > 0) this.#schedule();
		for (const resolve of granted) resolve();
	}
}
