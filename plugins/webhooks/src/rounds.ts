import type { Clock } from '@plinth/core';

/** Repeats a round: `everyMs` after the last one has ended, or sooner when `wake` is called. */
export class Rounds {
	readonly #clock: Clock;
	readonly #everyMs: number;
	readonly #round: (signal: AbortSignal) => Promise<void>;
	#isWanted = false;
	#resume: () => void = () => {};

	constructor(clock: Clock, everyMs: number, round: (signal: AbortSignal) => Promise<void>) {
		this.#clock = clock;
		this.#everyMs = everyMs;
		this.#round = round;
	}

	/** Runs until the signal aborts; settles when the round under way has ended. Rejects when a round does. */
	async run(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			this.#isWanted = false;
			await this.#round(signal);
			if (!this.#isWanted && !signal.aborted) await this.#pause(signal);
		}
	}

	/** Asks for a round now; one that is under way is followed by another. */
	wake(): void {
		this.#isWanted = true;
		this.#resume();
	}

	async #pause(signal: AbortSignal): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#resume = resolve;
		const cancelTimer = this.#clock.after(this.#everyMs, resolve);
		signal.addEventListener('abort', () => resolve(), { once: true });
		await promise;
		cancelTimer();
	}
}
