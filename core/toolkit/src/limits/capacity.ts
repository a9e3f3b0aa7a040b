import { plinthError } from '@plinth/core';

/** Bounds what a process holds of one kind at the same time, over all requests: `most`, in a unit of the caller, such as bytes or characters. */
export class Capacity {
	readonly #max: number;
	#held = 0;

	constructor(max: number) {
		this.#max = max;
	}

	/** The share of one request, empty at first. */
	share(): CapacityShare {
		return new CapacityShare((amount) => {
			if (amount > 0 && this.#held + amount > this.#max) throw plinthError('E_OVERLOADED');
			this.#held += amount;
		});
	}
}

/** What one request holds of a {@link Capacity}. */
export class CapacityShare {
	readonly #add: (amount: number) => void;
	#held = 0;
	#isReleased = false;

	constructor(add: (amount: number) => void) {
		this.#add = add;
	}

	/** How much it is. */
	get held(): number {
		return this.#held;
	}

	/** Takes more. Throws `E_OVERLOADED`, 503, when there is no room. A share that was given back takes nothing any more. */
	take(amount: number): void {
		if (this.#isReleased) return;
		this.#add(amount);
		this.#held += amount;
	}

	/** Gives all of it back; to be called when the request is over, also more than once. */
	release(): void {
		this.#isReleased = true;
		this.#add(-this.#held);
		this.#held = 0;
	}
}
