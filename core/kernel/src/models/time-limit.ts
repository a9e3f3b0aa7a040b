import { setMaxListeners } from 'node:events';
import { type PlinthError, plinthError } from '../contract/errors/coded-error.ts';
import type { Clock } from '../contract/ports/clock.ts';

/** Bounds the time until a piece of work has settled. */
export class TimeLimit {
	readonly #clock: Clock;
	readonly #ms: number;
	#passed: PlinthError | undefined;
	#controller: AbortController | undefined;

	/** `ms` milliseconds from `bound` on. */
	constructor(ms: number, clock: Clock) {
		this.#clock = clock;
		this.#ms = ms;
	}

	/** A signal that aborts when `signal` does, and with `E_MODEL_TIMEOUT` when the time is over before the work has settled. */
	signal(signal: AbortSignal): AbortSignal {
		this.#controller ??= new AbortController();
		if (this.#passed) this.#controller.abort(this.#passed);
		const both = AbortSignal.any([signal, this.#controller.signal]);
		// Work may hang one listener per output on it; ten would print a warning.
		setMaxListeners(0, both);
		return both;
	}

	/** Settles as `work` does, or rejects with `E_MODEL_TIMEOUT` when the time is over first: `late` is then called before, and how the work ends is nobody's concern. */
	bound<T>(work: Promise<T>, late: () => void): Promise<T> {
		return new Promise((resolve, reject) => {
			const cancel = this.#clock.after(this.#ms, () => {
				this.#passed = tooLate(this.#ms);
				late();
				reject(this.#passed);
				this.#controller?.abort(this.#passed);
			});
			work.then(
				(value) => {
					cancel();
					resolve(value);
				},
				(error) => {
					cancel();
					reject(error);
				},
			);
		});
	}
}

function tooLate(ms: number): PlinthError {
	return plinthError('E_MODEL_TIMEOUT', {
		message: `The model did not answer within ${ms / 1000} seconds.`,
	});
}
