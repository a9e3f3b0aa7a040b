import type { ModelHealth } from '../contract/model.ts';
import type { BoundModel, ModelCall, ModelCaller } from '../contract/plugin.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { Circuit, type CircuitSettings, type CircuitWatch, type TurnEnd } from './circuit.ts';
import { codeOf, isModelFailure } from './failures.ts';
import { defaultWaiting, FairQueue } from './fair-queue.ts';
import { Turn } from './model-call.ts';
import type { ModelSlot } from './model-slot.ts';
import { TimeLimit } from './time-limit.ts';

/** How long work that goes on behind its time limit still takes up a place of its model, in milliseconds. */
export const abandonMs = 30_000;

/** The bounds within which a model works. What is left out is not bounded. */
export interface ModelBounds {
	/** Turns at the same time. */
	readonly concurrency?: number | undefined;
	/** How many may wait for their turn; 64 unless set. */
	readonly waiting?: number | undefined;
	/** Until the work of a turn settles. */
	readonly timeoutSeconds?: number | undefined;
	readonly circuit?: CircuitSettings | undefined;
}

/** What a caller got who may begin. */
export interface Admission {
	readonly place: ModelSlot | undefined;
	/** What the circuit wants to know when the turn has ended. */
	readonly round: number;
	readonly isTrial: boolean;
}

/** A model that works within its bounds, whatever way a caller has come to it. */
export class GuardedModel {
	readonly bound: BoundModel<unknown>;
	/** Whether nothing bounds it: then its turns need no admission. */
	readonly isUnbounded: boolean;
	readonly #clock: Clock;
	readonly #line: FairQueue | undefined;
	readonly #circuit: Circuit | undefined;
	readonly #timeoutMs: number | undefined;

	constructor(bound: BoundModel<unknown>, bounds: ModelBounds, clock: Clock, log: Logger) {
		const { concurrency, waiting = defaultWaiting, timeoutSeconds, circuit } = bounds;
		this.bound = bound;
		this.#clock = clock;
		if (concurrency !== undefined) this.#line = new FairQueue(concurrency, waiting, clock);
		if (timeoutSeconds !== undefined) this.#timeoutMs = timeoutSeconds * 1000;
		if (circuit) this.#circuit = new Circuit(circuit, clock, logged(bound.id, circuit, log));
		this.isUnbounded = !this.#line && !this.#circuit && timeoutSeconds === undefined;
	}

	/** How it does; without a circuit nobody knows better than `up`. */
	get health(): ModelHealth {
		return this.#circuit?.health ?? 'up';
	}

	/** Whether it would begin at once. */
	get isReady(): boolean {
		return !this.#isLeftAlone() && (this.#line?.hasFreePlace ?? true);
	}

	/** Milliseconds until it may be asked again. */
	get waitMs(): number {
		return this.#circuit?.waitMs ?? 0;
	}

	/**
	 * Waits until the caller may begin; undefined when the model is left alone because it keeps failing. Rejects with `E_MODEL_BUSY` when its line is full,
	 * and with the reason of the caller's signal.
	 */
	async acquire(caller: ModelCaller): Promise<Admission | undefined> {
		if (this.#isLeftAlone()) return undefined;
		const entered = this.#line?.enter(caller);
		if (!(entered instanceof Promise)) return this.#begin(entered);
		const place = await entered;
		// The signal is asked only after a wait, for it is made when it is asked for.
		if (!this.#isLeftAlone() && !caller.signal.aborted) return this.#begin(place);
		place.giveBack();
		caller.signal.throwIfAborted();
		return undefined;
	}

	/** Has the model do something for a caller who was admitted. Settles as `work` does, or rejects with `E_MODEL_TIMEOUT`. */
	async work<T>(
		{ place, round, isTrial }: Admission,
		caller: ModelCaller,
		work: (turn: ModelCall<unknown>) => Promise<T>,
	): Promise<T> {
		const ms = this.#timeoutMs;
		const limit = ms === undefined ? undefined : new TimeLimit(ms, this.#clock);
		const turn = new Turn(this.bound, caller, place, limit);
		const working = begin(turn, caller, work);
		if (place) tie(place, working);
		const stopWatching = isTrial ? this.#watchTrial(round, caller.signal) : undefined;
		try {
			const late = () => this.#detach(place, working);
			const result = await (limit ? limit.bound(working, late) : working);
			this.#circuit?.end(round, 'answered');
			return result;
		} catch (error) {
			this.#circuit?.end(round, endOf(error, caller));
			throw error;
		} finally {
			stopWatching?.();
		}
	}

	#isLeftAlone(): boolean {
		return this.#circuit !== undefined && !this.#circuit.admits;
	}

	#begin(place: ModelSlot | undefined): Admission {
		const isTrial = this.#circuit?.health === 'trying';
		return { place, round: this.#circuit?.begin() ?? 0, isTrial };
	}

	/** A trial whose caller has left is over, also when its work does not heed the signal: else there would never be another one. */
	#watchTrial(round: number, signal: AbortSignal): () => void {
		const leave = () => this.#circuit?.end(round, 'unknown');
		signal.addEventListener('abort', leave, { once: true });
		return () => signal.removeEventListener('abort', leave);
	}

	/** Nobody waits for the work any more: it keeps its place while it goes on, but not for ever. */
	#detach(place: ModelSlot | undefined, working: Promise<unknown>): void {
		if (!place) return;
		const cancel = this.#clock.after(abandonMs, () => place.giveBack());
		const settle = () => {
			cancel();
			place.giveBack();
		};
		working.then(settle, settle);
	}
}

/** What is thrown before there is a promise counts as a rejection. */
async function begin<T>(
	turn: Turn<unknown>,
	caller: ModelCaller,
	work: (turn: ModelCall<unknown>) => Promise<T>,
): Promise<T> {
	caller.answeredBy?.(turn.id);
	return work(turn);
}

/** Work that fails leaves nothing behind that could go on in its place. */
function tie(place: ModelSlot, working: Promise<unknown>): void {
	working.then(
		() => place.over(),
		() => place.giveBack(),
	);
}

function endOf(error: unknown, { signal }: ModelCaller): TurnEnd {
	const isFailure = isModelFailure(error) && codeOf(error) !== 'E_MODEL_BUSY';
	return isFailure && !signal.aborted ? 'failed' : 'unknown';
}

function logged(model: string, { seconds }: CircuitSettings, log: Logger): CircuitWatch {
	return {
		opened: () => log.warn({ model, seconds }, 'a model keeps failing and is left alone'),
		closed: () => log.info({ model }, 'a model answers again'),
	};
}
