import { setMaxListeners } from 'node:events';
import { type PlinthError, plinthError } from '../contract/errors/coded-error.ts';
import type { Clock } from '../contract/ports/clock.ts';

/** A bound on the time until work has settled. */
export class TimeLimit {
	readonly #clock: Clock;
	readonly #ms: number;
	#expired: PlinthError | undefined;
	#controller: AbortController | undefined;

	/** `ms` milliseconds from `bound` on. */
	constructor(ms: number, clock: Clock) {
		this.#clock = clock;
		this.#ms = ms;
	}

	/**
	 * A signal that aborts with `signal`, and with `E_MODEL_TIMEOUT` when the time is over before the work has settled.
	 */
	signal(signal: AbortSignal): AbortSignal {
		this.#controller ??= new AbortController();
		if (this.#expired) this.#controller.abort(this.#expired);
		const both = AbortSignal.any([signal, this.#controller.signal]);
		// Work may add a listener per output; more than ten would print a warning.
		setMaxListeners(0, both);
		return both;
	}

	/** Settles as `work` does, or calls `onTimeout` and rejects with `E_MODEL_TIMEOUT` when the time is over first. */
	bound<T>(work: Promise<T>, onTimeout: () => void): Promise<T> {
		const { promise, resolve, reject } = Promise.withResolvers<T>();
		const cancelTimer = this.#clock.after(this.#ms, () => {
			this.#expired = timeout(this.#ms);
			onTimeout();
			reject(this.#expired);
			this.#controller?.abort(this.#expired);
		});
		work.then(resolve, reject);
		return promise.finally(cancelTimer);
	}
}

function timeout(ms: number): PlinthError {
	return plinthError('E_MODEL_TIMEOUT', {
		message: `The model did not answer within ${ms / 1000} seconds.`,
	});
}
