import { type PlinthError, plinthError } from '../contract/errors/coded-error.ts';
import type { ModelCaller } from '../contract/plugin.ts';
import type { Clock } from '../contract/ports/clock.ts';
import { retryAfter } from './failures.ts';

/** How many calls may wait for a model unless its binding sets another number. */
export const defaultWaiting = 64;

/** The weight of the newest duration in the average. */
const newestWeight = 0.2;

type Waiter = PromiseWithResolvers<ModelSlot>;

/**
 * The slots of a model and the queue for them. Tenants take turns, each first come, first served. In a full queue, a
 * new caller replaces the last waiter of a tenant that has more waiters than the caller's tenant would have.
 */
export class FairQueue {
	readonly #slots: number;
	readonly #mostWaiting: number;
	readonly #clock: Clock;
	/** By tenant, in the order of their turns. */
	readonly #waiters = new Map<string, Set<Waiter>>();
	#free: number;
	#waiting = 0;
	/** How long a slot was in use lately, on average in milliseconds; undefined until one was freed. */
	#usedMs: number | undefined;

	/** `concurrency` slots, and at most `waiting` callers in the queue. */
	constructor(concurrency: number, waiting: number, clock: Clock) {
		this.#slots = concurrency;
		this.#free = concurrency;
		this.#mostWaiting = waiting;
		this.#clock = clock;
	}

	/** Whether a new caller would get a slot at once. */
	get hasFreeSlot(): boolean {
		return this.#free > 0;
	}

	/**
	 * Takes a slot, at once or when it is the caller's turn. When the queue is full, it throws or rejects with
	 * `E_MODEL_BUSY`, whose `Retry-After` comes from recent durations. The caller's signal, which ends the wait, is read
	 * only when there is one.
	 */
	enter(caller: Pick<ModelCaller, 'principal' | 'signal'>): ModelSlot | Promise<ModelSlot> {
		if (this.#free > 0) {
			this.#free -= 1;
			return this.#slot();
		}
		caller.signal.throwIfAborted();
		const { tenant } = caller.principal;
		if (this.#waiting >= this.#mostWaiting) this.#makeRoom(tenant);
		return this.#wait(tenant, caller.signal);
	}

	#slot(): ModelSlot {
		const since = this.#clock.now();
		return new ModelSlot(() => this.#freed(since));
	}

	#freed(since: number): void {
		// The wall clock may be set back.
		const ms = Math.max(0, this.#clock.now() - since);
		this.#usedMs = this.#usedMs === undefined ? ms : this.#usedMs + (ms - this.#usedMs) * newestWeight;
		const next = this.#next();
		if (next) next.resolve(this.#slot());
		else this.#free += 1;
	}

	/** The first waiter of the tenant whose turn it is. The tenant then goes to the end. */
	#next(): Waiter | undefined {
		for (const [tenant, waiters] of this.#waiters) {
			for (const waiter of waiters) {
				this.#remove(tenant, waiter);
				if (this.#waiters.delete(tenant)) this.#waiters.set(tenant, waiters);
				return waiter;
			}
		}
		return undefined;
	}

	async #wait(tenant: string, signal: AbortSignal): Promise<ModelSlot> {
		const waiter = Promise.withResolvers<ModelSlot>();
		const leave = () => {
			this.#remove(tenant, waiter);
			waiter.reject(signal.reason);
		};
		signal.addEventListener('abort', leave, { once: true });
		const waiters = this.#waiters.get(tenant) ?? new Set();
		this.#waiters.set(tenant, waiters.add(waiter));
		this.#waiting += 1;
		try {
			return await waiter.promise;
		} finally {
			signal.removeEventListener('abort', leave);
		}
	}

	#remove(tenant: string, waiter: Waiter): void {
		const waiters = this.#waiters.get(tenant);
		if (!waiters?.delete(waiter)) return;
		this.#waiting -= 1;
		if (waiters.size === 0) this.#waiters.delete(tenant);
	}

	/** Refuses the last waiter of the tenant with most waiters, or the new caller when its tenant would have as many. */
	#makeRoom(tenant: string): void {
		const own = this.#waiters.get(tenant)?.size ?? 0;
		const [largest, waiters] = [...this.#waiters].reduce<readonly [string, ReadonlySet<Waiter>]>(
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
		const ms = (this.#usedMs * (this.#waiting + 1)) / this.#slots;
		return plinthError('E_MODEL_BUSY', { headers: retryAfter(ms) });
	}
}

/** A slot of a model that is in use. It is freed once: at `free`, or when its work is done and nobody keeps it. */
export class ModelSlot {
	readonly #onFree: () => void;
	#isDone = false;
	#isFree = false;
	#keepers = 0;

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
			this.#keepers -= 1;
			if (this.#isDone && this.#keepers === 0) this.free();
		};
		if (signal.aborted || this.#isFree) release();
		else signal.addEventListener('abort', release, { once: true });
		return release;
	}

	/** Says that the work is done. */
	done(): void {
		this.#isDone = true;
		if (this.#keepers === 0) this.free();
	}

	/** Frees the slot, also when somebody keeps it. */
	free(): void {
		if (this.#isFree) return;
		this.#isFree = true;
		this.#onFree();
	}
}
