import { type PlinthError, plinthError } from '../contract/errors/coded-error.ts';
import type { ModelCaller } from '../contract/plugin.ts';
import type { Clock } from '../contract/ports/clock.ts';
import { retryAfter } from './failures.ts';
import { ModelSlot } from './model-slot.ts';

/** How many calls may wait for a model unless its binding sets another number. */
export const defaultWaiting = 64;

/** The weight of the newest duration in the average. */
const newestWeight = 0.2;

/** Who needs a slot. */
export type SlotCaller = Pick<ModelCaller, 'principal' | 'signal' | 'waits'>;

/** What gives the calls of a model their slots. */
export interface SlotQueue {
	/** Whether a new caller would get a slot at once. */
	readonly hasFreeSlot: boolean;
	/** How many calls may be under way now, those that are counted. */
	readonly slots: number;
	/**
	 * Takes a slot, at once or when it is the caller's turn. Rejects with the reason of the caller's signal, which is
	 * read only when there is a wait, and with `E_MODEL_BUSY` when too many callers wait.
	 */
	enter(caller: SlotCaller): ModelSlot | Promise<ModelSlot>;
}

interface Waiter<T> extends PromiseWithResolvers<ModelSlot> {
	/** What it waits for. */
	readonly item: T;
}

/**
 * Callers that wait for slots. Tenants take turns, each first come, first served. In a full line, a new caller replaces
 * the last waiter of a tenant that has more waiters than the caller's tenant would have.
 */
export class WaitingLine<T> {
	readonly #slots: number;
	readonly #mostWaiting: number;
	readonly #clock: Clock;
	/** By tenant, in the order of their turns. */
	readonly #waiters = new Map<string, Set<Waiter<T>>>();
	#size = 0;
	/** How long a slot was in use lately, on average in milliseconds; undefined until one was freed. */
	#usedMs: number | undefined;

	/** For `slots` slots, which tell how long a wait is, and at most `mostWaiting` callers. */
	constructor(slots: number, mostWaiting: number, clock: Clock) {
		this.#slots = slots;
		this.#mostWaiting = mostWaiting;
		this.#clock = clock;
	}

	/** How many callers wait. */
	get size(): number {
		return this.#size;
	}

	/** A slot for one call. `onFree` is called once, when it is freed. */
	slot(onFree: () => void): ModelSlot {
		const since = this.#clock.now();
		return new ModelSlot(() => {
			// The wall clock may be set back.
			const ms = Math.max(0, this.#clock.now() - since);
			this.#usedMs = this.#usedMs === undefined ? ms : this.#usedMs + (ms - this.#usedMs) * newestWeight;
			onFree();
		});
	}

	/**
	 * Waits until `serve` gives the caller a slot. Rejects with the reason of its signal, and with `E_MODEL_BUSY` when
	 * the line is full; the `Retry-After` of that comes from recent durations.
	 */
	async wait(caller: SlotCaller, item: T): Promise<ModelSlot> {
		const { principal, signal } = caller;
		signal.throwIfAborted();
		const { tenant } = principal;
		if (this.#size >= this.#mostWaiting) this.#makeRoom(tenant);
		const waiter = { ...Promise.withResolvers<ModelSlot>(), item };
		const leave = () => {
			this.#remove(tenant, waiter);
			waiter.reject(signal.reason);
		};
		signal.addEventListener('abort', leave, { once: true });
		const waiters = this.#waiters.get(tenant) ?? new Set();
		this.#waiters.set(tenant, waiters.add(waiter));
		this.#size += 1;
		caller.waits?.(() => this.#ahead(tenant, waiter));
		try {
			return await waiter.promise;
		} finally {
			signal.removeEventListener('abort', leave);
		}
	}

	/** What the callers wait for, tenant by tenant, in the order of their turns. */
	*items(): Generator<T> {
		for (const waiters of this.#waiters.values()) for (const { item } of waiters) yield item;
	}

	/** Gives a slot to the caller whose turn it is among those whose item fits. False: there is none. */
	serve(slotFor: (item: T) => ModelSlot, fits: (item: T) => boolean = () => true): boolean {
		for (const [tenant, waiters] of this.#waiters) {
			for (const waiter of waiters) {
				if (!fits(waiter.item)) continue;
				this.#remove(tenant, waiter);
				// The tenant goes to the end.
				if (this.#waiters.delete(tenant)) this.#waiters.set(tenant, waiters);
				waiter.resolve(slotFor(waiter.item));
				return true;
			}
		}
		return false;
	}

	/** Tenants take turns: of each other tenant as many as of its own are ahead, and one more of a tenant before it. */
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

	/** Refuses the last waiter of the tenant with most waiters, or the new caller when its tenant would have as many. */
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
		if (this.#usedMs === undefined) return plinthError('E_MODEL_BUSY');
		const ms = (this.#usedMs * (this.#size + 1)) / this.#slots;
		return plinthError('E_MODEL_BUSY', { headers: retryAfter(ms) });
	}
}
