import type { Clock } from '@plinth/core';
import { paceGroup } from '../deliveries/record.ts';

/** How many requests are under way at most. */
export interface InFlightLimits {
	readonly all: number;
	/** To one receiver that is quick; others get one at a time. */
	readonly perLine: number;
	/** To slow receivers together, so that those that hang leave room for the others. */
	readonly slow: number;
}

/** What an attempt is about. */
export interface FlightPlan {
	readonly delivery: string;
	readonly tenant: string;
	readonly line: string;
}

interface Flight extends FlightPlan {
	readonly abort: AbortController;
	readonly done: Promise<void>;
}

/** From how many milliseconds on an attempt took long. */
const longMs = 2_000;
/** Of how many receivers it is remembered whether they are slow: the latest. */
const maxPaces = 10_000;

/** The attempts that this process is making. */
export class InFlight {
	readonly #limits: InFlightLimits;
	readonly #clock: Clock;
	readonly #flights = new Map<string, Flight>();
	/** Whether the last attempt at each took long. */
	readonly #isSlow = new Map<string, boolean>();

	constructor(limits: InFlightLimits, clock: Clock) {
		this.#limits = limits;
		this.#clock = clock;
	}

	/** Whether no further attempt may begin. */
	get isFull(): boolean {
		return this.#flights.size >= this.#limits.all;
	}

	/** Whether no attempt at this delivery may begin: it is being made, or its receiver or all that are slow have as many as they may. */
	isTaken(plan: FlightPlan): boolean {
		const { perLine, slow } = this.#limits;
		if (this.#flights.has(plan.delivery)) return true;
		const most = this.#isSlow.get(paceGroup(plan)) === false ? perLine : 1;
		if (this.#count(({ line }) => line === plan.line) >= most) return true;
		return this.isSlow(plan) && this.#count((flight) => this.isSlow(flight)) >= slow;
	}

	/** Whether the last attempt at a receiver took long. Callbacks of a tenant are slow together: each may name another host. */
	isSlow(plan: FlightPlan): boolean {
		return this.#isSlow.get(paceGroup(plan)) === true;
	}

	/** Runs an attempt, which must not reject, and calls `ended` once its place is free. */
	run(plan: FlightPlan, attempt: (signal: AbortSignal) => Promise<void>, ended: () => void): void {
		const abort = new AbortController();
		const begun = this.#clock.now();
		const done = attempt(abort.signal).finally(() => {
			this.#flights.delete(plan.delivery);
			this.#note(paceGroup(plan), this.#clock.now() - begun);
			ended();
		});
		this.#flights.set(plan.delivery, { ...plan, abort, done });
	}

	/** Aborts the attempts to one receiver, or all of them. */
	abort(reason: Error, line?: string): void {
		for (const flight of this.#flights.values()) {
			if (line === undefined || flight.line === line) flight.abort.abort(reason);
		}
	}

	/** Resolves when all that are under way have ended. */
	async drained(): Promise<void> {
		await Promise.all([...this.#flights.values()].map(({ done }) => done));
	}

	#count(isMeant: (flight: Flight) => boolean): number {
		let count = 0;
		for (const flight of this.#flights.values()) if (isMeant(flight)) count++;
		return count;
	}

	#note(group: string, ms: number): void {
		this.#isSlow.delete(group);
		this.#isSlow.set(group, ms >= longMs);
		const [oldest] = this.#isSlow.keys();
		if (this.#isSlow.size > maxPaces && oldest !== undefined) this.#isSlow.delete(oldest);
	}
}
