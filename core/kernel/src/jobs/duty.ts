import { randomUUID } from 'node:crypto';
import type { JobStore } from '../contract/jobs/job-store.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';

/** In milliseconds; the holder renews and others ask. A dead holder is replaced within 15 s. */
export const dutyTimes = { leaseMs: 12_000, renewMs: 4_000, askMs: 2_000 } as const;

/** What a duty works with. */
export interface DutyTools {
	/** Undefined: this process always has the duty. */
	readonly store: Pick<JobStore, 'lead'> | undefined;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Work of one process at a time: `run` begins with the lease and aborts without it. When it ends, it begins again. */
export class Duty {
	readonly #name: string;
	readonly #run: (signal: AbortSignal) => Promise<void>;
	readonly #tools: DutyTools;
	readonly #holder = randomUUID();
	#isStopped = false;
	#cancelTimer: () => void = () => {};
	/** By a timer and not by the wall clock, which may be set. */
	#cancelLapse: () => void = () => {};
	#renewing: Promise<void> = Promise.resolve();
	#held: { readonly controller: AbortController; readonly finished: Promise<void> } | undefined;

	constructor(name: string, run: (signal: AbortSignal) => Promise<void>, tools: DutyTools) {
		this.#name = name;
		this.#run = run;
		this.#tools = tools;
	}

	/** Asks for the lease, now and from now on. */
	start(): void {
		if (this.#isStopped) return;
		this.#renewing = this.#renew().then(() => {
			if (this.#isStopped) return;
			const ms = this.#held ? dutyTimes.renewMs : dutyTimes.askMs;
			this.#cancelTimer = this.#tools.clock.after(ms, () => this.start());
		});
	}

	/** Ends the work, waits for it, and gives the lease back. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		this.#cancelTimer();
		await this.#renewing;
		const held = this.#held;
		this.#abort();
		await held?.finished;
		if (held) await this.#lead(0).catch((err: unknown) => this.#warn(err, 'given back'));
	}

	async #renew(): Promise<void> {
		const lapse = Promise.withResolvers<void>();
		const cancelLapse = this.#tools.clock.after(dutyTimes.leaseMs, lapse.resolve);
		try {
			const isOurs = await Promise.race([this.#lead(dutyTimes.leaseMs), lapse.promise.then(() => false)]);
			if (!isOurs || this.#isStopped) {
				cancelLapse();
				if (!isOurs) this.#abort();
				return;
			}
			this.#cancelLapse();
			this.#cancelLapse = cancelLapse;
			void lapse.promise.then(() => this.#abort());
			this.#begin();
		} catch (err) {
			cancelLapse();
			this.#warn(err, 'renewed');
		}
	}

	#begin(): void {
		if (this.#held) return;
		const controller = new AbortController();
		const finished = this.#run(controller.signal)
			.catch((err: unknown) => this.#warn(err, 'done; it begins again'))
			.then(() => {
				if (this.#held === held) this.#held = undefined;
			});
		const held = { controller, finished };
		this.#held = held;
	}

	/** The run stays noted until it has settled, so that there are never two. */
	#abort(): void {
		this.#cancelLapse();
		this.#held?.controller.abort();
	}

	async #lead(leaseMs: number): Promise<boolean> {
		return (await this.#tools.store?.lead(this.#name, this.#holder, leaseMs)) ?? true;
	}

	#warn(err: unknown, what: string): void {
		this.#tools.log.warn({ err, duty: this.#name }, `a duty could not be ${what}`);
	}
}
