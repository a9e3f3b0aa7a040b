import type { BoundModel, ModelCaller, ModelTurn } from '../plugin.ts';
import type { Place } from './place.ts';
import type { TimeLimit } from './time-limit.ts';

const nothing = (): void => {};

/** One turn of a model, for one caller. What it does not need is not made. */
export class Turn<M> implements ModelTurn<M> {
	readonly id: string;
	readonly model: M;
	readonly isTimed: boolean;
	readonly #caller: ModelCaller;
	readonly #place: Place | undefined;
	readonly #limit: TimeLimit | undefined;
	#signal: AbortSignal | undefined;

	constructor(bound: BoundModel<M>, caller: ModelCaller, place?: Place, limit?: TimeLimit) {
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

	hold(): () => void {
		return this.#place?.hold(this.#caller.signal) ?? nothing;
	}
}
