import { type PlinthError, plinthError } from '../contract/errors/coded-error.ts';
import type { ModelCaller } from '../contract/plugin.ts';
import type { Clock } from '../contract/ports/clock.ts';
import { retryAfter } from './failures.ts';

/** How many calls may wait for a model unless its binding sets another number. */
export const defaultWaiting = 64;

const newestWeight = 0.2;

/** A slot of a model that is in use. It is freed once: by `free`, or when its last keeper has called `done`. */
export class ModelSlot {
	readonly #onFree: () => void;
	#isFree = false;
	/** One for the work, and one for each call of `keep` until its release. */
	#keepers = 1;

	constructor(onFree: () => void) {
		this.#onFree = onFree;
	}

	/** Keeps the slot after its work is done, until the returned function is called or `signal` aborts. */
	keep(signal: AbortSignal): () => void {
		let isKept = true;
		this.#keepers += 1;
		const release = () => {
			if (!isKept) return;
			isKept = false;
			signal.removeEventListener('abort', release);
			this.done();
		};
		if (signal.aborted || this.#isFree) release();
		else signal.addEventListener('abort', release, { once: true });
		return release;
	}

	/** Removes one keeper. Called once when the work is done. */
	done(): void {
		this.#keepers -= 1;
		if (this.#keepers === 0) this.free();
	}

	/** Frees the slot, even if it has keepers. */
	free(): void {
		if (this.#isFree) return;
		this.#isFree = true;
		this.#onFree();
	}
}

export type SlotCaller = Pick<ModelCaller, 'principal' | 'signal' | 'waits'>;

export interface SlotQueue {
	readonly hasFreeSlot: boolean;
	/** How many calls may be in progress now, including those that already are. */
	readonly slots: number;
	/**
	 * Returns a slot, at once or when it is the caller's turn. Rejects with `E_MODEL_BUSY` if too many callers wait, and
	 * with the reason of the caller's signal, which is read only if the caller has to wait.
	 */
	enter(caller: SlotCaller): ModelSlot | Promise<ModelSlot>;
}

interface Waiter<T> extends PromiseWithResolvers<ModelSlot> {
	readonly item: T;
}

/**
 * Callers that wait for slots. Tenants take turns; within a tenant, first come, first served. In a full queue, a new
 * caller replaces the last waiter of a tenant that has more waiters than the caller's tenant would have.
 */
export class WaitQueue<T> {
	readonly #slots: number;
	readonly #maxWaiting: number;
	readonly #clock: Clock;
	/** By tenant, in the order of their turns. */
	readonly #waiters = new Map<string, Set<Waiter<T>>>();
	#size = 0;
	/** The moving average of how long a slot is in use, in milliseconds; undefined until one was freed. */
	#averageMs: number | undefined;

	/** `slots`: the number of slots, to estimate the wait. `maxWaiting`: the maximum number of callers that wait. */
	constructor(slots: number, maxWaiting: number, clock: Clock) {
		this.#slots = slots;
		this.#maxWaiting = maxWaiting;
		this.#clock = clock;
	}

	get size(): number {
		return this.#size;
	}

	slot(onFree: () => void): ModelSlot {
		const since = this.#clock.now();
		return new ModelSlot(() => {
			// The wall clock may be set back.
			const ms = Math.max(0, this.#clock.now() - since);
			this.#averageMs = this.#averageMs === undefined ? ms : this.#averageMs + (ms - this.#averageMs) * newestWeight;
			onFree();
		});
	}

	/** Waits for `serve`. Rejects with the signal's reason, or with `E_MODEL_BUSY` and an estimated `Retry-After`. */
	async wait(caller: SlotCaller, item: T): Promise<ModelSlot> {
		const { principal, signal } = caller;
		signal.throwIfAborted();
		const { tenant } = principal;
		if (this.#size >= this.#maxWaiting) this.#makeRoom(tenant);
		const waiter = { ...Promise.withResolvers<ModelSlot>(), item };
		const onAbort = () => {
			this.#remove(tenant, waiter);
			waiter.reject(signal.reason);
		};
		signal.addEventListener('abort', onAbort, { once: true });
		const waiters = this.#waiters.get(tenant) ?? new Set();
		this.#waiters.set(tenant, waiters.add(waiter));
		this.#size += 1;
		caller.waits?.(() => this.#ahead(tenant, waiter));
		try {
			return await waiter.promise;
		} finally {
			signal.removeEventListener('abort', onAbort);
		}
	}

	/** The items of all waiters, tenant by tenant, in the order of their turns. */
	*items(): Generator<T> {
		for (const waiters of this.#waiters.values()) for (const { item } of waiters) yield item;
	}

	/** Gives a slot to the first caller in turn whose item fits. False: there is none. */
	serve(slotFor: (item: T) => ModelSlot, fits: (item: T) => boolean = () => true): boolean {
		for (const [tenant, waiters] of this.#waiters) {
			for (const waiter of waiters) {
				if (!fits(waiter.item)) continue;
				this.#remove(tenant, waiter);
				// Moves the tenant to the end.
				if (this.#waiters.delete(tenant)) this.#waiters.set(tenant, waiters);
				waiter.resolve(slotFor(waiter.item));
				return true;
			}
		}
		return false;
	}

	/** Callers before a waiter. Each tenant has as many as the waiter's own, or one more if its turn is earlier. */
	#ahead(tenant: string, waiter: Waiter<T>): number | undefined {
		const rank = [...(this.#waiters.get(tenant) ?? [])].indexOf(waiter);
		const turn = [...this.#waiters.keys()].indexOf(tenant);
		const sizes = [...this.#waiters.values()].map(({ size }, index) => Math.min(size, index < turn ? rank + 1 : rank));
		return rank < 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0);
	}

	#remove(tenant: string, waiter: Waiter<T>): void {
		const waiters = this.#waiters.get(tenant);
		if (!waiters?.delete(waiter)) return;
		this.#size -= 1;
		if (waiters.size === 0) this.#waiters.delete(tenant);
	}

	/** Rejects the last waiter of the tenant with most waiters, or the new caller when its tenant would have as many. */
	#makeRoom(tenant: string): void {
		const own = this.#waiters.get(tenant)?.size ?? 0;
		const [largest, waiters] = [...this.#waiters].reduce<readonly [string, ReadonlySet<Waiter<T>>]>(
			(most, each) => (each[1].size > most[1].size ? each : most),
			[tenant, new Set()],
		);
		const last = [...waiters].at(-1);
		if (!last || waiters.size <= own + 1) throw this.#busy();
		this.#remove(largest, last);
		last.reject(this.#busy());
	}

	#busy(): PlinthError {
		if (this.#averageMs === undefined) return plinthError('E_MODEL_BUSY');
		const ms = (this.#averageMs * (this.#size + 1)) / this.#slots;
		return plinthError('E_MODEL_BUSY', { headers: retryAfter(ms) });
	}
}

/** The slots of one model and the queue for them. */
export class FairQueue implements SlotQueue {
	readonly slots: number;
	readonly #queue: WaitQueue<undefined>;
	#freeSlots: number;

	constructor(slots: number, waiting: number, clock: Clock) {
		this.slots = slots;
		this.#queue = new WaitQueue(slots, waiting, clock);
		this.#freeSlots = slots;
	}

	get hasFreeSlot(): boolean {
		return this.#freeSlots > 0;
	}

	enter(caller: SlotCaller): ModelSlot | Promise<ModelSlot> {
		if (this.#freeSlots === 0) return this.#queue.wait(caller, undefined);
		this.#freeSlots -= 1;
		return this.#slot();
	}

	#slot(): ModelSlot {
		return this.#queue.slot(() => {
			if (!this.#queue.serve(() => this.#slot())) this.#freeSlots += 1;
		});
	}
}
