import { plinthError } from '@plinth/core';

/** Bounds how many requests are worked on at the same time: each holds the pictures that it has finished until the last one is there. */
export class WorkLoad {
	readonly #most: number;
	#count = 0;

	constructor(most: number) {
		this.#most = most;
	}

	/** Throws `E_OVERLOADED`, 503, when there is no room for another request. */
	check(): void {
		if (this.#count >= this.#most) throw plinthError('E_OVERLOADED');
	}

	/** Counts a request until the returned function is called, however often. */
	enter(): () => void {
		this.check();
		this.#count += 1;
		let isIn = true;
		return () => {
			if (isIn) this.#count -= 1;
			isIn = false;
		};
	}
}
