import { setMaxListeners } from 'node:events';
import { plinthError } from '../contract/errors/coded-error.ts';
import type { GroupStatus, ModelHealth } from '../contract/model.ts';
import type { BoundModel, ModelCall, ModelCaller } from '../contract/plugin.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import type { ResolvedModel } from './binding.ts';
import { type CallOutcome, Circuit } from './circuit.ts';
import { codeOf, isModelFailure } from './failures.ts';
import { FairQueue } from './fair-queue.ts';
import type { GroupSlots } from './model-group.ts';
import type { ModelSlot } from './model-slot.ts';
import { defaultWaiting, type SlotCaller, type SlotQueue } from './waiting-line.ts';

/** How long work that goes on after its time limit still takes up a slot of its model, in milliseconds. */
export const abandonMs = 30_000;

/** What a plugin does with a model. */
export type ModelWork<T, M = unknown> = (call: ModelCall<M>) => Promise<T>;

/** The bounds of a model. What is left out is not bounded. */
export type ModelBounds = Pick<ResolvedModel, 'concurrency' | 'waiting' | 'timeoutSeconds' | 'circuit'> & {
	/** The slots that its group gives it, in place of `concurrency`. */
	readonly grouped?: GroupSlots | undefined;
};

/** The right to one call of a guarded model. */
export interface Permit {
	readonly slot: ModelSlot | undefined;
	/** The epoch of the circuit when the call began. */
	readonly epoch: number;
	readonly isTrial: boolean;
}

/** A model whose calls stay within its bounds. */
export class GuardedModel {
	readonly bound: BoundModel<unknown>;
	readonly #clock: Clock;
	readonly #grouped: GroupSlots | undefined;
	readonly #queue: SlotQueue | undefined;
	readonly #circuit: Circuit | undefined;
	readonly #timeoutSeconds: number | undefined;

