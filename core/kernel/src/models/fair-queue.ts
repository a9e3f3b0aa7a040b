import { type PlinthError, plinthError } from '../contract/errors/coded-error.ts';
import type { Clock } from '../contract/ports/clock.ts';
import { ModelSlot } from './model-slot.ts';
import { retryAfter } from './retry-after.ts';

/** How many calls wait for a model in line unless its binding says otherwise. */
export const defaultWaiting = 64;

/** How much a new duration counts in the average. */
const newest = 0.2;

/** Who wants a place. Its signal is looked at only when there is a wait. */
export interface Caller {
	readonly principal: { readonly tenant: string };
	readonly signal: AbortSignal;
}

interface Waiter {
	readonly grant: (place: ModelSlot) => void;
	readonly refuse: (reason: unknown) => void;
}

/**
 * The places of a model and the line before them. Tenants take turns; within a tenant it is first come, first served. When the line is full, whoever
 * would have fewer in it than another tenant takes the place of that one's last.
 */
export class FairQueue {
	readonly #most: number;
	readonly #clock: Clock;
	/** By tenant, in the order of their turns. */
	readonly #tenants = new Map<string, Set<Waiter>>();
	#free: number;
	#waiting = 0;
	/** Milliseconds that a place was held lately, on average; undefined until one was given back. */
	#heldMs: number | undefined;
	readonly #places: number;

	/** `concurrency` places, and `waiting` who may wait for one. */
	constructor(concurrency: number, waiting: number, clock: Clock) {
		this.#places = concurrency;
		this.#free = concurrency;
		this.#most = waiting;
		this.#clock = clock;
	}

	/** Whether somebody who comes now has a place at once. */
	get hasFreePlace(): boolean {
		return this.#free > 0;
	}

	/**
	 * Takes a place, at once or when it is this comer's turn. Throws or rejects with `E_MODEL_BUSY`, whose `Retry-After` comes from recent durations, when
	 * the line is full, and with the reason of the comer's signal, which also ends the wait.
	 */
	enter(comer: Caller): ModelSlot | Promise<ModelSlot> {
		if (this.#free > 0) {
			this.#free -= 1;
			return this.#place();
		}
		comer.signal.throwIfAborted();
		const { tenant } = comer.principal;
		if (this.#waiting >= this.#most) this.#makeRoom(tenant);
		return this.#wait(tenant, comer.signal);
	}

	#place(): ModelSlot {
		const since = this.#clock.now();
		return new ModelSlot(() => this.#leave(since));
	}

	#leave(since: number): void {
		// The wall clock may be set back.
		const heldMs = Math.max(0, this.#clock.now() - since);
		this.#heldMs =
			this.#heldMs === undefined ? heldMs : this.#heldMs + (heldMs - this.#heldMs) * newest;
		const next = this.#next();
		if (next) next.grant(this.#place());
		else this.#free += 1;
	}

	/** The first of the tenant whose turn it is, which then goes behind the others. */
	#next(): Waiter | undefined {
		for (const [tenant, waiters] of this.#tenants) {
			for (const waiter of waiters) {
				this.#remove(tenant, waiter);
				if (this.#tenants.delete(tenant)) this.#tenants.set(tenant, waiters);
				return waiter;
			}
		}
		return undefined;
	}

	#wait(tenant: string, signal: AbortSignal): Promise<ModelSlot> {
		return new Promise((resolve, reject) => {
			const give = () => {
				this.#remove(tenant, waiter);
				reject(signal.reason);
			};
			const waiter: Waiter = {
				grant: (place) => {
					signal.removeEventListener('abort', give);
					resolve(place);
				},
				refuse: (reason) => {
					signal.removeEventListener('abort', give);
					reject(reason);
				},
			};
			signal.addEventListener('abort', give, { once: true });
			const waiters = this.#tenants.get(tenant) ?? new Set();
			this.#tenants.set(tenant, waiters.add(waiter));
			this.#waiting += 1;
		});
	}

	#remove(tenant: string, waiter: Waiter): void {
		const waiters = this.#tenants.get(tenant);
		if (!waiters?.delete(waiter)) return;
		this.#waiting -= 1;
		if (waiters.size === 0) this.#tenants.delete(tenant);
	}

	/** Sends the last of the tenant with the most away, unless the newcomer's own tenant would then have as many: then it is the newcomer who goes. */
	#makeRoom(tenant: string): void {
		const own = this.#tenants.get(tenant)?.size ?? 0;
		const [greedy, waiters] = [...this.#tenants].reduce<readonly [string, ReadonlySet<Waiter>]>(
			(most, each) => (each[1].size > most[1].size ? each : most),
			[tenant, new Set()],
		);
		const last = [...waiters].at(-1);
		if (!last || waiters.size <= own + 1) throw this.#busy();
		this.#remove(greedy, last);
		last.refuse(this.#busy());
	}

	#busy(): PlinthError {
		if (this.#heldMs === undefined) return plinthError('E_MODEL_BUSY');
		const ms = (this.#heldMs * (this.#waiting + 1)) / this.#places;
		return plinthError('E_MODEL_BUSY', { headers: retryAfter(ms) });
	}
}
