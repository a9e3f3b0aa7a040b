import type { Clock } from '@plinth/core';

/** Notices that what is waited for does not come for too long. One timer, however many pieces come. */
export class Silence {
	readonly #clock: Clock;
	readonly #ms: number;
	readonly #onSilence: () => void;
	#since: number;
	#isAwaited = true;
	#cancel: () => void;

	constructor(clock: Clock, ms: number, onSilence: () => void) {
		this.#clock = clock;
		this.#ms = ms;
		this.#onSilence = onSilence;
		this.#since = clock.now();
		this.#cancel = clock.after(ms, () => this.#look());
	}

	/** A piece has come: who reads it may take their time. */
	came(): void {
		this.#isAwaited = false;
	}

	/** The next piece is waited for. */
	awaits(): void {
		this.#isAwaited = true;
		this.#since = this.#clock.now();
	}

	/** Nothing more is waited for. */
	end(): void {
		this.#cancel();
	}

	#look(): void {
		const silent = this.#isAwaited ? this.#clock.now() - this.#since : 0;
		const rest = this.#ms - silent;
		if (rest <= 0) this.#onSilence();
		else this.#cancel = this.#clock.after(rest, () => this.#look());
	}
}
