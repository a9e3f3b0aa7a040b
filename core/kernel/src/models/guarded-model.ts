import { setMaxListeners } from 'node:events';
import { orAbort } from '../contract/abort.ts';
import { plinthError } from '../contract/errors/coded-error.ts';
import type { ResolvedModel } from '../contract/model-settings.ts';
import type { BoundModel, ModelCall, ModelCaller } from '../contract/plugin.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { type CallOutcome, Circuit } from './circuit.ts';
import { codeOf, isModelFailure } from './failures.ts';
import type { GroupSlots } from './model-group.ts';
import { defaultWaiting, FairQueue, type ModelSlot, type SlotQueue } from './wait-queue.ts';

/** How long work that continues after its time limit keeps the slot of its model, in milliseconds. */
export const abandonMs = 30_000;

export type ModelWork<T, M = unknown> = (call: ModelCall<M>) => Promise<T>;

/** The limits of a model. Without a value, there is no limit. */
export type ModelBounds = Pick<ResolvedModel, 'concurrency' | 'waiting' | 'timeoutSeconds' | 'circuit'> & {
	/** The slots from its group, in place of `concurrency`. */
	readonly grouped?: GroupSlots | undefined;
};

export class GuardedModel {
	readonly bound: BoundModel<unknown>;
	readonly circuit: Circuit;
	readonly grouped: GroupSlots | undefined;
	/** Undefined: any number of calls may be in progress. */
	readonly queue: SlotQueue | undefined;
	readonly #clock: Clock;
	readonly #timeoutSeconds: number | undefined;

	constructor(bound: BoundModel<unknown>, bounds: ModelBounds, clock: Clock, log: Logger) {
		const { concurrency, waiting = defaultWaiting, timeoutSeconds, circuit, grouped } = bounds;
		const { id: model } = bound;
		this.bound = bound;
		this.#clock = clock;
		this.#timeoutSeconds = timeoutSeconds;
		this.grouped = grouped;
		this.queue = grouped ?? (concurrency === undefined ? undefined : new FairQueue(concurrency, waiting, clock));
		const { failures, seconds } = circuit || { failures: Number.POSITIVE_INFINITY, seconds: 0 };
		this.circuit = new Circuit({ failures, seconds }, clock, (isOpen) => {
			if (isOpen) log.warn({ model, seconds }, 'a model keeps failing; its circuit is open');
			else log.info({ model }, 'a model answers again; its circuit is closed');
		});
	}

	get isReady(): boolean {
		return this.circuit.allowsCall && (this.queue?.hasFreeSlot ?? true);
	}

	/**
	 * Waits for a slot and calls the model; returns undefined when its circuit is open. Settles like `work`. Rejects with
	 * `E_MODEL_BUSY` when the queue is full, with `E_MODEL_TIMEOUT`, and with the reason of the signal.
	 */
	async call<T>(caller: ModelCaller, work: ModelWork<T>): Promise<{ readonly result: T } | undefined> {
		const { circuit } = this;
		if (!circuit.allowsCall) return undefined;
		const entered = this.queue?.enter(caller);
		const slot = entered instanceof Promise ? await entered : entered;
		// The signal is read only after a wait, because reading it creates it.
		if (entered instanceof Promise && (caller.signal.aborted || !circuit.allowsCall)) {
			slot?.free();
			caller.signal.throwIfAborted();
			return undefined;
		}
		const isTrial = circuit.health === 'trying';
		const epoch = circuit.begin();
		// A trial ends when its caller disconnects, even if the work ignores the signal: another trial may begin.
		const endTrial = () => circuit.end(epoch, 'unknown');
		if (isTrial) caller.signal.addEventListener('abort', endTrial, { once: true });
		try {
			const result = await this.#work(slot, caller, work);
			circuit.end(epoch, 'answered');
			return { result };
		} catch (error) {
			circuit.end(epoch, outcomeOf(error, caller));
			throw error;
		} finally {
			if (isTrial) caller.signal.removeEventListener('abort', endTrial);
		}
	}

	#work<T>(slot: ModelSlot | undefined, caller: ModelCaller, work: ModelWork<T>): Promise<T> {
		const timeout = this.#timeoutSeconds === undefined ? undefined : new AbortController();
		const working = runWork(new OpenCall(this.bound, caller, slot, timeout), caller, work);
		if (slot) {
			// Failed work cannot continue, so that its slot is freed even if it has keepers.
			working.then(
				() => slot.done(),
				() => slot.free(),
			);
		}
		return timeout ? this.#limit(working, timeout, slot) : working;
	}

	/** Settles like the work, or rejects and aborts `timeout` when the time limit is reached first. */
	#limit<T>(working: Promise<T>, timeout: AbortController, slot: ModelSlot | undefined): Promise<T> {
		const seconds = this.#timeoutSeconds ?? 0;
		const cancelTimer = this.#clock.after(seconds * 1000, () => {
			if (slot) {
				// The work keeps its slot until it settles, or for `abandonMs`.
				const free = () => slot.free();
				this.#clock.after(abandonMs, free);
				working.then(free, free);
			}
			const message = `The model did not answer within ${seconds} seconds.`;
			timeout.abort(plinthError('E_MODEL_TIMEOUT', { message }));
		});
		return orAbort(timeout.signal, working).finally(cancelTimer);
	}
}

/** One call of a model, for one caller. Its signal is created when it is first read. */
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
			// Work may add a listener per output; Node prints a warning above ten.
			setMaxListeners(0, this.#signal);
		}
		return this.#signal;
	}

	keepSlot(): () => void {
		return this.#slot?.keep(this.#caller.signal) ?? (() => {});
	}
}

/** Converts an error that is thrown synchronously to a rejection. */
async function runWork<T>(call: OpenCall, caller: ModelCaller, work: ModelWork<T>): Promise<T> {
	caller.answeredBy?.(call.id);
	return await work(call);
}

function outcomeOf(error: unknown, { signal }: ModelCaller): CallOutcome {
	const isFailure = isModelFailure(error) && codeOf(error) !== 'E_MODEL_BUSY';
	return isFailure && !signal.aborted ? 'failed' : 'unknown';
}
