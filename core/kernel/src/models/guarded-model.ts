import type { ModelHealth } from '../contract/model.ts';
import type { BoundModel, ModelCaller } from '../contract/plugin.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { type CallOutcome, Circuit, type CircuitListener, type CircuitSettings } from './circuit.ts';
import { codeOf, isModelFailure } from './failures.ts';
import { defaultWaiting, FairQueue } from './fair-queue.ts';
import { type ModelWork, OpenCall } from './model-call.ts';
import type { ModelSlot } from './model-slot.ts';
import { TimeLimit } from './time-limit.ts';

/** How long work that goes on after its time limit still takes up a slot of its model, in milliseconds. */
export const abandonMs = 30_000;

/** The bounds of a model. What is left out is not bounded. */
export interface ModelBounds {
	/** Calls at the same time. */
	readonly concurrency?: number | undefined;
	/** How many callers may wait for a slot; 64 unless set. */
	readonly waiting?: number | undefined;
	/** Until the work of a call settles. */
	readonly timeoutSeconds?: number | undefined;
	readonly circuit?: CircuitSettings | undefined;
}

/** What a caller needs to call a guarded model. */
export interface Permit {
	readonly slot: ModelSlot | undefined;
	/** The epoch of the circuit when the call began. */
	readonly epoch: number;
	readonly isTrial: boolean;
}

/** A model whose calls stay within its bounds. */
export class GuardedModel {
	readonly bound: BoundModel<unknown>;
	/** Whether it has no bounds: then its calls need no permit. */
	readonly isUnbounded: boolean;
	readonly #clock: Clock;
	readonly #queue: FairQueue | undefined;
	readonly #circuit: Circuit | undefined;
	readonly #timeoutMs: number | undefined;

	constructor(bound: BoundModel<unknown>, bounds: ModelBounds, clock: Clock, log: Logger) {
		const { concurrency, waiting = defaultWaiting, timeoutSeconds, circuit } = bounds;
		this.bound = bound;
		this.#clock = clock;
		if (concurrency !== undefined) this.#queue = new FairQueue(concurrency, waiting, clock);
		if (timeoutSeconds !== undefined) this.#timeoutMs = timeoutSeconds * 1000;
		if (circuit) this.#circuit = new Circuit(circuit, clock, logging(bound.id, circuit, log));
		this.isUnbounded = !this.#queue && !this.#circuit && timeoutSeconds === undefined;
	}

	/** Its health; `up` without a circuit. */
	get health(): ModelHealth {
		return this.#circuit?.health ?? 'up';
	}

	/** Whether a call would begin at once. */
	get isReady(): boolean {
		return this.#allowsCall && (this.#queue?.hasFreeSlot ?? true);
	}

	/** Milliseconds until its circuit allows a call. */
	get waitMs(): number {
		return this.#circuit?.waitMs ?? 0;
	}

	get #allowsCall(): boolean {
		return this.#circuit?.allowsCall ?? true;
	}

	/**
	 * Waits until the caller may begin; undefined when the circuit is open. Rejects with `E_MODEL_BUSY` when the queue
	 * is full, and with the reason of the caller's signal.
	 */
	async acquire(caller: ModelCaller): Promise<Permit | undefined> {
		if (!this.#allowsCall) return undefined;
		const entered = this.#queue?.enter(caller);
		if (!(entered instanceof Promise)) return this.#permit(entered);
		const slot = await entered;
		// The signal is read only after a wait: reading it makes it.
		if (this.#allowsCall && !caller.signal.aborted) return this.#permit(slot);
		slot.free();
		caller.signal.throwIfAborted();
		return undefined;
	}

	/** Calls the model. Settles as `work` does, or rejects with `E_MODEL_TIMEOUT`. */
	async call<T>({ slot, epoch, isTrial }: Permit, caller: ModelCaller, work: ModelWork<T>): Promise<T> {
		const ms = this.#timeoutMs;
		const limit = ms === undefined ? undefined : new TimeLimit(ms, this.#clock);
		const working = begin(new OpenCall(this.bound, caller, slot, limit), caller, work);
		if (slot) {
			// Work that fails leaves nothing that could go on in its slot.
			working.then(
				() => slot.done(),
				() => slot.free(),
			);
		}
		const stopWatching = isTrial ? this.#watchTrial(epoch, caller.signal) : undefined;
		try {
			const onTimeout = () => this.#detach(slot, working);
			const result = await (limit ? limit.bound(working, onTimeout) : working);
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

	/**
	 * Ends a trial whose caller has left, also when its work ignores the signal. Otherwise there would be no other
	 * trial.
	 */
	#watchTrial(epoch: number, signal: AbortSignal): () => void {
		const leave = () => this.#circuit?.end(epoch, 'unknown');
		signal.addEventListener('abort', leave, { once: true });
		return () => signal.removeEventListener('abort', leave);
	}

	/** After a timeout, the work keeps its slot until it settles, or for `abandonMs`. */
	#detach(slot: ModelSlot | undefined, working: Promise<unknown>): void {
		if (!slot) return;
		const cancelTimer = this.#clock.after(abandonMs, () => slot.free());
		const settle = () => {
			cancelTimer();
			slot.free();
		};
		working.then(settle, settle);
	}
}

/** What is thrown before there is a promise counts as a rejection. */
async function begin<T>(call: OpenCall<unknown>, caller: ModelCaller, work: ModelWork<T>): Promise<T> {
	caller.answeredBy?.(call.id);
	return work(call);
}

function outcomeOf(error: unknown, { signal }: ModelCaller): CallOutcome {
	const isFailure = isModelFailure(error) && codeOf(error) !== 'E_MODEL_BUSY';
	return isFailure && !signal.aborted ? 'failed' : 'unknown';
}

function logging(model: string, { seconds }: CircuitSettings, log: Logger): CircuitListener {
	return {
		opened: () => log.warn({ model, seconds }, 'a model keeps failing; its circuit is open'),
		closed: () => log.info({ model }, 'a model answers again; its circuit is closed'),
	};
}