	constructor(bound: BoundModel<unknown>, bounds: ModelBounds, clock: Clock, log: Logger) {
		const { concurrency, waiting = defaultWaiting, timeoutSeconds, circuit, grouped } = bounds;
		const { id: model } = bound;
		this.bound = bound;
		this.#clock = clock;
		this.#timeoutSeconds = timeoutSeconds;
		this.#grouped = grouped;
		this.#queue = grouped ?? (concurrency === undefined ? undefined : new FairQueue(concurrency, waiting, clock));
		if (!circuit) return;
		this.#circuit = new Circuit(circuit, clock, (isOpen) => {
			if (isOpen) log.warn({ model, seconds: circuit.seconds }, 'a model keeps failing; its circuit is open');
			else log.info({ model }, 'a model answers again; its circuit is closed');
		});
	}

	get health(): ModelHealth {
		return this.#circuit?.health ?? 'up';
	}

	/** Whether a call would begin at once. */
	get isReady(): boolean {
		return this.allowsCall && (this.#queue?.hasFreeSlot ?? true);
	}

	/** How many calls may be under way now; undefined: any number. */
	get slots(): number | undefined {
		return this.#queue?.slots;
	}

	/** What its group says of it. */
	get group(): GroupStatus | undefined {
		return this.#grouped?.status;
	}

	/** Waits in the line of its group for a slot that the next call takes. False without a group. */
	async reserve(caller: SlotCaller): Promise<boolean> {
		await this.#grouped?.reserve(caller);
		return this.#grouped !== undefined;
	}

	/** Milliseconds until its circuit allows a call. */
	get waitMs(): number {
		return this.#circuit?.waitMs ?? 0;
	}

	/** Whether its circuit allows a call. */
	get allowsCall(): boolean {
		return this.#circuit?.allowsCall ?? true;
	}

	/**
	 * Waits until the caller may begin; undefined when the circuit is open. Rejects with `E_MODEL_BUSY` when the queue
	 * is full, and with the reason of the caller's signal.
	 */
	async acquire(caller: ModelCaller): Promise<Permit | undefined> {
		if (!this.allowsCall) return undefined;
		const entered = this.#queue?.enter(caller);
		if (!(entered instanceof Promise)) return this.#permit(entered);
		const slot = await entered;
		// The signal is read only after a wait: reading it makes it.
		if (this.allowsCall && !caller.signal.aborted) return this.#permit(slot);
		slot.free();
		caller.signal.throwIfAborted();
		return undefined;
	}

	/** Calls the model. Settles as `work` does, or rejects with `E_MODEL_TIMEOUT`. */
	async call<T>({ slot, epoch, isTrial }: Permit, caller: ModelCaller, work: ModelWork<T>): Promise<T> {
		const timeout = this.#timeoutSeconds === undefined ? undefined : new AbortController();
		const working = begin(new OpenCall(this.bound, caller, slot, timeout), caller, work);
		if (slot) {
			// Work that fails leaves nothing that could go on in its slot.
			working.then(
				() => slot.done(),
				() => slot.free(),
			);
		}
		const stopWatching = isTrial ? this.#watchTrial(epoch, caller.signal) : undefined;
		try {
			const result = await (timeout ? this.#limit(working, timeout, slot) : working);
			this.#circuit?.end(epoch, 'answered');
			return result;
		} catch (error) {
			this.#circuit?.end(epoch, outcomeOf(error, caller));
			throw error;
		} finally {
			stopWatching?.();
		}
	}

	#permit(slot: ModelSlot | undefined): Permit {
		const isTrial = this.#circuit?.health === 'trying';
		return { slot, epoch: this.#circuit?.begin() ?? 0, isTrial };
	}

	/** Ends a trial whose caller has left, also when its work ignores the signal: another trial may begin. */
	#watchTrial(epoch: number, signal: AbortSignal): () => void {
		const leave = () => this.#circuit?.end(epoch, 'unknown');
		signal.addEventListener('abort', leave, { once: true });
		return () => signal.removeEventListener('abort', leave);
	}

	/** Settles as the work does, or rejects, and aborts `timeout`, when the time is over first. */
	#limit<T>(working: Promise<T>, timeout: AbortController, slot: ModelSlot | undefined): Promise<T> {
		const seconds = this.#timeoutSeconds ?? 0;
		const { promise, resolve, reject } = Promise.withResolvers<T>();
		const cancelTimer = this.#clock.after(seconds * 1000, () => {
			const message = `The model did not answer within ${seconds} seconds.`;
			const error = plinthError('E_MODEL_TIMEOUT', { message });
			if (slot) this.#detach(slot, working);
			reject(error);
			timeout.abort(error);
		});
		working.then(resolve, reject);
		return promise.finally(cancelTimer);
	}

	/** After a timeout, the work keeps its slot until it settles, or for `abandonMs`. */
	#detach(slot: ModelSlot, working: Promise<unknown>): void {
		const cancelTimer = this.#clock.after(abandonMs, () => slot.free());
		const settle = () => {
			cancelTimer();
			slot.free();
		};
		working.then(settle, settle);
	}
}

/** One call of a model, for one caller. Its signal is made when it is first read. */
class OpenCall implements ModelCall<unknown> {
	readonly id: string;
	readonly model: unknown;
	readonly isTimed: boolean;
	readonly #caller: ModelCaller;
	readonly #slot: ModelSlot | undefined;
	readonly #timeout: AbortController | undefined;
	#signal: AbortSignal | undefined;

	constructor({ id, model }: BoundModel<unknown>, caller: ModelCaller, slot?: ModelSlot, timeout?: AbortController) {
		this.id = id;
		this.model = model;
		this.isTimed = timeout !== undefined;
		this.#caller = caller;
		this.#slot = slot;
		this.#timeout = timeout;
	}

	get signal(): AbortSignal {
		if (!this.#timeout) return this.#caller.signal;
		if (!this.#signal) {
			this.#signal = AbortSignal.any([this.#caller.signal, this.#timeout.signal]);
			// Work may add a listener per output; more than ten would print a warning.
			setMaxListeners(0, this.#signal);
		}
		return this.#signal;
	}

	keepSlot(): () => void {
		return this.#slot?.keep(this.#caller.signal) ?? (() => {});
	}
}

/** What is thrown before there is a promise counts as a rejection. */
async function begin<T>(call: OpenCall, caller: ModelCaller, work: ModelWork<T>): Promise<T> {
	caller.answeredBy?.(call.id);
	return await work(call);
}

function outcomeOf(error: unknown, { signal }: ModelCaller): CallOutcome {
	const isFailure = isModelFailure(error) && codeOf(error) !== 'E_MODEL_BUSY';
	return isFailure && !signal.aborted ? 'failed' : 'unknown';
}
