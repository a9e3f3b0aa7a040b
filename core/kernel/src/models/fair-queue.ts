import type { Clock } from '../contract/ports/clock.ts';
import type { ModelSlot } from './model-slot.ts';
import { type SlotCaller, type SlotQueue, WaitingLine } from './waiting-line.ts';

/** The slots of one model and the line for them. */
export class FairQueue implements SlotQueue {
	readonly slots: number;
	readonly #line: WaitingLine<undefined>;
	#free: number;

	/** At most `waiting` callers wait for one of `slots` slots. */
	constructor(slots: number, waiting: number, clock: Clock) {
		this.slots = slots;
		this.#line = new WaitingLine(slots, waiting, clock);
		this.#free = slots;
	}

	get hasFreeSlot(): boolean {
		return this.#free > 0;
	}

	enter(caller: SlotCaller): ModelSlot | Promise<ModelSlot> {
		if (this.#free === 0) return this.#line.wait(caller, undefined);
		this.#free -= 1;
		return this.#slot();
	}

	#slot(): ModelSlot {
		return this.#line.slot(() => {
			if (!this.#line.serve(() => this.#slot())) this.#free += 1;
		});
	}
}
