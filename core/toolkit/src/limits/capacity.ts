import { plinthError } from '@plinth/core';

/**
 * Bounds the use of a resource in the process, over all requests: at most `max`, in a unit of the caller
 * such as bytes or characters.
 */
export class Capacity {
	readonly #max: number;
	#held = 0;

	constructor(max: number) {
		this.#max = max;
	}

	/** Creates the share of one request, empty at first. */
	share(): CapacityShare {
		return new CapacityShare((amount) => {
			if (amount > 0 && this.#held + amount > this.#max) throw plinthError('E_OVERLOADED');
			this.#held += amount;
		});
	}
}

/** The use of a {@link Capacity} by one request. */
export class CapacityShare {
	readonly #add: (amount: number) => void;
	#held = 0;
	#isReleased = false;

	constructor(add: (amount: number) => void) {
		this.#add = add;
	}

	/** The used amount. */
	get held(): number {
		return this.#held;
	}

	/** Adds to the share. Throws `E_OVERLOADED`, 503, above the capacity. Does nothing after `release`. */
	take(amount: number): void {
		if (this.#isReleased) return;
		this.#add(amount);
		this.#held += amount;
	}

	/** Returns the whole share; call it when the request ends. May be called several times. */
	release(): void {
		this.#isReleased = true;
		this.#add(-this.#held);
		this.#held = 0;
	}
}
