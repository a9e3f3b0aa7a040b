import { setImmediate } from 'node:timers/promises';
import type { Clock, Logger } from '@plinth/core';
import type { DueEntry, DueList } from '../deliveries/due.ts';
import type { Deliveries, Held } from '../deliveries/store.ts';
import type { Courier } from './courier.ts';
import { InFlight, type InFlightLimits } from './in-flight.ts';
import { Rounds } from './rounds.ts';

const everyMs = 1_000;
/** How many entries one round looks at: what a receiver that hangs has before it is stepped over at this pace. */
const pagesPerRound = 10;
const pageSize = 500;
/** Entries of one receiver that are looked at when it can take one more. */
const linePage = 16;
/** How many deliveries may fail to be claimed until a round gives up: that many mean the store and not a record. */
const maxFailures = 10;
const limits: InFlightLimits = { all: 32, perLine: 4, slow: 12 };

/** What the dispatcher works with. */
export interface DispatcherTools {
	readonly due: DueList;
	readonly deliveries: Deliveries;
	readonly courier: Courier;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Sends what is due, at most 32 requests at a time: four to a receiver that is quick and one to any other, and 12 to all together whose last
 * attempt took long. Receivers that are said to have something new are looked at by themselves; besides, it walks through all that is due, past what cannot be
 * sent now, at most once a second and on from where it was.
 */
export class Dispatcher {
	readonly #tools: DispatcherTools;
	readonly #inFlight: InFlight;
	readonly #rounds: Rounds;
	readonly #woken = new Set<string>();
	/** Lines of deleted endpoints, with how far their deliveries have been cancelled. */
	readonly #forgotten = new Map<string, DueEntry | undefined>();
	/** Behind which entry the walk goes on; undefined: from the beginning. */
	#position: DueEntry | undefined;
	/** The walk had to stop because nothing more could be sent. */
	#isHalted = false;
	#walkAt = 0;
	/** Why deliveries could not be claimed in this round. */
	#failures: unknown[] = [];

	constructor(tools: DispatcherTools) {
		this.#tools = tools;
		this.#inFlight = new InFlight(limits, tools.clock);
		this.#rounds = new Rounds({
			clock: tools.clock,
			log: tools.log,
			everyMs,
			complaint: 'webhooks that are due could not be read; tried again in a second',
			round: () => this.#round(),
		});
	}

	/** Begins to send. */
	start(): void {
		this.#rounds.start();
	}

	/** Aborts what is under way, which is sent again at the next start; resolves when all has ended. */
	async stop(): Promise<void> {
		const reason = new Error('The server is stopping.');
		this.#inFlight.abort(reason);
		await this.#rounds.stop();
		this.#inFlight.abort(reason);
		await this.#inFlight.drained();
	}

	/** Says that these receivers may have something due. */
	wake(lines: Iterable<string>): void {
		for (const line of lines) this.#woken.add(line);
		this.#rounds.wake();
	}

	/** Ends requests to a deleted endpoint at once, and cancels its pending deliveries soon. What is missed here is cancelled when it is due. */
	forget(line: string): void {
		this.#inFlight.abort(new Error('The webhook endpoint was deleted.'), line);
		this.#forgotten.set(line, undefined);
		this.#rounds.wake();
	}

	async #round(): Promise<number> {
		this.#failures = [];
		for (const [line, after] of this.#forgotten) await this.#cancelSome(line, after);
		if (this.#isWalkDue()) await this.#walk();
		await this.#serve();
		if (this.#failures.length > 0) throw this.#failures[0];
		return Math.max(0, this.#walkAt - this.#tools.clock.now());
	}

	/** Also when the clock was set back since the last one. */
	#isWalkDue(): boolean {
		const wait = this.#walkAt - this.#tools.clock.now();
		return this.#isHalted || wait <= 0 || wait > everyMs;
	}

	async #walk(): Promise<void> {
		const { due, clock } = this.#tools;
		this.#walkAt = clock.now() + everyMs;
		this.#isHalted = false;
		for (let pages = 0; pages < pagesPerRound; pages++) {
			const { entries, hasMore } = await due.page('send', this.#position, pageSize);
			for (const entry of entries) {
				if (!this.#isDue(entry)) {
					this.#position = undefined;
					return;
				}
				this.#isHalted = this.#inFlight.isFull;
				if (this.#isHalted || this.#rounds.isStopped) return;
				this.#position = entry;
				await this.#offer(entry);
			}
			if (!hasMore) {
				this.#position = undefined;
				return;
			}
			await setImmediate();
		}
	}

	/** Looks at the receivers that were woken, in turn. */
	async #serve(): Promise<void> {
		for (const line of this.#woken) {
			if (this.#inFlight.isFull || this.#rounds.isStopped) return;
			this.#woken.delete(line);
			const { entries } = await this.#tools.due.ofLine(line, undefined, linePage);
			for (const entry of entries) {
				if (!this.#isDue(entry) || this.#rounds.isStopped) break;
				if (this.#inFlight.isFull) {
					this.#woken.add(line);
					return;
				}
				await this.#offer(entry);
			}
		}
	}

	/** Remembers when the next one falls due. */
	#isDue({ at }: DueEntry): boolean {
		if (at <= this.#tools.clock.now()) return true;
		this.#walkAt = Math.min(this.#walkAt, at);
		return false;
	}

	async #offer(entry: DueEntry): Promise<void> {
		if (this.#inFlight.isTaken(entry)) return;
		const held = await this.#claim(entry);
		if (!held) return;
		this.#inFlight.run(
			entry,
			(signal) => this.#attempt(held, signal),
			// The place of a slow receiver goes to whichever of them the walk meets next.
			() => this.wake(this.#inFlight.isSlow(entry) ? [] : [entry.line]),
		);
	}

	/** Null also for one that cannot be read or written: a broken record is stepped over, and holds up nothing else. */
	async #claim(entry: DueEntry): Promise<Held | null> {
		try {
			return await this.#tools.deliveries.claim(entry);
		} catch (error) {
			this.#failures.push(error);
			if (this.#failures.length >= maxFailures) throw error;
			return null;
		}
	}

	async #attempt(held: Held, signal: AbortSignal): Promise<void> {
		const { courier, log } = this.#tools;
		try {
			await courier.deliver(held, signal);
		} catch (err) {
			log.warn(
				{ err, delivery: held.id },
				'an attempt at a webhook could not be written down; it may be repeated',
			);
		}
	}

	async #cancelSome(line: string, after: DueEntry | undefined): Promise<void> {
		const { due, deliveries } = this.#tools;
		// First, so that one that cannot be cancelled does not keep every round from what comes next.
		this.#forgotten.delete(line);
		const { entries, hasMore } = await due.ofLine(line, after, pageSize);
		await Promise.all(entries.map((entry) => deliveries.cancel(entry)));
		if (!hasMore) return;
		this.#forgotten.set(line, entries.at(-1));
		this.#rounds.wake();
	}
}
