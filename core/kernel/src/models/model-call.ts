import type { BoundModel, ModelCall, ModelCaller } from '../contract/plugin.ts';
import type { ModelSlot } from './model-slot.ts';
import type { TimeLimit } from './time-limit.ts';

/** What a plugin does with a model. */
export type ModelWork<T, M = unknown> = (call: ModelCall<M>) => Promise<T>;

const noop = (): void => {};

/** One call of a model, for one caller. Its signal is made when it is first asked for. */
export class OpenCall<M> implements ModelCall<M> {
	readonly id: string;
	readonly model: M;
	readonly isTimed: boolean;
	readonly #caller: ModelCaller;
	readonly #slot: ModelSlot | undefined;
	readonly #limit: TimeLimit | undefined;
	#signal: AbortSignal | undefined;

	constructor(bound: BoundModel<M>, caller: ModelCaller, slot?: ModelSlot, limit?: TimeLimit) {
		this.id = bound.id;
		this.model = bound.model;
		this.isTimed = limit !== undefined;
		this.#caller = caller;
		this.#slot = slot;
		this.#limit = limit;
	}

	get signal(): AbortSignal {
		this.#signal ??= this.#limit?.signal(this.#caller.signal) ?? this.#caller.signal;
		return this.#signal;
	}

	keepSlot(): () => void {
		return this.#slot?.keep(this.#caller.signal) ?? noop;
	}
}
