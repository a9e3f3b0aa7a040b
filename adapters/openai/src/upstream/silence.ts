import type { Clock } from '@plinth/core';

/** Notices that nothing has come for too long. One timer, however many pieces come. */
export class Silence {
	readonly #clock: Clock;
	readonly #ms: number;
	readonly #onSilence: () => void;
	#heard: number;
	#cancel: () => void;

	constructor(clock: Clock, ms: number, onSilence: () => void) {
		this.#clock = clock;
		this.#ms = ms;
		this.#onSilence = onSilence;
		this.#heard = clock.now();
		this.#cancel = clock.after(ms, () => this.#look());
	}

	/** Something has come. */
	heard(): void {
		this.#heard = this.#clock.now();
	}

	/** Nothing more is waited for. */
	end(): void {
		this.#cancel();
	}

	#look(): void {
		const rest = this.#heard + this.#ms - this.#clock.now();
		if (rest <= 0) this.#onSilence();
		else this.#cancel = this.#clock.after(rest, () => this.#look());
	}
}
