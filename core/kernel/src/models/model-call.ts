import type { BoundModel, ModelCall, ModelCaller } from '../contract/plugin.ts';
import type { ModelSlot } from './model-slot.ts';
import type { TimeLimit } from './time-limit.ts';

const nothing = (): void => {};

/** One turn of a model, for one caller. What it does not need is not made. */
export class Turn<M> implements ModelCall<M> {
	readonly id: string;
	readonly model: M;
	readonly isTimed: boolean;
	readonly #caller: ModelCaller;
	readonly #place: ModelSlot | undefined;
	readonly #limit: TimeLimit | undefined;
	#signal: AbortSignal | undefined;

	constructor(bound: BoundModel<M>, caller: ModelCaller, place?: ModelSlot, limit?: TimeLimit) {
		this.id = bound.id;
		this.model = bound.model;
		this.isTimed = limit !== undefined;
		this.#caller = caller;
		this.#place = place;
		this.#limit = limit;
	}

	get signal(): AbortSignal {
		this.#signal ??= this.#limit?.signal(this.#caller.signal) ?? this.#caller.signal;
		return this.#signal;
	}

	keepSlot(): () => void {
		return this.#place?.keepSlot(this.#caller.signal) ?? nothing;
	}
}
