import { plinthError } from '@plinth/core';

/** Bounds the concurrent requests: each holds its pictures in memory until the last one is finished. */
export class RequestLimit {
	readonly #max: number;
	#count = 0;

	constructor(max: number) {
		this.#max = max;
	}

	/** Throws `E_OVERLOADED`, 503, at the limit. */
	check(): void {
		if (this.#count >= this.#max) throw plinthError('E_OVERLOADED');
	}

	/** Counts a request until the returned function is called; further calls of it do nothing. */
	acquire(): () => void {
		this.check();
		this.#count += 1;
		let isActive = true;
		return () => {
			if (isActive) this.#count -= 1;
			isActive = false;
		};
	}
}
